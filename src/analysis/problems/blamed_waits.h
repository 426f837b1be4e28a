/** @file
 * The wait states that are charged by blame: for locks and for progress. Each is divided into parts
 * in which one call path of one location is blamed (causes/blame/blame.h).
 */
#ifndef FERMATA_ANALYSIS_PROBLEMS_BLAMED_WAITS_H
#define FERMATA_ANALYSIS_PROBLEMS_BLAMED_WAITS_H

#include "analysis/problems/charge.h"

/** A part of the waiting part of a wait state. */
struct fm_blamed_part {
    uint64_t from, to;
    uint32_t number;   /**< of the wait state in its location's list */
    uint32_t location; /**< that is blamed */
    uint32_t callpath; /**< FM_NONE: the location is outside of all regions */
    uint32_t kind;     /**< enum fm_cause_kind; FM_CAUSE_UNATTRIBUTED: no call path is blamed */
    uint32_t problem;  /**< number of the shown problem; FM_NONE: none, or not known yet */
    uint32_t unused;
};

struct fm_blamed_wait {
    double cost;         /**< ticks: its waiting, and the waiting that it has caused in turn */
    uint64_t wait;       /**< ticks of its waiting */
    uint32_t number;     /**< in its location's list */
    uint32_t first, end; /**< parts */
};

/** Those of one location. */
struct fm_blamed_waits {
    FM_VECTOR(struct fm_blamed_wait) waits; /**< ascending by number */
    FM_VECTOR(struct fm_blamed_part) parts; /**< by wait state and time */
};

/** Finds out who is blamed. `phi` of the caused wait states is that of fm_propagate_without(). Runs
 * stages; collective.
 * @return [location], those owned here; to be freed with fm_blamed_waits_free() */
struct fm_blamed_waits *fm_blamed_waits_find(const struct fm_formation *formation);

/** NULL is allowed. */
void fm_blamed_waits_free(struct fm_blamed_waits *blamed, uint32_t location_count);

/** @return the wait state with this number, which must be charged by blame; NULL if nothing is
 * known of it */
const struct fm_blamed_wait *fm_blamed_wait(const struct fm_blamed_waits *blamed, uint32_t number);

/** @return the cost of a part in ticks. */
static inline double fm_blamed_cost(const struct fm_blamed_wait *wait,
                                    const struct fm_blamed_part *part)
{
    return wait->cost * ((double)(part->to - part->from) / (double)wait->wait);
}

#endif
