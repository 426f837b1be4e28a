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
    uint64_t pcs[MOST];
    int count;
};

void stack_check_begin(uint32_t deepest)
{
    stack = fm_stack_begin(deepest);
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
        trace->pcs[trace->count++] = pc;
    }
    return _URC_NO_REASON;
}

static void fail(const char *what, const struct trace *trace, int from)
{
    __atomic_fetch_add(&stack_failed, 1, __ATOMIC_RELAXED);
    printf("%s: %u functions, expected %d\n", what, stack->count, trace->count - from);
    for (uint32_t i = 0; i < stack->count && i < 20; i++) {
        int other = from + (int)i;
        printf("  %lx %lx\n", (unsigned long)stack->frames[stack->count - 1 - i].pc,
               other < trace->count ? (unsigned long)trace->pcs[other] : 0);
    }
}

static void compare_functions(uint64_t innermost)
{
    static __thread struct trace trace;
    int from = 0;
    trace.count = 0;
    _Unwind_Backtrace(take, &trace);
    while (from < trace.count && trace.pcs[from] != innermost) {
        from++;
    }
    bool same = (int)stack->count == trace.count - from;
    for (uint32_t i = 0; same && i < stack->count; i++) {
        same =
            (stack->frames[stack->count - 1 - i].pc & ~FM_PLACE_EXACT) == trace.pcs[from + (int)i];
    }
    if (!same) {
        fail("functions", &trace, from);
    }
}

static void compare_told(void)
{
    uint32_t shown = 0;
    bool same = true;
    for (uint32_t i = 0; i < stack->count; i++) {
        if (stack->frames[i].site != FM_SITE_HIDDEN) {
            same = same && shown < told_count && told[shown] == stack->frames[i].site;
            shown++;
        }
    }
    if (!same || shown != told_count) {
        __atomic_fetch_add(&stack_failed, 1, __ATOMIC_RELAXED);
        printf("changes: %u functions told, %u shown\n", told_count, shown);
    }
}

__attribute__((noinline)) void stack_probe(bool compare)
{
    struct fm_registers at = fm_here_caller(FM_HERE);
    const struct fm_stack_change *change = fm_stack_at_call(stack, at);
    if (change != NULL) {
        memcpy(told + change->kept, change->sites, change->added * sizeof *told);
        told_count = change->kept + change->added;
    }
    if (compare) {
        __atomic_fetch_add(&stack_compared, 1, __ATOMIC_RELAXED);
        compare_functions(at.pc);
        compare_told();
    }
}
