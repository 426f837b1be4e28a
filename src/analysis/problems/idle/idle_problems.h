/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Problems of the kind FM_CAUSE_IDLE: what masters execute while threads of their processes are
 * idle, as a class of its own beside waiting.
 *
 * The cost of a call path on a master (idle_causes.h) is the idle time of the threads of its
 * process meanwhile. Idle time during which the master waits follows from that waiting, whose cause
 * is a problem: all of it is one line without a call path. All costs add up to omp_idle_threads
 * with omp_limited_parallelism, exactly.
 *
 * The gain of a serial part is its time on the critical path less that of the same work on the
 * master and the threads that are idle meanwhile (balanced), and its whole time on the path
 * (removed). That of a parallel region with fewer threads than its process is computed likewise
 * from the time of all threads of the process in it.
 */
#ifndef FERMATA_ANALYSIS_PROBLEMS_IDLE_IDLE_PROBLEMS_H
#define FERMATA_ANALYSIS_PROBLEMS_IDLE_IDLE_PROBLEMS_H

#include "analysis/causes/critical_path/critical_path.h"
#include "analysis/problems/grouping.h"
#include "analysis/problems/iterations.h"

/** Process 0 only. */
struct fm_idle_problems {
    struct fm_problem_list list; /**< largest cost first */
    int64_t sum;                 /**< of their costs */
    int64_t idle;                /**< all idle time, in the unit of the costs */
};

/** Finds the problems. Runs stages; collective.
 * @param begin, end  of the run, ticks of the trace clock
 * @return to be freed with fm_idle_problems_free() */
struct fm_idle_problems fm_idle_problems_find(const struct fm_formation *formation,
                                              const struct fm_critical_path *path,
                                              const struct fm_iterations *iterations,
                                              const struct fm_phase_list *phases, uint64_t begin,
                                              uint64_t end);

/** Verifies that the costs add up to all idle time. For process 0. @return FM_ERR_FAILED if they do
 * not */
fm_status_t fm_idle_problems_check(const struct fm_idle_problems *problems, struct fm_error *error);

void fm_idle_problems_free(struct fm_idle_problems *problems);

#endif
