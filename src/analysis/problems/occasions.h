/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * When a cost arises: the few iterations that hold most of it.
 */
#ifndef FERMATA_ANALYSIS_PROBLEMS_OCCASIONS_H
#define FERMATA_ANALYSIS_PROBLEMS_OCCASIONS_H

#include "cube/model/cube_problem.h"

/** Consecutive iterations. */
struct fm_iteration_run {
    uint32_t first, last; /**< included */
    uint32_t count;       /**< with at least half of the mean cost of first .. last */
    int64_t cost;         /**< of first .. last */
};

/** Beyond this number of iterations, two or three runs are sought in blocks of iterations. */
#define FM_OCCASION_BLOCKS 1024

/** @return the least cost that counts as this many tenths of `whole`: 1e-9 less is enough. */
int64_t fm_tenths_of(int64_t whole, int tenths);

/** Finds the iterations that hold at least nine tenths of a cost: the run of consecutive iterations
 * with the fewest iterations, or two (else three) runs that have at most half as many iterations
 * together; of equally many iterations, the earlier first run. Each run is then widened by
 * neighbours that cost at least half of its mean. Sums within 1e-9 of a bound reach it.
 * Time: O(n log n), and O(n^2) with at most FM_OCCASION_BLOCKS iterations or blocks if few of them
 * hold the cost.
 * @param costs  [iteration], none is negative
 * @param count  of iterations
 * @param whole  the cost; iterations may hold less of it
 * @param runs   out: at most FM_CUBE_OCCASIONS, ascending
 * @return number of runs; 0: the cost is spread over four fifths of the iterations or more, or the
 *         iterations do not hold nine tenths of it */
uint32_t fm_find_occasions(const int64_t *costs, uint32_t count, int64_t whole,
                           struct fm_iteration_run *runs);

#endif
