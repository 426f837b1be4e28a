/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The end of a run that was recorded to its end: the combined facts of all processes, and the
 * description of the run.
 */
#ifndef FERMATA_RECORD_CLOSING_CLOSING_H
#define FERMATA_RECORD_CLOSING_CLOSING_H

#include "record/archive/exchange.h"
#include "record/closing/clock_check.h"
#include "record/closing/overhead.h"
#include "record/experiment/experiment.h"

/** Facts of a process; after fm_closing_combine of all processes. All members are 64-bit numbers,
 * because the structures are reduced as arrays. */
struct fm_closing {
    struct fm_closing_sums {
        uint64_t bytes, events, locations, flushes;
        uint64_t stopped; /**< processes that ended recording for lack of space */
        uint64_t reused_locations;
        uint64_t thinned; /**< processes whose phases lack iterations because of the size limit */
        uint64_t limited; /**< processes whose recording paused at the size limit */
        uint64_t samples, samples_lost;
        uint64_t sample_signals;        /**< how often sampling timers fired */
        uint64_t sampled_cpu;           /**< CPU time that these timers measured, nanoseconds */
        uint64_t sampling;              /**< time spent on samples, nanoseconds */
        uint64_t delivery;              /**< of the signals of samples, nanoseconds, an estimate */
        uint64_t sampled_by_perf;       /**< processes with threads that perf events sampled */
        uint64_t sampled_by_timers;     /**< likewise CPU timers */
        uint64_t functions_dropped;     /**< visits of instrumented functions, too short */
        uint64_t work;                  /**< CPU time of the recorder, nanoseconds */
        uint64_t run, run_delay;        /**< fm_processor_span() of the processes, nanoseconds */
        struct fm_overhead_costs costs; /**< of all threads */
    } sums;
    struct fm_closing_least {
        uint64_t begin;   /**< of the run, in rank 0's time */
        uint64_t opening; /**< duration of the begin of recording, nanoseconds; the minimum is that
                               of the process that entered last and did not wait for others */
    } least;
    struct fm_closing_most {
        uint64_t end;        /**< latest event, in rank 0's time */
        uint64_t arrival;    /**< begin of the recorder's work at the end, in rank 0's time */
        uint64_t deviation;  /**< of clocks, ticks */
        uint64_t recording;  /**< time of a thread spent on recording, without `writing`,
                                  nanoseconds */
        uint64_t writing;    /**< time of a thread spent on writing buffers, waiting included */
        uint64_t unmeasured; /**< that it may have spent beyond that, or waited for the recording
                                  of other threads */
        uint64_t memory;     /**< of the recorder in a process, bytes */
    } most;
    struct fm_clock_quality clock;
};

/** Bounds of the present moment in rank 0's time. */
struct fm_closing_moment {
    uint64_t earliest, latest;
};

/** Combines the facts of all processes. Collective; all processes get the result. Also checks
 * whether the clocks agree with the order of its own operations (fm_clock_quality.disorder).
 * @param now  reads the present time */
void fm_closing_combine(struct fm_closing *closing, const struct fm_exchange *exchange,
                        struct fm_closing_moment (*now)(void));

/** Adds of the combined facts what recording has cost; parameters as below. */
void fm_closing_describe_overhead(const struct fm_closing *closing, uint64_t now,
                                  struct fm_environment *facts);

/** Adds the combined facts to the description of the experiment, except `failure`.
 * @param now    present moment in rank 0's time
 * @param facts  with `resolution` and `ranks` set
 * @param text   room for the texts that the facts refer to, of `size` bytes */
void fm_closing_describe(const struct fm_closing *closing, uint64_t now,
                         struct fm_environment *facts, char *text, size_t size);

#endif
