/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The home of collectives: a process at which the members of some non-blocking collectives are
 * gathered, with what each of them does while others need its progress.
 *
 * States of members are ranked by the time at which they end, in a tree with the least begin of
 * each range of them: the last state that contains a time, up to a place in this order, is found in
 * O(log n).
 */
#ifndef FERMATA_ANALYSIS_COLLECTIVE_PROGRESS_COLLECTIVE_HOME_H
#define FERMATA_ANALYSIS_COLLECTIVE_PROGRESS_COLLECTIVE_HOME_H

#include "analysis/collective/instance.h"
#include "analysis/progress/partner_calls.h"
#include "base/containers/vector.h"

/** A member of a collective. */
struct fm_home_part {
    uint64_t start_enter, start_leave; /**< of the call that starts its part */
    uint64_t wait_enter, leave;        /**< of the call that completes it */
    uint32_t process;
    bool takes_part; /**< in an operation with a root */
    struct fm_call_ref start, wait;
    size_t first_state, state_count; /**< set by fm_home_sort() */
};

/** A collective. */
struct fm_home_instance {
    uint32_t first_part, count; /**< by rank */
    uint32_t root;              /**< number of the part; FM_NONE: unknown, or none */
    uint8_t call;               /**< fm_call_t */
    size_t first_block;         /**< set by fm_home_sort() */
};

/** What a member does from `from` until `to`: the call that it is in, or else its next one. */
struct fm_home_state {
    uint64_t from, to;
    struct fm_partner_state of;
    uint32_t part;
    uint32_t unused;
};

/** States of some members in the order of a time. Private. */
struct fm_ranking {
    size_t first, count; /**< in `ranked` */
    size_t root, leaves; /**< in `least`: a tree whose number of leaves is a power of two */
};

/** The states of some members. Private. */
struct fm_ranked_block {
    struct fm_ranking outside; /**< of calls, by the Enter that ends them */
    struct fm_ranking inside;  /**< by Leave */
};

/** Private. */
struct fm_ranked_state {
    uint64_t time;
    struct fm_call_ref call;
    size_t state;
};

struct fm_collective_home {
    FM_VECTOR(struct fm_home_part) parts;
    FM_VECTOR(struct fm_home_instance) instances;
    FM_VECTOR(struct fm_home_state) states; /**< by part and time, once sorted */
    FM_VECTOR(struct fm_ranked_block) blocks;
    FM_VECTOR(struct fm_ranked_state) ranked;
    FM_VECTOR(uint64_t) least;
};

/** Members [first, last) of a collective that one may need: see fm_home_needs(). */
struct fm_needed_parts {
    uint32_t first, last;
};

/** A call that completes the part of a member, and when its need begins. */
struct fm_home_need {
    uint64_t begin, leave;
    uint32_t part; /**< number in the instance */
};

/** What matters of the next calls of the members that a call needs. */
struct fm_home_calls {
    uint64_t latest;            /**< Enter of the last one that the call contains; 0: none */
    struct fm_call_ref serving; /**< this one */
    uint64_t farthest; /**< ... that it does not contain; UINT64_MAX: none follows; 0: none */
};

typedef FM_VECTOR(struct fm_partner_state) fm_partner_states;

/** @return a member of an instance, by its number. */
static inline const struct fm_home_part *fm_home_part(const struct fm_collective_home *home,
                                                      const struct fm_home_instance *instance,
                                                      uint32_t number)
{
    return &home->parts.items[instance->first_part + number];
}

/** @return whether all members need all others. */
bool fm_home_needs_all(const struct fm_home_instance *instance);

/** @return the members among which those are that a member needs. */
struct fm_needed_parts fm_home_needed(const struct fm_home_instance *instance, uint32_t number);

/** @return whether a member needs one of fm_home_needed(). */
bool fm_home_needs(const struct fm_collective_home *home, const struct fm_home_instance *instance,
                   uint32_t number, uint32_t other);

/** Sorts and ranks the states, after the last one. */
void fm_home_sort(struct fm_collective_home *home);

/** Finds the next calls of the members that a call needs and that are outside of all calls when the
 * need begins. */
struct fm_home_calls fm_home_find(const struct fm_collective_home *home,
                                  const struct fm_home_instance *instance,
                                  const struct fm_home_need *need);

/** Lists the first calls of the members that a call needs, the running one or the next one when the
 * need begins, that matter for which part of [begin, until) none of them covers. By Enter. */
void fm_home_list_cover(const struct fm_collective_home *home,
                        const struct fm_home_instance *instance, const struct fm_home_need *need,
                        uint64_t until, fm_partner_states *listed);

/** Lists at least `most` of them that the call contains or that run when the need begins, those
 * that begin last or end last, or all if there are not so many. By Enter. */
void fm_home_list_last(const struct fm_collective_home *home,
                       const struct fm_home_instance *instance, const struct fm_home_need *need,
                       size_t most, fm_partner_states *listed);

void fm_home_free(struct fm_collective_home *home);

#endif
