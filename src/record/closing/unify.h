/** @file
 * Unification of the definitions of all processes, and of their clocks, in O(log P) rounds along a
 * binomial tree.
 */
#ifndef FERMATA_RECORD_CLOSING_UNIFY_H
#define FERMATA_RECORD_CLOSING_UNIFY_H

#include "record/closing/clock_check.h"

/** Merges the sets of all processes into that of rank 0. Collective.
 * @param set     this process's definitions; grows by those of the processes below it in the tree
 * @param global  receives the number in rank 0's set of each definition this process had; free with
 *                fm_define_map_free
 * @return false without memory */
bool fm_unify(const struct fm_exchange *exchange, struct fm_definitions *set,
              struct fm_define_map *global);

/** Rates of clocks, compared along the tree. */
struct fm_clock_comparison {
    struct fm_clock_rate own; /**< in */
    struct fm_clock_rate top; /**< out: of rank 0's clock */
    bool shared;              /**< out: the clock is the parent's, and should have its rate; */
    struct fm_clock_rate parent;
};

/** Measures the offset of this process's clock to rank 0's by exchanges with the parent in the tree
 * (the one with the shortest round trip counts). Processes that share their clock take over the
 * parent's offset without measuring, unless `always` is set. Collective.
 * @param comparison  of rates, which comes for nothing with it; NULL: none (at all processes) */
struct fm_clock_offset fm_clock_measure(const struct fm_exchange *exchange, bool always,
                                        struct fm_clock_comparison *comparison);

#endif
