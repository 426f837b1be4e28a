/* SPDX-License-Identifier: BSD-3-Clause */
/* The stub through which this program calls a function of a library: at each of its places, as if a
 * signal had interrupted it there, the caller is the function that makes the call, and the place
 * belongs to the function that is called. Unlike steps.c, also for processors that are emulated. */
#include "base/code/calls.h"
#include "record/stack/modules.h"
#include "record/stack/stack.h"

#include <math.h>
#include <stdio.h>

enum { LONGEST = 400, INSTRUCTION = 4 };

static volatile double value = 0.5;

__attribute__((noinline)) static void calls_library(void)
{
    value = tgamma(value) + value;
}

/* The call in the function that leads to a stub. @return the return address; 0: none */
static uint64_t find_call(uint64_t *stub, int *length)
{
    const uint8_t *code = (const uint8_t *)(uintptr_t)calls_library;
    for (int i = FM_CALL_BYTES; i < LONGEST; i++) {
        uint64_t slot;
        bool in_slot;
        int number;
        if (fm_call_target(code + i, stub, &in_slot) && !in_slot &&
            (number = fm_modules_find(*stub)) >= 0 &&
            fm_module_holds(fm_modules_get((uint32_t)number), *stub, FM_STUB_BYTES, true) &&
            fm_stub_slot((const uint8_t *)(uintptr_t)*stub, &slot, length)) {
            return (uint64_t)(uintptr_t)(code + i);
        }
    }
    return 0;
}

static int check(struct fm_stack *stack, uint64_t place, uint64_t address, uint64_t function)
{
    /* What the call has left: on the stack, or in the link register. */
    uint64_t words[] = {address, 0, 0, 0};
    const struct fm_registers at = {.pc = place,
                                    .sp = (uint64_t)(uintptr_t)words,
                                    .fp = 0,
                                    .link = FM_CALL_PUSHES ? 0 : address,
                                    .arguments = 0};
    bool told;
    fm_stack_forget(stack);
    fm_stack_at_signal(stack, at, true, &told);
    bool is_right = false;
    for (uint32_t i = 1; told && i < stack->count; i++) {
        const struct fm_site site = stack->frames[i].site != FM_SITE_HIDDEN
                                        ? fm_sites_get(stack->frames[i].site)
                                        : (struct fm_site){0};
        is_right = is_right || (stack->frames[i - 1].pc == address &&
                                fm_modules_get(site.module)->base + site.offset == function);
    }
    if (!is_right) {
        printf("stub+%d: another caller or another function\n", (int)(place & 0xf));
    }
    return !is_right;
}

int main(void)
{
    struct fm_stack *stack = fm_stack_begin(100);
    uint64_t stub = 0, slot;
    int length = 0, failed = 0, places = 0;
    calls_library();
    const uint64_t address = find_call(&stub, &length);
    if (address == 0) {
        printf("no call through a stub\n");
        return 1;
    }
    fm_stub_slot((const uint8_t *)(uintptr_t)stub, &slot, &length);
    const uint64_t function = *(const uint64_t *)(uintptr_t)slot;
    const int step = FM_CALL_PUSHES ? length : INSTRUCTION;
    for (int i = 0; i < length; i += step, places++) {
        failed += check(stack, stub + (uint64_t)i, address, function);
    }
    printf("%d places, %d failed\n", places, failed);
    return failed != 0;
}
