/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The clock that sends a thread the signal of its next sample, after a period of its CPU time.
 *
 * Two kinds: the task clock of perf events, which expires at any time, but is used only where it
 * may expire in kernel mode, too (else code that causes page faults would get too few samples); and
 * POSIX timers on the thread's CPU clock, which expire at ticks of the system. With perf events, a
 * timer watches whether samples still arrive, since the program may close all descriptors.
 *
 * Each expiry is followed by none until the next one is set: a thread that blocks its signals has
 * one of them pending.
 */
#ifndef FERMATA_RECORD_SAMPLING_SAMPLE_CLOCK_H
#define FERMATA_RECORD_SAMPLING_SAMPLE_CLOCK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/** The clock of one thread. */
struct fm_sample_clock {
    timer_t timer;       /**< gives the samples, or watches */
    bool is_perf;        /**< the perf event gives the samples */
    int descriptor;      /**< of the perf event */
    uint64_t identifier; /**< of the perf event in the kernel */
};

/** The signal of a sampling clock. */
enum fm_sample_expiry {
    FM_EXPIRY_OTHER,  /**< not from this clock */
    FM_EXPIRY_SAMPLE, /**< a sample is due; fm_sample_clock_set has to be called */
    FM_EXPIRY_WATCH,  /**< fm_sample_clock_is_stuck is to be asked */
};

/** CPU time of the calling thread in nanoseconds. */
uint64_t fm_sample_clock_now(void);

/** Nanoseconds since the system's coarse clock advanced, which it does once in a tick. */
uint64_t fm_sample_clock_since_tick(void);

/** Makes a clock of the calling thread, which does not run yet.
 * @param with_perf  use the task clock of perf events
 * @param number     of the signal
 * @return 0, or the reason (errno): there is no clock. */
int fm_sample_clock_make(struct fm_sample_clock *clock, bool with_perf, int number);

/** Sets the next expiry of the calling thread's clock. Safe in signal handlers; errno is not
 * preserved.
 * @param period  nanoseconds of the thread's CPU time until then, more than 0
 * @return false: the perf event does not exist any more (errno) */
bool fm_sample_clock_set(const struct fm_sample_clock *clock, uint64_t period);

/** @return what has sent a signal of the clock's number */
enum fm_sample_expiry fm_sample_clock_expiry(const struct fm_sample_clock *clock,
                                             const siginfo_t *info);

/** Whether no sample has arrived for so long that the perf event must be gone.
 * @param silent  CPU time of the thread since the last expiry
 * @param mean    mean period of the samples */
bool fm_sample_clock_is_stuck(uint64_t silent, uint64_t mean);

/** Lets the timer give the samples from the next fm_sample_clock_set on. The descriptor is not
 * closed: it may be another file of the program by now. Safe in signal handlers. */
void fm_sample_clock_use_timer(struct fm_sample_clock *clock);

/** Ends a clock; called by any thread of the process. */
void fm_sample_clock_end(struct fm_sample_clock *clock);

/** Tries whether the calling thread may be sampled in kernel mode by perf events.
 * @return 0, or the reason (errno) */
int fm_sample_clock_try_perf(void);

#endif
