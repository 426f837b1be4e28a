/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The delays behind a wait state: compares the profile of its cause in the interval before it with
 * the profile of the waiter [H17 Defs 7, 14-19]. */
#ifndef FERMATA_ANALYSIS_CAUSES_CAUSE_COMPARISON_H
#define FERMATA_ANALYSIS_CAUSES_CAUSE_COMPARISON_H

#include "analysis/causes/caused_waits.h"
#include "analysis/causes/intervals.h"
#include "analysis/causes/profile_excess.h"

/** The waiter's part of an interval, sent to the causing location together with the waiter's
 * shares. */
struct fm_waiter_side {
    uint64_t begin;    /**< of the interval on both sides */
    uint64_t wait;     /**< ticks */
    uint64_t busy;     /**< of a contention: ticks without waiting of the waiter's whole interval */
    uint32_t location; /**< causing location */
    uint32_t position; /**< of the wait state among those caused by `location` */
    uint32_t waiter;   /**< location */
    uint32_t callpath; /**< of the waiting call */
};

/** The causing location's wait states inside an interval. */
struct fm_inner_waits {
    uint64_t ticks; /**< of all of them, without the part before the interval */
    uint64_t cut;   /**< ticks of the first one that lie before the interval */
};

/** @return the part of a location's wait states that lies in an interval sent to it. */
struct fm_inner_waits fm_waits_inside(const struct fm_wait_list *waits,
                                      const struct fm_interval *interval);

/** One wait state and the data to compute its costs. */
struct fm_cause_comparison {
    const struct fm_wait_list *waits; /**< of the causing location */
    struct fm_inner_waits inner;
    struct fm_sides sides;
    const struct fm_waiter_side *waiter;
    struct fm_caused_wait *wait;    /**< out: positions of its parts, traits, and `whole` */
    struct fm_caused_waits *caused; /**< of the causing location: the parts are appended */
    const struct fm_trace *trace;
    struct fm_excess *excess; /**< memory of the worker */
};

/** Compares a wait state that ends at the begin of the causing call: a delay is the excess of the
 * cause's time over the waiter's in a call path (profile_excess.h).
 * @return the direct part of the wait state, ticks */
double fm_compare_sides(const struct fm_cause_comparison *comparison);

/** Compares a contention, which ends at the end of the causing call: all of the owner's time in the
 * interval counts as delay.
 * @return the direct part of the wait state, ticks */
double fm_compare_owner(const struct fm_cause_comparison *comparison);

#endif
