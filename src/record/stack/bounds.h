/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Bounds of stacks. Unwinding reads no memory outside of them.
 */
#ifndef FERMATA_RECORD_STACK_BOUNDS_H
#define FERMATA_RECORD_STACK_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

/** Bounds of the calling thread's own stack; low == high: unknown. Not async-signal-safe. errno is
 * preserved. */
void fm_bounds_own(uint64_t *low, uint64_t *high);

/** A thread's own stack. Zeroed = not determined yet. */
struct fm_own_stack {
    bool is_known;
    uint64_t low, high;
};

/** Determines the calling thread's own stack, unless it is known. As fm_bounds_own. */
static inline void fm_own_stack_find(struct fm_own_stack *stack)
{
    if (__builtin_expect(!stack->is_known, 0)) {
        stack->is_known = true;
        fm_bounds_own(&stack->low, &stack->high);
    }
}

/** Whether an address is on a stack that is known. */
static inline bool fm_own_stack_has(const struct fm_own_stack *stack, uint64_t address)
{
    return address - stack->low < stack->high - stack->low;
}

/** Range of pages that are known to exist. Zeroed = empty. */
struct fm_bounds_pages {
    uint64_t low, high;
};

/** Whether the page of `address` is mapped. Makes one system call for each page outside of `pages`.
 * Async-signal-safe; errno is preserved. */
bool fm_bounds_page_exists(struct fm_bounds_pages *pages, uint64_t address);

#endif
