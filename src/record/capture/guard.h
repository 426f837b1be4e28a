/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Preserves state of the measured program over a section in which the recorder writes files or
 * computes: errno, the floating-point environment (flags, rounding, traps), and the signals that
 * writing can raise (SIGXFSZ at the limit of a file's size, SIGPIPE). The section accesses files
 * with the rights that the process had at the begin of the run, if it may.
 */
#ifndef FERMATA_RECORD_CAPTURE_GUARD_H
#define FERMATA_RECORD_CAPTURE_GUARD_H

#include "record/experiment/process_state.h"

#include <fenv.h>
#include <signal.h>
#include <stdbool.h>

/** Saved state of the program. */
struct fm_guard {
    int error;
    fenv_t environment;
    sigset_t blocked; /**< the thread's signal mask */
    bool pending[2];  /**< SIGXFSZ, SIGPIPE: pending before the section */
    struct fm_file_rights rights;
};

/** Begins a section. Floating-point traps are off in it, the two signals are blocked. */
void fm_guard_begin(struct fm_guard *guard);

/** Blocks all signals except those of faults for the rest of the section, because a handler could
 * start the same work and wait for it. Blocked signals are delivered at the end of the section. */
void fm_guard_hold_signals(void);

/** Ends the section: restores the state and discards signals that the section raised. */
void fm_guard_end(const struct fm_guard *guard);

#endif
