/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The causes of waiting in a run whose functions are known by samples.
 *
 * Delays are differences of estimates. What a location has caused is charged to those of its call
 * paths whose differences to the waiters, summed up over all wait states that it has caused, are
 * significant (cause_tree.h), and to the functions that a descent finds for them (descent.h). With
 * delta(c) the excess of such a call path in the interval of a wait state, and `what` the waiting
 * of the location in it, they get delta(c) / D of the cost, the location's own wait states what /
 * D, with D = max(waiting time, sum of delta + what). What is left is variation: that this location
 * was the last one is not known to be more than chance. So is the excess of a caller that holds all
 * stretches, on a location that is not later than others in the mean.
 */
#ifndef FERMATA_ANALYSIS_PROBLEMS_SAMPLED_SAMPLED_CAUSES_H
#define FERMATA_ANALYSIS_PROBLEMS_SAMPLED_SAMPLED_CAUSES_H

#include "analysis/causes/formation.h"
#include "cube/model/cube_problem.h"

/** A function that is a cause. */
struct fm_sampled_cause {
    double error;      /**< standard error of its excess, as a part of it */
    double share;      /**< of the excess of `replaced` */
    uint32_t visit;    /**< node */
    uint32_t replaced; /**< call path of the caller that it stands for; FM_NONE: none */
    uint32_t candidate_count;
    uint32_t candidates[FM_CUBE_CANDIDATES]; /**< call paths below it, one of which it may be */
};

/** Those of one location. */
struct fm_sampled_causes {
    FM_VECTOR(struct fm_sampled_cause) items;
    struct fm_map of_visit; /**< node -> row */
};

/** Finds the causes, and charges the wait states to them: replaces the parts of what each location
 * has caused (caused_waits.h). The node behind the last one of a location stands for variation.
 * `phi` has to be computed anew afterwards. Runs stages; collective.
 * @return [location]; NULL: the trace has no samples, nothing was changed */
struct fm_sampled_causes *fm_sampled_causes_find(struct fm_formation *formation);

/** NULL is allowed. */
void fm_sampled_causes_free(struct fm_sampled_causes *causes, uint32_t location_count);

/** @return the cause that a node is; NULL: none, or its times are exact. NULL is allowed. */
const struct fm_sampled_cause *fm_sampled_cause_at(const struct fm_sampled_causes *causes,
                                                   uint32_t location, uint32_t visit);

#endif
