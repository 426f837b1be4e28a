/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Load of the machine: time in which the ranks had no processor because other processes or threads
 * used it, and the waiting because of that. Not the program's own lateness.
 */
#ifndef FERMATA_DIAGNOSIS_PROBLEMS_MACHINE_LOAD_H
#define FERMATA_DIAGNOSIS_PROBLEMS_MACHINE_LOAD_H

#include "diagnosis/diagnosis.h"

/** @return the exclusive value of `metric` at the cause's call path on its locations. */
int64_t fm_cause_value(const struct fm_cube *cube, fm_metric_t metric,
                       const struct fm_cube_problem *cause);

/** @return the time of the whole run in which threads were ready to compute and had no processor,
 * ticks: the metric stolen_time without the parts of which is known that the thread waited in the
 * operating system, and of which nothing is known (base/processor_time.h).
 * @param is_estimated  out: a part of the computation was not measured, and is taken to be like the
 *                      rest, as far as the known run delay of whole threads permits */
int64_t fm_load_of_run(const struct fm_diagnosis *diagnosis, bool *is_estimated);

/** @return the same of the cause's call path on its locations; 0 without a call path. */
int64_t fm_load_of_cause(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause,
                         bool *is_estimated);

/** @return whether threads had no processor for at least 5 % of their time, or of the computation
 * for which that is known: how long computation and calls take depends on what else runs. */
bool fm_load_is_notable(const struct fm_diagnosis *diagnosis);

/** Estimates which share of a problem's cost, 0 .. 1, the lack of processors causes; 0 unless the
 * problem is an imbalance with a known gain.
 *
 * The excess of the cause, its gain if balanced or the mean waiting of the other locations,
 * whichever is larger, has a part that the program itself makes: by how much the CPU time there
 * exceeds that of the other locations, times their ratio of wall time to CPU time. Lack of
 * processors explains the rest of the excess, at most as much time as was without a processor
 * there. So work that takes longer in CPU time remains a problem on a machine that slows down all
 * ranks alike. Which part of an excess that changes from rank to rank is the program's is not
 * known: as much as possible is ascribed to the lack of processors.
 */
double fm_load_share(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause);

#endif
