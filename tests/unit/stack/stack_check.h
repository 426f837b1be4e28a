/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Compares what the recorder finds on the call stack with what the compiler's own unwinder finds.
 */
#ifndef FERMATA_TESTS_STACK_STACK_CHECK_H
#define FERMATA_TESTS_STACK_STACK_CHECK_H

#include "record/stack/stack.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Prepares the calling thread. */
void stack_check_begin(uint32_t deepest);

/** Takes note of the call stack of its caller, as a recorded call does. With `compare`, all
 * functions found must be those of the compiler's unwinder, and the changes told so far must add up
 * to them. Never inlined. */
void stack_probe(bool compare);

/** Nothing is known of the call stack any more, as after a pause. */
void stack_check_forget(void);

/** The thread's stack. */
struct fm_stack *stack_check_stack(void);

/** Number of comparisons and of those that failed, in all threads; the failures were printed. */
extern unsigned stack_compared, stack_failed;

#ifdef __cplusplus
}
#endif

#endif
