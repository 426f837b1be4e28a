/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * By how much the times of the causing location differ from those of the waiter in the intervals
 * before wait states, call path by call path. Kept for traces with samples, where only the sums
 * over many wait states tell which of the differences are real.
 */
#ifndef FERMATA_ANALYSIS_CAUSES_SIDE_DIFFERENCES_H
#define FERMATA_ANALYSIS_CAUSES_SIDE_DIFFERENCES_H

#include "analysis/causes/profile_excess.h"
#include "base/containers/map.h"

/** Difference of the times in a call path, without what it calls. */
struct fm_path_difference {
    int64_t ticks; /**< of the cause less that of the waiter */
    uint32_t callpath;
};

/** A wait state, by its position among those that the location has caused. */
struct fm_wait_difference {
    uint64_t begin;      /**< of the interval on both sides; 0: it begins with the first event */
    uint32_t first, end; /**< differences; none: of a contention */
};

/** Sums over all wait states that a location has caused. */
struct fm_path_total {
    uint64_t own, waiters; /**< ticks */
    uint32_t callpath;
};

/** Those of one location that has caused wait states. */
struct fm_side_differences {
    FM_VECTOR(struct fm_wait_difference) waits;
    FM_VECTOR(struct fm_path_difference) items;
    FM_VECTOR(struct fm_path_total) totals;
    struct fm_map total_of; /**< call path -> its row */
    struct fm_map node_of;  /**< call path -> node */
};

/** @return for a location; to be freed with fm_side_differences_free() */
struct fm_side_differences *fm_side_differences_create(const struct fm_location *location);
void fm_side_differences_free(struct fm_side_differences *differences);

/** Notes the differences of a synchronization. Functions of libraries are part of the function of
 * the program that calls them (fm_trace_function_of).
 * @param waiter_time  [call path]: time of the waiter; is overwritten
 * @param position     of the wait state
 * @param begin        of the interval */
void fm_side_differences_note(struct fm_side_differences *differences, const struct fm_trace *trace,
                              const struct fm_sides *sides, uint64_t *waiter_time,
                              uint32_t position, uint64_t begin);

#endif
