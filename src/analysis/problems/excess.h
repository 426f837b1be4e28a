/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * How much longer a call path takes on the locations of a problem than elsewhere, and what can be
 * gained by changing that.
 *
 * The time of a location in an iteration is exclusive in the call path, but with the functions of
 * libraries that it calls, and, of causes that stand for what they call, with the functions below
 * it that are no problems of their own (fm_shown_problem_has); without waiting. In an iteration
 * those locations take part that execute the call path at any time: not the threads of a process
 * that leave it to others; for a process that never executes it, one location takes part, with no
 * time. Let `max` be the longest time of a location of the problem: in each iteration the run can
 * become shorter by max - mean if the work is balanced, by max - median if the excess is removed
 * (of an even number of times, the lower one of the two in the middle). A problem without a phase
 * has one iteration, the whole run. Where locations wait for one another in turn (a pipeline), the
 * call path has more time on the critical path than the sum of `max` over all iterations: the sum
 * of the gains is enlarged in this proportion. It is limited: the run cannot become shorter than
 * what any process outside of the problem does without waiting, nor than the critical path without
 * the call path (if the critical path is that of the whole run).
 *
 * Where a single thread of the only process executes the call path, the other threads take part
 * with no time, and the gain is a share of what of `max` is on the critical path: of that, all if
 * the excess is removed, and all but one part in the number of threads if the work is balanced. It
 * is unknown if the process has no other thread.
 */
#ifndef FERMATA_ANALYSIS_PROBLEMS_EXCESS_H
#define FERMATA_ANALYSIS_PROBLEMS_EXCESS_H

#include "analysis/causes/critical_path/critical_path.h"
#include "analysis/problems/iterations.h"
#include "analysis/problems/shown.h"

/** Finds excess and gain of the problems of the kind FM_CAUSE_IMBALANCE. Runs stages; collective.
 * @param path        of the run
 * @param begin, end  of the run, ticks of the trace clock
 * @param problems    of process 0: [shown.count], which state their phases and occasions; out: also
 *                    excess and gain */
void fm_excess_find(const struct fm_formation *formation, const struct fm_shown_problems *shown,
                    const struct fm_iterations *iterations, const struct fm_critical_path *path,
                    uint64_t begin, uint64_t end, struct fm_cube_problem *problems);

#endif
