/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Collective instances of which only the last Enter and the first Leave matter: each worker
 * summarizes its own members, so that only a few records for each instance are exchanged.
 */
#ifndef FERMATA_ANALYSIS_COLLECTIVE_GATHERING_H
#define FERMATA_ANALYSIS_COLLECTIVE_GATHERING_H

#include "analysis/collective/instance.h"

/** Summary of an instance's members. */
struct fm_gathered {
    uint64_t enter;              /**< of the member that entered last; ties: the lowest rank */
    uint64_t first_leave;        /**< earliest Leave of a member's waiting call */
    uint64_t first_start_leave;  /**< ... of the call that took part */
    uint32_t location, activity; /**< call of the last member that took part in the operation */
    uint32_t rank;               /**< of the last member */
    uint32_t communicator;
    uint32_t members; /**< number of members added; 0: there is no such instance */
    uint8_t call;     /**< fm_call_t */
    bool is_mixed;    /**< members called different operations */
    bool is_whole;    /**< all members are added and called the same operation */
};

struct fm_gathering;

/** @return an empty gathering, to be freed with fm_gathering_free(). */
struct fm_gathering *fm_gathering_create(struct fm_analysis *analysis);
void fm_gathering_free(struct fm_gathering *gathering);

/** Adds a member. To be called in a stage, for the members of a process in the order of their
 * ordinals, which begin with 0 for each scope and series; some may be missing. */
void fm_gathering_add(struct fm_gathering *gathering, unsigned worker,
                      const struct fm_member *member);

/** Combines the summaries of all workers, and counts instances that are incomplete or mixed as
 * omissions. Runs stages; collective. */
void fm_gathering_close(struct fm_gathering *gathering);

/** After fm_gathering_close(): finds the instance of a member.
 * @param found  out
 * @return whether it is complete and of one kind */
bool fm_gathering_find(struct fm_gathering *gathering, unsigned worker,
                       const struct fm_member *member, struct fm_gathered *found);

/** Reports the wait of a member for the last one, if it waits. */
void fm_gathered_wait(const struct fm_finder *finder, const struct fm_member *member,
                      const struct fm_gathered *all, fm_metric_t metric);

/** @return whether a blocking member was still in its call when all had entered and one had left.
 */
bool fm_member_completes_late(const struct fm_member *member, const struct fm_gathered *all);

/** @return that part of the member's call, to be booked on `metric`. */
struct fm_part fm_member_late_completion(const struct fm_member *member,
                                         const struct fm_gathered *all, fm_metric_t metric);

#endif
