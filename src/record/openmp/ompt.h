/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The part of OMPT, the tools interface of OpenMP, that the recorder uses (OpenMP 5.0, chapter 4):
 * types of callbacks and the values of their arguments. Runtimes differ in what they call.
 */
#ifndef FERMATA_RECORD_OPENMP_OMPT_H
#define FERMATA_RECORD_OPENMP_OMPT_H

#include <stdint.h>

/** Data of the tool in a parallel region or task. */
typedef union {
    uint64_t value;
    void *ptr;
} fm_ompt_data_t;

typedef void (*fm_ompt_function_t)(void);
typedef fm_ompt_function_t (*fm_ompt_lookup_t)(const char *name);
typedef int (*fm_ompt_set_callback_t)(int event, fm_ompt_function_t callback);

/** What ompt_start_tool returns. */
struct fm_ompt_tool {
    int (*initialize)(fm_ompt_lookup_t lookup, int device, fm_ompt_data_t *data);
    void (*finalize)(fm_ompt_data_t *data);
    fm_ompt_data_t data;
};

/** Events (ompt_callbacks_t). */
enum {
    FM_OMPT_PARALLEL_BEGIN = 3,
    FM_OMPT_PARALLEL_END = 4,
    FM_OMPT_TASK_CREATE = 5,
    FM_OMPT_TASK_SCHEDULE = 6,
    FM_OMPT_IMPLICIT_TASK = 7,
    FM_OMPT_SYNC_REGION_WAIT = 16,
    FM_OMPT_WORK = 20,
    FM_OMPT_MASKED = 21,
    FM_OMPT_SYNC_REGION = 23
};

/** ompt_scope_endpoint_t */
enum { FM_OMPT_BEGIN = 1, FM_OMPT_END = 2 };

/** ompt_sync_region_t: BARRIER_IMPLICIT in 5.0, WORKSHARE, PARALLEL and TEAMS from 5.1 on. */
enum {
    FM_OMPT_BARRIER = 1,
    FM_OMPT_BARRIER_IMPLICIT = 2,
    FM_OMPT_BARRIER_EXPLICIT = 3,
    FM_OMPT_BARRIER_IMPLEMENTATION = 4,
    FM_OMPT_TASKWAIT = 5,
    FM_OMPT_TASKGROUP = 6,
    FM_OMPT_BARRIER_WORKSHARE = 8,
    FM_OMPT_BARRIER_PARALLEL = 9
};

/** ompt_work_t */
enum {
    FM_OMPT_LOOP = 1,
    FM_OMPT_SECTIONS = 2,
    FM_OMPT_SINGLE_EXECUTOR = 3,
    FM_OMPT_SINGLE_OTHER = 4,
    FM_OMPT_WORKSHARE = 5,
    FM_OMPT_TASKLOOP = 7
};

/** ompt_task_flag_t, ompt_parallel_flag_t, ompt_task_status_t */
enum { FM_OMPT_TASK_INITIAL = 1, FM_OMPT_TASK_EXPLICIT = 4 };
enum { FM_OMPT_LEAGUE = 0x40000000 };
enum { FM_OMPT_SWITCHED = 7 };

#endif
