/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * When a thread is sampled next, and the weight of a sample. All times are nanoseconds of the
 * thread's CPU clock.
 *
 * Jitter: each period is drawn uniformly from half of the mean period to one and a half of it, so
 * that instants are independent of the program's rhythm. The instants are a process of their own:
 * they do not depend on when the handler runs, which is late after long work in the kernel. All
 * instants that have passed by then count as one sample. (If the next period began with the
 * handler, the code after such work would be sampled too early, and its last samples would be
 * missing.)
 *
 * Ticks: of a clock that expires at ticks only, a sample is due at the first tick after an instant.
 * Periods are then at least one tick, which narrows the jitter. At mean periods up to a tick, each
 * tick gives a sample, and the instants are those at which a clock of that period advances
 * (CLOCK_MONOTONIC_COARSE), also with a late handler.
 *
 * Weight: the time from the instant before to the last one that has passed.
 *
 * Rate: if the user has chosen no rate, the mean period is the shortest at which samples take
 * FM_SAMPLE_COST_THOUSANDTHS of the thread's CPU time, by what they have taken so far.
 *
 * Safe in signal handlers: integers only, and no call of the C library.
 */
#ifndef FERMATA_RECORD_SAMPLING_SAMPLE_PERIOD_H
#define FERMATA_RECORD_SAMPLING_SAMPLE_PERIOD_H

#include <stdbool.h>
#include <stdint.h>

/** Largest share of the CPU time of a thread that samples may take, thousandths. */
enum { FM_SAMPLE_COST_THOUSANDTHS = 3 };

/** A sample weighs at most this number of mean periods. */
enum { FM_SAMPLE_WEIGHT_PERIODS = 3 };

/** The sampling period of a thread. */
struct fm_sample_period {
    uint64_t shortest; /**< mean period at the highest rate, or at the rate of the user */
    bool adapts;       /**< the mean period depends on the cost of samples */
    uint64_t tick;     /**< the clock expires at multiples of this time; 0: at any time */
    uint64_t random;   /**< state of the generator of jitter; not 0 */
    uint64_t mean;     /**< present mean period */
    uint64_t begin;    /**< of sampling */
    uint64_t now;      /**< of the last expiry, at first the begin */
    uint64_t last;     /**< instant of the last expiry, at first the begin */
    uint64_t next;     /**< the next instant */
    uint64_t spent;    /**< time that samples have taken since the begin */
    uint64_t each;     /**< moving average of the time that a sample takes, in 1/16 ns */
};

/** Begins sampling, and plans the first expiry.
 * @param shortest  mean period at the highest rate, at least 1000
 * @param adapts    whether the rate may be lower, if samples take too long
 * @param tick      as in the structure
 * @param seed      of the jitter, any number
 * @param now       CPU time of the thread
 * @return when the first expiry is due, later than now */
uint64_t fm_sample_period_begin(struct fm_sample_period *period, uint64_t shortest, bool adapts,
                                uint64_t tick, uint64_t seed, uint64_t now);

/** Notes an expiry, in a recorded call or outside.
 * @param now   CPU time of the thread
 * @param late  time since the last instant, if these are at ticks; else ignored
 * @return weight of a sample that is taken now, at most FM_SAMPLE_WEIGHT_PERIODS mean periods */
uint64_t fm_sample_period_expire(struct fm_sample_period *period, uint64_t now, uint64_t late);

/** Plans the next expiry after the one that was noted.
 * @param cost  time that the expiry before it has taken; 0: there was none
 * @return when it is due, later than that */
uint64_t fm_sample_period_next(struct fm_sample_period *period, uint64_t cost);

/** Mean period that the clock can give: the mean period, or one tick if that is longer. */
uint64_t fm_sample_period_mean(const struct fm_sample_period *period);

/** Draws a period, uniformly.
 * @param random  state of the generator (xorshift), not 0
 * @param mean    below 2^32
 * @param jitter  largest difference from the mean, at most half of it */
uint64_t fm_sample_period_draw(uint64_t *random, uint64_t mean, uint64_t jitter);

#endif
