/** @file
 * The end of a run that was recorded to its end: the combined facts of all processes, and
 * how it is described.
 */
#ifndef FERMATA_RECORD_CLOSING_CLOSING_H
#define FERMATA_RECORD_CLOSING_CLOSING_H

#include "record/archive/exchange.h"
#include "record/closing/clock_check.h"
#include "record/closing/overhead.h"
#include "record/experiment/experiment.h"

/** Of a process; after fm_closing_combine of all. All are 64-bit numbers. */
struct fm_closing {
    struct fm_closing_sums {
        uint64_t bytes, events, locations, flushes;
        uint64_t stopped; /**< processes that ended recording for want of room */
        uint64_t reused_locations;
        uint64_t samples, samples_lost;
        uint64_t functions_dropped; /**< visits of instrumented functions */
        uint64_t work;              /**< CPU time of the recorder, nanoseconds */
    } sums;
    struct fm_closing_least {
        uint64_t begin;   /**< of the run, in rank 0's time */
        uint64_t opening; /**< time that the begin of recording took, nanoseconds: that of the
                               process that came last, which waited for none */
    } least;
    struct fm_closing_most {
        uint64_t end;       /**< latest event, in rank 0's time */
        uint64_t arrival;   /**< begin of the end, in rank 0's time */
        uint64_t deviation; /**< of clocks, ticks */
        uint64_t recording; /**< by a thread, nanoseconds */
        uint64_t memory;    /**< of the recorder, bytes */
    } most;
    struct fm_clock_quality clock;
};

/** The present moment in rank 0's time, as exactly as it is known. */
struct fm_closing_moment {
    uint64_t earliest, latest;
};

/** Combines the facts of all processes. Collective; all get the result. On the way it finds
 * out whether the clocks agree on the order of what happens in it (fm_clock_quality.disorder).
 * @param now  reads the present time */
void fm_closing_combine(struct fm_closing *closing, const struct fm_exchange *exchange,
                        struct fm_closing_moment (*now)(void));

/** Adds what was combined to the facts that describe the experiment: all but `failure`.
 * @param facts  has `resolution`
 * @param rates  what records cost
 * @param now    rank 0's time
 * @param text   room for the texts that the facts refer to, of `size` bytes */
void fm_closing_describe(const struct fm_closing *closing, const struct fm_overhead_rates *rates,
                         uint64_t now, struct fm_environment *facts, char *text, size_t size);

#endif
