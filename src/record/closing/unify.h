/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Unification of the definitions of all processes, and of their clocks, in O(log P) rounds along a
 * binomial tree.
 */
#ifndef FERMATA_RECORD_CLOSING_UNIFY_H
#define FERMATA_RECORD_CLOSING_UNIFY_H

#include "record/closing/clock_check.h"

/** Merges the sets of all processes into the set of rank 0. Collective.
 * @param set     this process's definitions; those of the processes below it in the tree are added
 * @param global  receives the number in rank 0's set of each of this process's own definitions;
 *                free with fm_define_map_free
 * @return false without memory */
bool fm_unify(const struct fm_exchange *exchange, struct fm_definitions *set,
              struct fm_define_map *global);

/** Rates of clocks, exchanged along the tree. */
struct fm_clock_comparison {
    struct fm_clock_rate own;    /**< in: of this process's clock */
    struct fm_clock_rate top;    /**< out: of rank 0's clock */
    bool shared;                 /**< out: whether this process shares the parent's clock */
    struct fm_clock_rate parent; /**< out: of the parent's clock; should equal `own` if shared */
};

/** Measures the offset of this process's clock to rank 0's by message exchanges with the parent in
 * the tree; the exchange with the shortest round trip counts. Processes that share the parent's
 * clock use its offset without measurement, unless `always` is set. Collective.
 * @param comparison  of rates, exchanged in the same messages; NULL (at all processes): none */
struct fm_clock_offset fm_clock_measure(const struct fm_exchange *exchange, bool always,
                                        struct fm_clock_comparison *comparison);

#endif
