/** @file
 * What the recorder must not change in the program it is loaded into, kept over a section in which
 * it writes files or computes: errno, the floating-point environment (flags, rounding, traps), and
 * the signals that writing can raise (SIGXFSZ beyond the limit of a file's size, SIGPIPE).
 */
#ifndef FERMATA_RECORD_CAPTURE_GUARD_H
#define FERMATA_RECORD_CAPTURE_GUARD_H

#include <fenv.h>
#include <signal.h>
#include <stdbool.h>

/** State of the program. */
struct fm_guard {
    int error;
    fenv_t environment;
    sigset_t blocked; /**< the thread's signal mask */
    bool pending[2];  /**< SIGXFSZ, SIGPIPE: the program's own, not yet delivered */
};

/** Begins a section. Floating-point traps are off in it, the two signals are blocked. */
void fm_guard_begin(struct fm_guard *guard);

/** Blocks all signals except those of faults for the rest of the section, because a handler could
 * start the same work and wait for it. Blocked signals are delivered at the end of the section. */
void fm_guard_hold_signals(void);

/** Ends it: everything is as before, signals that the section raised are gone. */
void fm_guard_end(const struct fm_guard *guard);

#endif
