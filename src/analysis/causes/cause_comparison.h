/** @file
 * What delayed a wait state: compares what its cause did in the interval before it with what the
 * waiter did [H17 Defs 7, 14-19]. */
#ifndef FERMATA_ANALYSIS_CAUSES_CAUSE_COMPARISON_H
#define FERMATA_ANALYSIS_CAUSES_CAUSE_COMPARISON_H

#include "analysis/causes/caused_waits.h"
#include "analysis/causes/intervals.h"

/** What the waiter sends its cause, with its shares. */
struct fm_waiter_side {
    uint64_t begin;    /**< of the interval on both sides */
    uint64_t wait;     /**< ticks */
    uint64_t busy;     /**< of a contention: ticks of the waiter's whole interval */
    uint32_t location; /**< that causes */
    uint32_t position; /**< among those that it has caused */
    uint32_t waiter;   /**< location */
    uint32_t callpath; /**< of the waiting call */
};

/** Time of a call path in the waiter's interval. */
struct fm_waiter_share {
    uint32_t callpath;
    uint32_t ticks[2]; /**< a 64-bit number */
};

/** What the causing location did in the interval: time of a node of its call tree. */
struct fm_cause_share {
    uint64_t ticks;
    uint32_t visit;
    uint32_t callpath;
};

/** The causing location's wait states inside an interval. */
struct fm_inner_waits {
    uint64_t ticks; /**< together, without what lies before the interval */
    uint64_t cut;   /**< ticks of the first one that lie before the interval */
};

/** @return the part of a location's wait states that lies in an interval sent to it. */
struct fm_inner_waits fm_waits_inside(const struct fm_wait_list *waits,
                                      const struct fm_interval *interval);

/** One wait state and what is needed to book its costs. */
struct fm_cause_comparison {
    const struct fm_wait_list *waits; /**< of the location that causes */
    struct fm_inner_waits inner;
    const struct fm_cause_share *own; /**< what that location did */
    uint32_t own_count;
    const struct fm_waiter_side *waiter;
    const struct fm_waiter_share *shares;
    uint32_t share_count;
    struct fm_caused_wait *wait;    /**< gets its parts, and what they are shares of */
    struct fm_caused_waits *caused; /**< of the location: the parts go there */
    uint64_t *waiter_time;          /**< one worker's: [call path], all 0 between two uses */
};

/** A wait state whose event is the begin of a call: delays are what the cause did longer.
 * @return its direct part, ticks */
double fm_compare_sides(const struct fm_cause_comparison *comparison);

/** A contention, whose event is the end of a call: all that the owner did is in question.
 * @return its direct part, ticks */
double fm_compare_owner(const struct fm_cause_comparison *comparison);

#endif
