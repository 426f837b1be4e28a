/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The problems of a run: what others wait for, with all waiting that stems from it, and what leaves
 * threads idle. See cube/model/cube_problem.h for what a problem is.
 */
#ifndef FERMATA_ANALYSIS_PROBLEMS_RUN_PROBLEMS_H
#define FERMATA_ANALYSIS_PROBLEMS_RUN_PROBLEMS_H

#include "analysis/causes/critical_path/critical_path.h"
#include "analysis/locks/lock_queue.h"
#include "analysis/problems/grouping.h"
#include "analysis/problems/idle/idle_problems.h"
#include "analysis/results/phases.h"

struct fm_run_problems {
    struct fm_problem_list list;  /**< of waiting; process 0 only */
    int64_t sum;                  /**< of their costs, process 0 only */
    double inexact;               /**< ticks by which the sum may differ from all waiting */
    struct fm_idle_problems idle; /**< of idle threads */
};

/** Finds the problems. To be called after fm_formation_costs(), and last of all that reads `phi` of
 * caused wait states. Runs stages; collective.
 * @param blamed  as fm_blamed_waits_note() returned it; is completed
 * @param path    of the run
 * @param phases  of process 0
 * @param begin, end  of the run, ticks of the trace clock
 * @return to be freed with fm_run_problems_free() */
struct fm_run_problems fm_run_problems_find(struct fm_formation *formation,
                                            struct fm_blamed_waits *blamed,
                                            const struct fm_critical_path *path,
                                            const struct fm_phase_list *phases, uint64_t begin,
                                            uint64_t end);

/** Adds the problems to the cube, which has phases and locks already.
 * @param queues  from which the locks of the cube come; NULL: it has none */
fm_status_t fm_run_problems_fill(const struct fm_run_problems *problems,
                                 const struct fm_lock_queues *queues, struct fm_cube *cube,
                                 struct fm_error *error);

/** Verifies that the costs of the problems of waiting are the waiting time (relative error below
 * 1e-9), and those of idle threads all idle time. For process 0. @return FM_ERR_FAILED if they are
 * not */
fm_status_t fm_run_problems_check(const struct fm_run_problems *problems,
                                  const struct fm_formation *formation, struct fm_error *error);

void fm_run_problems_free(struct fm_run_problems *problems);

#endif
