/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Changes of the shown functions of a stack (stack.h). Private to stack.c and
 * python/python_stack.c.
 */
#ifndef FERMATA_RECORD_STACK_STACK_CHANGE_H
#define FERMATA_RECORD_STACK_STACK_CHANGE_H

#include "record/stack/stack.h"

/** Replaces the shown functions by `sites`, of which the first `kept` were shown before.
 * @return the difference; NULL: none */
static inline const struct fm_stack_change *fm_stack_show(struct fm_stack *stack,
                                                          const uint32_t *sites, uint32_t count,
                                                          uint32_t kept, uint32_t newest, bool cut)
{
    const uint32_t before = stack->shown_count;
    const bool same = kept == count && kept == before && cut == stack->cut;
    stack->shown = sites;
    stack->shown_count = count;
    stack->cut = cut;
    stack->change = (struct fm_stack_change){
        .cut = cut,
        .kept = kept,
        .dropped = before - kept,
        .added = count - kept,
        .newest = newest,
        .sites = sites + kept,
    };
    return same ? NULL : &stack->change;
}

/** @return the length of the common beginning of `sites` and the shown call sites. */
static inline uint32_t fm_stack_count_kept(const struct fm_stack *stack, const uint32_t *sites,
                                           uint32_t count)
{
    uint32_t kept = 0;
    count = count < stack->shown_count ? count : stack->shown_count;
    while (kept < count && sites[kept] == stack->shown[kept]) {
        kept++;
    }
    return kept;
}

#endif
