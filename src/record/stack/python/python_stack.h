/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Python functions in the call stack of a thread, in the place of the interpreter's C functions
 * (stack.h). Private to src/record/stack.
 */
#ifndef FERMATA_RECORD_STACK_PYTHON_PYTHON_STACK_H
#define FERMATA_RECORD_STACK_PYTHON_PYTHON_STACK_H

#include "record/stack/stack.h"

/** @return state of the thread's Python functions, made at its first use outside of signal
 * handlers; NULL: there are none */
struct fm_stack_python *fm_stack_python_of(struct fm_stack *stack, bool in_signal);

/** Replaces the shown functions, which are those of the kept stack, by those with Python functions.
 * @param found   what is in python->frames
 * @param before  number of functions in python->before, which were shown before
 * @param merged  out: whether the shown functions depend on the frames
 * @return the difference from `before`; NULL: none */
const struct fm_stack_change *fm_stack_show_python(struct fm_stack *stack,
                                                   enum fm_python_found found, uint32_t before,
                                                   bool cut_before, bool *merged);

#endif
