/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The wait states that a location has caused on other locations, and the division of each among the
 * delays (call paths of the location) and the location's own wait states that caused it [H17 Defs
 * 14-19].
 */
#ifndef FERMATA_ANALYSIS_CAUSES_CAUSED_WAITS_H
#define FERMATA_ANALYSIS_CAUSES_CAUSED_WAITS_H

#include "analysis/causes/formation.h"
#include "analysis/causes/side_differences.h"

/** A wait state of another location, as kept by the causing location. */
struct fm_caused_wait {
    uint64_t t;
    uint64_t wait; /**< ticks */
    double phi;    /**< waiting that it has caused in turn, ticks; NaN: not known yet */
    double
        whole; /**< ticks by which its costs are divided to get those of one tick of own waiting */
    uint32_t inner;     /**< the causing location's wait states that delayed it: inner .. */
    uint32_t inner_end; /**< ... inner_end - 1 */
    uint32_t visit;     /**< node of the causing call */
    uint32_t first;     /**< in the location's parts */
    uint32_t end;       /**< behind its last part */
    uint32_t waiter;    /**< location */
    uint32_t number;    /**< in the waiter's list */
    uint8_t delay_kind;
    uint8_t traits; /**< FM_CAUSED_..., or'ed */
};

/** Properties of few wait states. Some have a number, which precedes the wait state's parts. */
enum {
    FM_CAUSED_UNATTRIBUTED = 1, /**< no delay and no wait state was found that caused it */
    FM_CAUSED_CUT = 2,          /**< number: ticks of wait state `inner` inside the interval */
    FM_CAUSED_PARTLY = 4        /**< number: share of the costs that is caused by own waiting */
};

/** The wait states that a location has caused, ascending by time; at equal times descending by
 * waiter and by the number in the waiter's list. */
struct fm_caused_waits {
    FM_VECTOR(struct fm_caused_wait) waits;
    FM_VECTOR(double) parts;    /**< shares of a wait state's costs, by delaying call path */
    FM_VECTOR(uint32_t) visits; /**< nodes of the parts; FM_NONE for numbers before the parts */
    struct fm_side_differences *differences; /**< NULL: the trace has no samples */
};

/** Propagates the waiting that wait states have caused to the wait states that delayed their
 * causes, from the latest to the earliest: computes `phi` of all, and which wait states propagate.
 * Sets `is_circular` of the formation if wait states cause themselves. Runs message-driven stages.
 * @param caused  [location] */
void fm_propagate(struct fm_formation *formation, struct fm_caused_waits *caused);

/** Replaces `phi` of all by what it is if wait states of some kinds propagate nothing, neither
 * their own waiting nor what they have caused. To be called once, after fm_formation_costs(). Runs
 * message-driven stages.
 * @param stops  [fm_delay_kind_t]: whether these wait states propagate nothing */
void fm_propagate_without(struct fm_formation *formation, const bool *stops);

/** Adds all delay costs, the unattributed costs, and the classes of wait states. Runs a stage.
 * @param caused  [location] */
void fm_wait_costs_book(struct fm_formation *formation, const struct fm_caused_waits *caused);

#endif
