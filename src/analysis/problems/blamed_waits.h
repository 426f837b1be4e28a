/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The wait states that are charged by blame: for locks and for progress. Each is divided into parts
 * in which one call path of one location is blamed (causes/blame/blame.h). What library calls are
 * blamed for inside an epoch of the lock that is waited for is charged to the lock.
 */
#ifndef FERMATA_ANALYSIS_PROBLEMS_BLAMED_WAITS_H
#define FERMATA_ANALYSIS_PROBLEMS_BLAMED_WAITS_H

#include "analysis/causes/charge.h"
#include "analysis/locks/lock_uses.h"

/** A part of the waiting part of a wait state. */
struct fm_blamed_part {
    uint64_t from, to;
    uint32_t number;   /**< of the wait state in its location's list */
    uint32_t location; /**< that is blamed */
    uint32_t callpath; /**< of the function of the program (fm_trace_function_of); FM_NONE: the
                          location is outside of all regions */
    uint32_t problem;  /**< number of the shown problem; FM_NONE: none, or not known yet */
    uint8_t kind;      /**< enum fm_cause_kind; FM_CAUSE_UNATTRIBUTED: no call path is blamed */
    bool is_for_lock;  /**< the wait state waits for a lock then */
    bool is_inside;    /**< the blamed location is in an epoch of the lock that is waited for */
};

struct fm_blamed_wait {
    double cost;         /**< ticks: its waiting, and the waiting that it has caused in turn */
    uint64_t wait;       /**< ticks of its waiting */
    fm_lock_key_t lock;  /**< that is waited for; FM_NO_LOCK: none */
    uint32_t number;     /**< in its location's list */
    uint32_t first, end; /**< parts */
};

/** Those of one location. */
struct fm_blamed_waits {
    FM_VECTOR(struct fm_blamed_wait) waits; /**< ascending by number */
    FM_VECTOR(struct fm_blamed_part) parts; /**< by wait state and time */
};

/** Books the blame (fm_blame_book()) and notes who is blamed for the wait states that are charged
 * by blame: their parts, in no particular order. The parameters are those of fm_blame_book(). Runs
 * stages; collective.
 * @return [location], those owned here; to be freed with fm_blamed_waits_free(); NULL: no wait
 * state of the run is charged by blame */
struct fm_blamed_waits *fm_blamed_waits_note(struct fm_formation *formation, uint64_t begin,
                                             struct fm_cube_statistics *statistics, uint32_t count);

/** Adds the wait states and their costs, and sorts their parts. `phi` of the caused wait states is
 * that of fm_propagate_without(). Runs stages; collective. */
void fm_blamed_waits_complete(const struct fm_formation *formation, struct fm_blamed_waits *blamed);

/** NULL is allowed. */
void fm_blamed_waits_free(struct fm_blamed_waits *blamed, uint32_t location_count);

/** @return the cost of a part in ticks. */
static inline double fm_blamed_cost(const struct fm_blamed_wait *wait,
                                    const struct fm_blamed_part *part)
{
    return wait->cost * ((double)(part->to - part->from) / (double)wait->wait);
}

#endif
