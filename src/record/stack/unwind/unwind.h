/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Unwinding of a stack (stack.h): from the innermost frame to one of the kept stack that is still
 * active, or to the outermost.
 */
#ifndef FERMATA_RECORD_STACK_UNWIND_UNWIND_H
#define FERMATA_RECORD_STACK_UNWIND_UNWIND_H

#include "record/stack/bounds.h"
#include "record/stack/stack.h"

/** State of the unwinding of a stack. */
struct fm_unwinding {
    struct fm_stack *stack;
    struct fm_stack_found *found;
    struct fm_registers at;
    struct fm_stack_cell pc_cell; /**< where at.pc was read */
    uint32_t fp_last;  /**< innermost of the found frames with this fp; the next one saved it */
    uint32_t standing; /**< number of outer frames of the kept stack that may still be active */
    bool exact;        /**< at.pc is where a signal interrupted the function */
    bool in_signal;
    bool foreign;
    bool first_fp_matters;
    bool fp_lost;                 /**< a function did not save fp at a known place */
    struct fm_bounds_pages pages; /**< of a foreign stack */
};

/** How unwinding ends. */
enum fm_unwind_end {
    FM_UNWIND_GO_ON,
    FM_UNWIND_JOINED,    /**< a frame of the kept stack is reached, in the same state */
    FM_UNWIND_OUTERMOST, /**< the end of the stack */
    FM_UNWIND_UNKNOWN,   /**< code that cannot be unwound */
    FM_UNWIND_NOT_NOW    /**< in a signal handler: a place would have to be added first */
};

/** Adds a frame outside of the found ones. */
static inline void fm_stack_push_found(struct fm_stack_found *found, struct fm_registers at,
                                       const struct fm_place *place, struct fm_stack_cell cell)
{
    uint32_t i = --found->first;
    found->frames[i] = (struct fm_stack_frame){.pc = at.pc,
                                               .sp = at.sp,
                                               .fp = at.fp,
                                               .site = place->site,
                                               .interpreter = place->interpreter};
    found->cells[i] = cell;
}

/** Unwinds until a frame of the kept stack that is still active, or to the end; then
 * walk->standing is the number of kept frames outside of those found.
 * @return not FM_UNWIND_GO_ON. Async-signal-safe if `in_signal` is set */
enum fm_unwind_end fm_unwind(struct fm_unwinding *walk);

#endif
