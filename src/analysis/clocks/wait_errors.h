/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * By how much measured times may be wrong (docs/clocks.md).
 *
 * A wait of w ticks lies between the Enter of the waiting call, by the clock of its location, and
 * the event that ends it, by the clock of another location. Its error is
 *
 *     1 + 2 c + w R / T + d + r
 *
 * with c = cost of recording a call (once at both ends, and a tick for the rounding), R / T = share
 * of recording in the time of all locations, d = what the two clocks may differ, r = how long the
 * recorder read processor times in the computation before the two calls. What derives from waits
 * has its error by the same rule:
 *
 * * Sums: the sum of the errors, as if all waits were wrong in the same direction.
 * * The part of a wait in an interval of the waiting process (min(end) - max(begin)): the error of
 *   the wait, since minimum and maximum do not enlarge differences, and the ends of the interval
 *   are by the clock of the wait's begin.
 * * A segment of the critical path: it begins at a turn, where a wait ends by the clock of another
 *   location, and ends by its own clock. So a turn is wrong by 1 + 2 c + d, and what the path does
 *   by the recorder's share of its time.
 */
#ifndef FERMATA_ANALYSIS_CLOCKS_WAIT_ERRORS_H
#define FERMATA_ANALYSIS_CLOCKS_WAIT_ERRORS_H

#include "analysis/model/run.h"

/** How long the recorder read processor times in the computation before a call. */
struct fm_call_reading {
    uint64_t ticks;
    struct fm_call_ref call;
};

/** What errors depend on; NULL: errors are not known. */
struct fm_wait_errors {
    const struct fm_analysis *analysis;
    uint32_t *node_of;        /**< [process]; NULL: all have one clock */
    uint64_t recording, time; /**< of all locations: the cost of recorded calls and their time */
    FM_VECTOR(struct fm_call_reading) readings; /**< ascending by location and activity */
};

/** To be called when the events of all locations were read. Collective.
 * @return to be freed with fm_wait_errors_free(); NULL: errors are not known */
struct fm_wait_errors *fm_wait_errors_create(const struct fm_analysis *analysis);

void fm_wait_errors_free(struct fm_wait_errors *errors);

/** @return by how many ticks a wait may be wrong; 0 if errors are not known
 * @param waiting  the call that waits
 * @param cause    the call that it waits for; location == FM_NONE: unknown, taken for one of
 * another node */
uint64_t fm_wait_error(const struct fm_wait_errors *errors, struct fm_call_ref waiting,
                       struct fm_call_ref cause, uint64_t wait);

/** @return by how many ticks the time may be wrong at which a wait of a location ends, by its own
 * clock; 0 if errors are not known
 * @param cause  location that it waits for; FM_NONE: as in fm_wait_error() */
uint64_t fm_turn_error(const struct fm_wait_errors *errors, uint32_t location, uint32_t cause);

/** The recorder's own time: the cost of recorded calls, and of readings of processor times. */
struct fm_recorder_time {
    uint64_t all;     /**< ticks of all locations together */
    uint64_t largest; /**< of one location */
    uint64_t of;      /**< time of all locations */
};

/** @return all 0 if errors are not known. O(locations + readings) */
struct fm_recorder_time fm_recorder_time(const struct fm_wait_errors *errors);

/** @return the recorder's share of a time, ticks. */
static inline uint64_t fm_recorder_share(const struct fm_recorder_time *recorder, uint64_t ticks)
{
    return recorder->of == 0 ? 0
                             : (uint64_t)((unsigned __int128)ticks * recorder->all / recorder->of);
}

#endif
