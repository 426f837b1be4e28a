/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Functions of the library that steps.c calls.
 */
#ifndef FERMATA_TESTS_STACK_STEPS_H
#define FERMATA_TESTS_STACK_STEPS_H

/** Ends with a call of another exported function of the library. */
double steps_outer(double x);
double steps_inner(double x);

/** Jumps to steps_inner: the caller of steps_inner is the caller of this function. */
double steps_tail(double x);

/** Aligns its stack. */
double steps_aligned(int n);

/** In assembly, without unwind information: a leaf without a frame. */
double steps_bare(double x);

/** In assembly, without unwind information: keeps a frame pointer, has a frame. */
double steps_bare_frame(double x);

#endif
