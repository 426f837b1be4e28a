/** @file
 * Collective instances of which it matters only who came last and when the first one left: each
 * worker sums up its own members, so that a few records for each instance are all that travels.
 */
#ifndef FERMATA_ANALYSIS_COLLECTIVE_GATHERING_H
#define FERMATA_ANALYSIS_COLLECTIVE_GATHERING_H

#include "analysis/collective/instance.h"

/** What is known of an instance's members. */
struct fm_gathered {
    uint64_t enter;       /**< of the member that came last; of several, that of the lowest rank */
    uint64_t first_leave; /**< earliest Leave of a member's waiting call */
    uint32_t location, activity; /**< of the last one: the call that took part */
    uint32_t rank;               /**< of the last one */
    uint32_t communicator;
    uint32_t members; /**< how many have come; 0: this is no instance */
    uint8_t call;     /**< fm_call_t */
    bool is_mixed;    /**< members called different operations */
    bool is_whole;    /**< all members have come and called the same */
};

struct fm_gathering;

/** @return an empty gathering, to be freed with fm_gathering_free(). */
struct fm_gathering *fm_gathering_create(struct fm_analysis *analysis);
void fm_gathering_free(struct fm_gathering *gathering);

/** Adds a member. To be called in a stage; members of a process come in the order of their
 * ordinals, which begin with 0 for each scope and series; some may be missing. */
void fm_gathering_add(struct fm_gathering *gathering, unsigned worker,
                      const struct fm_member *member);

/** Brings together what workers know of the same instances, and counts those that are incomplete or
 * mixed as omissions. Runs stages; collective. */
void fm_gathering_close(struct fm_gathering *gathering);

/** After fm_gathering_close(): finds the instance of a member.
 * @param found  out
 * @return whether it is complete and of one kind */
bool fm_gathering_find(struct fm_gathering *gathering, unsigned worker,
                       const struct fm_member *member, struct fm_gathered *found);

/** Reports the wait state of a member that waits for the last one, if it does. */
void fm_gathered_wait(const struct fm_finder *finder, const struct fm_member *member,
                      const struct fm_gathered *all, fm_metric_t metric);

/** @return whether a blocking member was still in its call when all had entered and one had left.
 */
bool fm_member_completes_late(const struct fm_member *member, const struct fm_gathered *all);

/** @return that part of the member's call, to be booked on `metric`. */
struct fm_part fm_member_late_completion(const struct fm_member *member,
                                         const struct fm_gathered *all, fm_metric_t metric);

#endif
