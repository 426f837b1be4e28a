/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * When the costs of problems arise. A delay cost arises evenly in the waiting part of the wait
 * state whose cost it is, on the location that waits; a cost by blame
 * arises while the problem is blamed.
 */
#ifndef FERMATA_ANALYSIS_PROBLEMS_COST_TIMES_H
#define FERMATA_ANALYSIS_PROBLEMS_COST_TIMES_H

#include "analysis/problems/iterations.h"
#include "analysis/problems/shown.h"

/** Divides the costs of problems among the bins of the iterations. Runs stages; collective.
 * @param blamed  by location; NULL: no wait state is charged by blame
 * @return [problem][bin], on all processes; to be freed with fm_free() */
int64_t *fm_cost_times_find(const struct fm_formation *formation,
                            const struct fm_shown_problems *shown,
                            const struct fm_blamed_waits *blamed,
                            const struct fm_iterations *iterations);

/** States when a problem costs: its phase and its occasions.
 * @param bins        [bin] of this problem
 * @param iterations  with the phases of `phases`
 * @param begin, end  of the run */
void fm_cost_times_describe(const struct fm_trace *trace, const int64_t *bins,
                            const struct fm_iterations *iterations,
                            const struct fm_phase_list *phases, uint64_t begin, uint64_t end,
                            struct fm_cube_problem *problem);

#endif
