/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The signal masks of the program's threads while samples are taken. A thread that blocks all
 * signals means those of its program: the signal of the samples stays unblocked, and what the
 * thread reads of its mask is what it has set.
 */
#ifndef FERMATA_RECORD_SAMPLING_SIGNAL_MASK_H
#define FERMATA_RECORD_SAMPLING_SIGNAL_MASK_H

#include <signal.h>

struct fm_thread;

/** A function of the C library that changes the calling thread's mask. */
typedef int fm_mask_function_t(int how, const sigset_t *set, sigset_t *before);

/** Called in place of such a function of the C library, by any thread; in signal handlers, too.
 * @param next  the function itself
 * @return what it returns, errno as it leaves it */
int fm_signal_mask_set(int how, const sigset_t *set, sigset_t *before, fm_mask_function_t *next);

/** Lets the signal of samples through to the calling thread. */
void fm_signal_mask_open(struct fm_thread *thread, int number);

/** Blocks it again in the calling thread, if the program has blocked it. */
void fm_signal_mask_close(struct fm_thread *thread, int number);

#endif
