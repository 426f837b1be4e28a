/** @file
 * The points that pairs of locations share, and the intervals that end in their wait states
 * [H17 Defs 4, 5, 8, 9].
 *
 * A location's time is walked once, from one point to the next. For each partner (and for each
 * communicator) the walk remembers what the location had done up to their latest point, so that
 * what it did in an interval is a difference, however long the interval is.
 */
#ifndef FERMATA_ANALYSIS_CAUSES_INTERVALS_H
#define FERMATA_ANALYSIS_CAUSES_INTERVALS_H

#include "analysis/model/busy_time.h"
#include "analysis/model/group_points.h"
#include "base/containers/map.h"

/** Tells a location that another one waits for it. */
struct fm_wait_notice {
    uint64_t t;
    uint32_t location; /**< that causes the wait state */
    uint32_t activity; /**< its call, whose begin (of a contention: end) is the cause */
    uint32_t waiter;   /**< location */
    uint32_t number;   /**< of the wait state in the waiter's list */
    uint32_t contention;
    uint32_t delay_kind;
};

/** An interval as one of the two locations sees it. */
struct fm_interval {
    uint64_t begin;      /**< time of the point that begins it; 0: the location's first event */
    uint32_t first_wait; /**< the location's wait states that end inside: first_wait .. */
    uint32_t wait_end;   /**< ... wait_end - 1 */
    uint32_t count;      /**< nodes of the call tree in which time was spent, without waiting */
    const uint32_t *visits;
    const uint64_t *ticks;
    bool is_repeated; /**< of those that end in what other locations wait for: nodes and ticks are
                         the same as in the one before */
};

/** Who wants to know the intervals. The interval is valid during the call. */
struct fm_interval_handler {
    void *context;
    /** Interval that ends in the location's wait state `number`. */
    void (*own)(void *context, uint32_t number, const struct fm_interval *interval);
    /** Interval that ends in what another location waits for: the number of its notice. */
    void (*caused)(void *context, uint32_t number, const struct fm_interval *interval);
};

/** What a location did in the last examined interval: for one walk at a time.
 * `struct fm_difference d = {0};` is an empty one. */
struct fm_difference {
    uint32_t *visits;
    uint64_t *ticks;
    uint32_t count, capacity;
    uint32_t
        vector;    /**< of the remembered point where it begins; FM_NONE: it is no such interval */
    uint64_t time; /**< of its end */
    bool is_told;  /**< with the last interval that ended in what another location waits for */
    struct fm_profile profile;
};

void fm_difference_free(struct fm_difference *difference);

struct fm_interval_walk;

/** @return a walk through the busy time of a location, to be freed with fm_interval_walk_free().
 * The busy time must not have been walked.
 * @param difference  that all walks of a worker share */
struct fm_interval_walk *fm_interval_walk_create(const struct fm_analysis *analysis,
                                                 struct fm_busy_time *busy_time,
                                                 const struct fm_group_points *points,
                                                 uint32_t location,
                                                 struct fm_difference *difference);
void fm_interval_walk_free(struct fm_interval_walk *walk);

/** Walks to `until` (included) and reports all intervals that end on the way, also the begin of
 * each to the wait list of the busy time.
 * @param notices  those to the location whose times lie on the way, ascending by time
 * @param count    of notices */
void fm_interval_walk_to(struct fm_interval_walk *walk, uint64_t until,
                         const struct fm_wait_notice *notices, uint32_t count,
                         const struct fm_interval_handler *handler);

#define FM_INTERVAL_WALK_STAGES 2

/** Fetches what fm_interval_walk_to() looks at first, where a worker goes from one location to the
 * next, in two stages. */
void fm_interval_walk_prefetch(const struct fm_interval_walk *walk, unsigned stage);

/** Computes what a location does from `begin` to `end`, where the other location knows another
 * begin than this one. Valid until the walk goes on. */
void fm_interval_walk_look(struct fm_interval_walk *walk, uint64_t begin, uint64_t end,
                           struct fm_interval *interval);

#endif
