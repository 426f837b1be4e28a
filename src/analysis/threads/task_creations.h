/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Creations of tasks by another thread than that which executes them: a task begins after its
 * creation, and a thread without a task waits for the creation of the one that it executes next.
 */
#ifndef FERMATA_ANALYSIS_THREADS_TASK_CREATIONS_H
#define FERMATA_ANALYSIS_THREADS_TASK_CREATIONS_H

#include "analysis/model/finder.h"
#include "analysis/threads/tasks.h"

/** States that each task begins after its creation, if the analysis asks for dependencies. */
void fm_depend_on_task_creations(const struct fm_analysis *analysis, const struct fm_tasks *tasks);

/** Finds the stretches of barriers and task waits that end because the thread begins a task which
 * another thread has created during the stretch: they wait for the creation. To be called behind
 * the rules of the last thread and the last child, whose stretches have no other wait state.
 * O(n) for n tasks and candidates of the process. */
void fm_find_waits_for_task_creations(const struct fm_finder *finder, uint32_t process,
                                      const struct fm_tasks *tasks);

#endif
