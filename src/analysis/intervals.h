/** @file
 * The points that pairs of locations share, and the intervals that end in their wait states
 * [H17 Defs 4, 5, 8, 9].
 */
#ifndef FERMATA_ANALYSIS_INTERVALS_H
#define FERMATA_ANALYSIS_INTERVALS_H

#include "analysis/formation.h"

/** A wait state of another location whose cause is this one. */
struct fm_incoming_wait {
    uint64_t t;
    uint32_t waiter;   /**< location */
    uint32_t wait;     /**< number in the waiter's list */
    uint32_t activity; /**< causing call, of this location */
    bool contention;
};

/** A point that a location shares with one other location. */
struct fm_pair_point {
    uint64_t t;
    uint32_t partner; /**< location */
    bool contention;
};

struct fm_shared_points;

/** The points of one location. */
struct fm_points {
    FM_VECTOR(struct fm_incoming_wait) incoming; /**< descending by time, then by waiter and wait */
    FM_VECTOR(struct fm_pair_point) pairs;       /**< ascending by partner and time */
    FM_VECTOR(struct fm_group_point) groups;     /**< ascending by communicator and time */
    const struct fm_shared_points *shared;       /**< what is known of all locations */
};

/** Collects the points of all locations. Runs phases; collective.
 * @return [location], to be freed with fm_points_free(); those owned elsewhere are empty */
struct fm_points *fm_points_collect(struct fm_formation *formation);

void fm_points_free(struct fm_points *points, uint32_t location_count);

/** @return the begin of the interval that ends in a wait state of `location`, which is owned here,
 * for `partner`, which may be any, at `t`: time of the latest earlier point that both share
 * (synchronization points only, unless `contention`); 0: none, each begins at its own first event.
 */
uint64_t fm_interval_begin(const struct fm_trace *trace, const struct fm_points *points,
                           uint32_t location, uint32_t partner, uint64_t t, bool contention);

#endif
