/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The points that pairs of locations share, and the intervals that end in their wait states [H17
 * Defs 4, 5, 8, 9].
 *
 * A walk visits the points of a location once, in the order of time. For each partner (and for each
 * communicator) it keeps a snapshot of the location's profile at their latest point, so that the
 * profile of an interval is a difference of two, independent of the length of the interval.
 */
#ifndef FERMATA_ANALYSIS_CAUSES_INTERVALS_H
#define FERMATA_ANALYSIS_CAUSES_INTERVALS_H

#include "analysis/model/busy_time.h"
#include "analysis/model/group_points.h"
#include "base/containers/map.h"

/** Sent to the causing location of a wait state. */
struct fm_wait_notice {
    uint64_t t;
    uint32_t location; /**< causing location */
    uint32_t activity; /**< its call, whose begin (of a contention: end) is the cause */
    uint32_t waiter;   /**< location */
    uint32_t number;   /**< of the wait state in the waiter's list */
    uint32_t contention;
    uint32_t delay_kind;
};

/** An interval on one of its two locations. */
struct fm_interval {
    uint64_t begin;      /**< time of the point that begins it; 0: no point, it begins with the
                            location's first event */
    uint32_t first_wait; /**< the location's wait states that end inside: first_wait .. */
    uint32_t wait_end;   /**< ... wait_end - 1 */
    uint32_t count;      /**< nodes of the call tree in which time was spent, without waiting */
    const uint32_t *visits;
    const uint64_t *ticks;
    bool is_repeated; /**< passed to `caused` only: nodes and ticks are the same as in the call
                         before */
};

/** Receives the intervals of a walk. The interval is valid during the call. */
struct fm_interval_handler {
    void *context;
    /** Called for an interval that ends in the location's own wait state `number`. */
    void (*own)(void *context, uint32_t number, const struct fm_interval *interval);
    /** Called for an interval that ends in another location's wait state; `number`: of its
     * notice. */
    void (*caused)(void *context, uint32_t number, const struct fm_interval *interval);
};

/** Profile of a location in the last interval; belongs to one walk at a time. `struct fm_difference
 * d = {0};` is an empty one. */
struct fm_difference {
    uint32_t *visits;
    uint64_t *ticks;
    uint32_t count, capacity;
    uint32_t vector; /**< of the snapshot at its begin; FM_NONE: not made from a snapshot */
    uint64_t time;   /**< of its end */
    bool is_told;    /**< already passed to `caused` */
    struct fm_profile profile;
};

void fm_difference_free(struct fm_difference *difference);

struct fm_interval_walk;

/** @return a walk through the busy time of a location, to be freed with fm_interval_walk_free().
 * The busy time must not have been walked.
 * @param difference  memory that all walks of a worker share */
struct fm_interval_walk *fm_interval_walk_create(const struct fm_analysis *analysis,
                                                 struct fm_busy_time *busy_time,
                                                 const struct fm_group_points *points,
                                                 uint32_t location,
                                                 struct fm_difference *difference);
void fm_interval_walk_free(struct fm_interval_walk *walk);

/** Walks to `until` (included) and reports all intervals that end on the way; also writes the begin
 * of each own interval to the wait list of the busy time.
 * @param notices  those to the location with times on the way, ascending by time
 * @param count    of notices */
void fm_interval_walk_to(struct fm_interval_walk *walk, uint64_t until,
                         const struct fm_wait_notice *notices, uint32_t count,
                         const struct fm_interval_handler *handler);

#define FM_INTERVAL_WALK_STAGES 2

/** Prefetches the tables that fm_interval_walk_to() reads first, in two stages; for a worker that
 * walks one location after the other. */
void fm_interval_walk_prefetch(const struct fm_interval_walk *walk, unsigned stage);

/** Computes the profile of a location from `begin` to `end`, for an interval whose begin differs
 * between the two locations. Valid until the walk continues. */
void fm_interval_walk_look(struct fm_interval_walk *walk, uint64_t begin, uint64_t end,
                           struct fm_interval *interval);

#endif
