/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Private to the recording of runtimes with OMPT: the callbacks, and what they share.
 *
 * A callback is called by the runtime in the thread of the event. It gets the return address of the
 * program's call (`call`; 0: the runtime does not know it). What gets FM_HERE of a callback is
 * inlined, as the frame is gone in a call at its end.
 */
#ifndef FERMATA_RECORD_OPENMP_OMPT_TOOL_H
#define FERMATA_RECORD_OPENMP_OMPT_TOOL_H

#include "record/openmp/fork_join.h"
#include "record/openmp/ompt.h"
#include "record/stack/places.h"

/** The place of the directive whose call returns to `call`: the call itself, as a place at which a
 * construct begins (FM_REGION_AT_BEGIN). 0: not known. */
static inline uint64_t fm_ompt_place(const void *call)
{
    uint64_t pc = (uint64_t)(uintptr_t)call;
    return pc != 0 ? (pc - 1) | FM_PLACE_FUNCTION : 0;
}

/** @return the thread if an event of it is to be recorded now: it is in the program, or in the
 * runtime (depth FM_DEPTH_RUNTIME); NULL: it is in a recorded call, or not recorded */
static inline struct fm_thread *fm_ompt_thread(void)
{
    struct fm_thread *thread = fm_thread_self;
    bool records = thread != NULL && __atomic_load_n(&thread->over, __ATOMIC_RELAXED) == 0 &&
                   (thread->depth == 0 || thread->depth == FM_DEPTH_RUNTIME);
    return records ? thread : NULL;
}

/** In a call of the program that makes the tasks of a loop: its return address, which the callbacks
 * do not get. */
extern FM_HIDDEN __thread const void *fm_ompt_taskloop;

/** Callbacks (OpenMP 5.0, section 4.5.2). */
void fm_ompt_parallel_begin(fm_ompt_data_t *task, const void *frame, fm_ompt_data_t *parallel,
                            unsigned requested, int flags, const void *call);
void fm_ompt_parallel_end(fm_ompt_data_t *parallel, fm_ompt_data_t *task, int flags,
                          const void *call);
void fm_ompt_implicit_task(int endpoint, fm_ompt_data_t *parallel, fm_ompt_data_t *task,
                           unsigned size, unsigned number, int flags);
void fm_ompt_work(int kind, int endpoint, fm_ompt_data_t *parallel, fm_ompt_data_t *task,
                  uint64_t count, const void *call);
void fm_ompt_masked(int endpoint, fm_ompt_data_t *parallel, fm_ompt_data_t *task, const void *call);
void fm_ompt_sync_region(int kind, int endpoint, fm_ompt_data_t *parallel, fm_ompt_data_t *task,
                         const void *call);
void fm_ompt_sync_region_wait(int kind, int endpoint, fm_ompt_data_t *parallel,
                              fm_ompt_data_t *task, const void *call);
void fm_ompt_task_create(fm_ompt_data_t *task, const void *frame, fm_ompt_data_t *created,
                         int flags, int has_dependences, const void *call);
void fm_ompt_task_schedule(fm_ompt_data_t *prior, int status, fm_ompt_data_t *next);

#endif
