/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The sampling rate that a run obtained: how often the sampling timers of its threads fired in a
 * second of the CPU time that these timers measured. A timer that fires within a recorded call
 * gives no sample, so that the rate does not depend on the share of the run that is spent in calls.
 */
#ifndef FERMATA_RECORD_SAMPLING_OBTAINED_RATE_H
#define FERMATA_RECORD_SAMPLING_OBTAINED_RATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The clocks of samples, as messages and environment.json name them. */
#define FM_SAMPLED_BY_PERF   "perf task clock"
#define FM_SAMPLED_BY_TIMERS "CPU timers"

/** Names the clocks that sampled a run. */
const char *fm_sample_clock_name(bool by_perf, bool by_timers);

/** What a run measured of its sampling timers; sums over all sampled threads. */
struct fm_obtained_rate {
    double asked;     /**< rate that the user asked for, in Hz; 0: none, the default applies */
    uint64_t signals; /**< how often timers fired, also within recorded calls */
    uint64_t cpu;     /**< CPU time of the threads while they had a timer, nanoseconds */
    uint32_t ticks;   /**< of the system in a second (fm_system_ticks); 0: not known, or perf's
                           clock was used, which does not depend on them */
};

/** @return how often timers fired in a second of CPU time; 0: they never fired */
double fm_obtained_rate(const struct fm_obtained_rate *run);

/** States that the obtained rate is below 80 % of the rate asked for, and the reason if the facts
 * prove one: the timers fired about as often as the system ticks. Shorter runs than one second of
 * CPU time, or 20 periods, are not judged.
 * @param text  receives a sentence without a full stop (size bytes)
 * @return whether there is something to state; else the text is unchanged */
bool fm_obtained_rate_describe(const struct fm_obtained_rate *run, char *text, size_t size);

/** States that CPU timers cannot fire as often as asked for, because the system ticks less often,
 * and what they give. Only `asked` and `ticks` are read.
 * @param text  receives a sentence without a full stop (size bytes)
 * @return whether there is something to state; else the text is unchanged */
bool fm_obtained_rate_expect_less(const struct fm_obtained_rate *run, char *text, size_t size);

/** Derives the ticks of the system in a second (CONFIG_HZ) from the resolution of the coarse clock,
 * which advances with each tick. Timers on CPU clocks fire at ticks only.
 * @return 0: the resolution is not that of a tick */
uint32_t fm_system_ticks(void);

#endif
