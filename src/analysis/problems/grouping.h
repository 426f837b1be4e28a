/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Problems: locations for whose call path others wait, grouped by the call path and the kind of
 * cause.
 */
#ifndef FERMATA_ANALYSIS_PROBLEMS_GROUPING_H
#define FERMATA_ANALYSIS_PROBLEMS_GROUPING_H

#include "analysis/problems/lock_problems.h"
#include "analysis/problems/problem_costs.h"
#include "cube/model/cube.h"

struct fm_problem_list {
    FM_VECTOR(struct fm_cube_problem)
    items; /**< largest cost first; own their locations. `lock` of a contention is the number in
                `locks` */
    fm_contended_locks locks;
    fm_lock_fates fates;     /**< ascending by lock */
    fm_lock_members members; /**< ascending by lock and location */
};

/** Groups costs: a problem has the location with the largest cost of a call path, and all others
 * with at least a tenth of that cost. What is left of the call path is grouped in the same way. In
 * a run with samples, all call paths of a function are one as far as it is late. Locks are problems
 * as fm_lock_problems_group() says.
 * @param costs  in, out: those of locks that join functions are moved to these
 * @return with causes and costs only; to be freed with fm_problem_list_free() */
struct fm_problem_list fm_problems_group(struct fm_problem_costs *costs,
                                         const struct fm_trace *trace);

void fm_problem_list_free(struct fm_problem_list *list);

#endif
