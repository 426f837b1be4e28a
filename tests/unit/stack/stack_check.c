/* SPDX-License-Identifier: BSD-3-Clause */
#include "stack_check.h"

#include <stdio.h>
#include <string.h>
#include <unwind.h>

enum { MOST = 8192 };

unsigned stack_compared, stack_failed;

static __thread struct fm_stack *stack;
static __thread uint32_t told[FM_STACK_DEEPEST]; /* call sites, as the changes tell */
static __thread uint32_t told_count;

struct trace {
    uint64_t pcs[MOST]; /* as the addresses of places */
    int count;
};

void stack_check_begin(uint32_t deepest)
{
    stack = fm_stack_begin(deepest);
    told_count = 0;
}

void stack_check_forget(void)
{
    fm_stack_forget(stack);
    told_count = 0;
}

struct fm_stack *stack_check_stack(void)
{
    return stack;
}

static _Unwind_Reason_Code take(struct _Unwind_Context *context, void *data)
{
    struct trace *trace = data;
    int exact = 0;
    uint64_t pc = _Unwind_GetIPInfo(context, &exact);
    if (pc != 0 && trace->count < MOST) {
        trace->pcs[trace->count++] = pc | (exact != 0 ? FM_PLACE_EXACT : 0);
    }
    return _URC_NO_REASON;
}

/* The call sites that are to be shown of the functions around `innermost`, as the C library unwinds
 * them: outermost first. @return their number; -1: of some function nothing is known */
static int expected_sites(const struct trace *trace, uint64_t innermost, uint32_t *sites)
{
    int count = 0, from = 0;
    while (from < trace->count && (trace->pcs[from] & ~FM_PLACE_EXACT) != innermost) {
        from++;
    }
    for (int i = trace->count; i-- > from;) {
        const struct fm_place *place = fm_places_find(trace->pcs[i]);
        if (place == NULL) {
            return -1;
        }
        if (place->site != FM_SITE_HIDDEN && count < (int)stack->deepest) {
            sites[count++] = place->site;
        }
    }
    return count;
}

static void compare_functions(uint64_t innermost)
{
    static __thread struct trace trace;
    static __thread uint32_t sites[MOST];
    trace.count = 0;
    _Unwind_Backtrace(take, &trace);
    int expected = expected_sites(&trace, innermost, sites);
    if (expected != (int)told_count || memcmp(sites, told, told_count * sizeof *told) != 0) {
        __atomic_fetch_add(&stack_failed, 1, __ATOMIC_RELAXED);
        printf("%u functions told, expected %d\n", told_count, expected);
        for (int i = 0; i < expected && i < (int)told_count && i < 20; i++) {
            printf("  %u %u\n", told[i], sites[i]);
        }
    }
}

__attribute__((noinline)) void stack_probe(bool compare)
{
    const struct fm_here here = FM_HERE;
    const struct fm_stack_change *change = fm_stack_at_call(stack, here);
    if (change != NULL) {
        memcpy(told + change->kept, change->sites, change->added * sizeof *told);
        told_count = change->kept + change->added;
    }
    if (compare) {
        __atomic_fetch_add(&stack_compared, 1, __ATOMIC_RELAXED);
        compare_functions(fm_here_caller(here).pc);
    }
}
