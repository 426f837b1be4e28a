/** @file
 * What a location has caused: the wait states of other locations, and how each of them is caused by
 * what the location did (delays) and by what it waited for itself [H17 Defs 14-19].
 */
#ifndef FERMATA_ANALYSIS_CAUSES_CAUSED_WAITS_H
#define FERMATA_ANALYSIS_CAUSES_CAUSED_WAITS_H

#include "analysis/causes/formation.h"

/** A wait state of another location. */
struct fm_caused_wait {
    uint64_t t;
    uint64_t wait;      /**< ticks */
    double phi;         /**< waiting that it has caused in turn; NaN: not known yet */
    double whole;       /**< what its costs are divided by */
    uint32_t inner;     /**< the own wait states that it is caused by: inner .. */
    uint32_t inner_end; /**< ... inner_end - 1 */
    uint32_t visit;     /**< node of the causing call */
    uint32_t first;     /**< in the location's parts */
    uint32_t end;       /**< behind its last part */
    uint32_t waiter;    /**< location */
    uint32_t number;    /**< in the waiter's list */
    uint8_t delay_kind;
    uint8_t traits; /**< FM_CAUSED_..., or'ed */
};

/** What is true of few wait states; some of it needs a number, which stands before the parts. */
enum {
    FM_CAUSED_UNATTRIBUTED = 1, /**< there is nothing that it could go back to */
    FM_CAUSED_CUT = 2,   /**< only this many ticks of wait state `inner` are in the interval */
    FM_CAUSED_PARTLY = 4 /**< this share of the costs is caused by own waiting */
};

/** The wait states that a location has caused, ascending by time; of equal times, the highest
 * waiter (and its last wait state) first. */
struct fm_caused_waits {
    FM_VECTOR(struct fm_caused_wait) waits;
    FM_VECTOR(double) parts; /**< shares of the costs of one wait state that call paths delayed */
    FM_VECTOR(uint32_t) visits; /**< ... their nodes; unused for other numbers */
};

/** Propagates the waiting that wait states have caused to those that they go back to, from the
 * latest to the earliest: `phi` of all, and which wait states propagate. Says so in the formation
 * if wait states cause themselves. Runs message-driven stages.
 * @param caused  [location] */
void fm_propagate(struct fm_formation *formation, struct fm_caused_waits *caused);

/** Replaces `phi` of all by what it is if wait states of some kinds propagate nothing, neither
 * their own waiting nor what they have caused. To be called once, after fm_formation_costs(). Runs
 * message-driven stages.
 * @param stops  [fm_delay_kind_t]: whether these wait states propagate nothing */
void fm_propagate_without(struct fm_formation *formation, const bool *stops);

/** Books all costs, what cannot be attributed, and the classes of wait states. Runs a stage.
 * @param caused  [location] */
void fm_wait_costs_book(struct fm_formation *formation, const struct fm_caused_waits *caused);

#endif
