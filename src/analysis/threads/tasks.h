/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The tasks of OpenMP in a process: who created them, when they ran and where they ended; and the
 * calls that wait for them.
 *
 * The current task of a thread is that of its last switch record; a completion resumes what was
 * current before. The work of a member of a team outside of all tasks is its implicit task, a task
 * like the others, which is not waited for.
 */
#ifndef FERMATA_ANALYSIS_THREADS_TASKS_H
#define FERMATA_ANALYSIS_THREADS_TASKS_H

#include "analysis/model/run.h"

/** A task. */
struct fm_task {
    uint32_t parent;         /**< its creator; FM_NONE: unknown */
    uint64_t created;        /**< UINT64_MAX: unknown */
    uint64_t end;            /**< of its completion record; UINT64_MAX: unknown */
    struct fm_call_ref last; /**< empty activity of its call path at the end; activity FM_NONE:
                                  unknown */
    uint32_t creator;        /**< location; FM_NONE: unknown */
    struct fm_call_ref created_in; /**< activity of the creator at the creation: the innermost open
                                        call if it is one, else an empty activity of the call path;
                                        activity FM_NONE: it was in no region */
    uint32_t executor;             /**< location that begins it; FM_NONE: unknown */
    uint64_t begin;                /**< of its execution; UINT64_MAX: unknown */
    uint32_t create_row; /**< if `created` is known: row of the creator's records of threads */
    uint32_t begin_row;  /**< if `begin` is known: row of the executor's records of threads */
};

/** A location executes a task. */
struct fm_task_run {
    uint32_t team; /**< communicator */
    uint32_t location;
    uint64_t begin, end;
};

/** A call that may wait for tasks: a barrier or a task wait. */
struct fm_task_wait {
    uint32_t team; /**< communicator of its innermost team; FM_NONE: none */
    uint32_t task; /**< the current one; FM_NONE: none */
    uint32_t location;
    uint32_t activity; /**< its first stretch */
    bool for_children; /**< it waits for the children of `task` */
};

/** The tasks of one process; {0}: none. */
struct fm_tasks {
    FM_VECTOR(struct fm_task) tasks;
    FM_VECTOR(struct fm_task_run) runs;   /**< by location and begin */
    FM_VECTOR(struct fm_task_wait) waits; /**< by location and activity */
};

/** Finds the tasks of a process that is owned here; none if it has no records of tasks. O(n log n).
 * @param tasks  replaced; to be freed with fm_tasks_free() */
void fm_tasks_find(const struct fm_trace *trace, uint32_t process, struct fm_tasks *tasks);

void fm_tasks_free(struct fm_tasks *tasks);

#endif
