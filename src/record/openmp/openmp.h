/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Common header of the recording of OpenMP. Other runtimes than GCC's have a tools interface
 * (ompt_tool.h). GCC's (libgomp) has none.
 * The compiler turns each construct into calls of GOMP_ functions; their wrappers record the
 * construct (record/constructs). A body of a parallel region is a function, which the wrapper
 * replaces by one of its own, so that every thread of the team records its begin and its end:
 *
 *     program            wrapper               libgomp              thread n
 *     GOMP_parallel ---> FORK, next() -------> team of threads ---> run(): TEAM_BEGIN, Enter
 * parallel body(data) Enter implicit barrier Leave, TEAM_END <---- barrier, return      (end:
 * team_end.h)
 *
 * What the runtime is not called for is not recorded: loops with a static schedule, `master`,
 * atomic operations of the processor, the end of `single`.
 */
#ifndef FERMATA_RECORD_OPENMP_OPENMP_H
#define FERMATA_RECORD_OPENMP_OPENMP_H

#include <otf2/otf2.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef void (*fm_omp_body_t)(void *data);
typedef void (*fm_omp_copy_t)(void *to, void *from);
typedef unsigned long long fm_omp_ull_t;

#include "functions.h"
#include "prototypes.h"
#include "record/constructs/construct.h"
#include "record/paradigm/wrapper.h"

/** The runtime's function `name`. */
#define FM_OMP(name) ((__typeof__(&fm_##name))fm_next_functions[FM_FUNCTION_##name])

struct fm_omp_lock;

/** A parallel region, in the frame of the thread that forks it; in memory of the thread's location
 * if two calls begin and end it. */
struct fm_omp_team {
    void *reductions; /**< first: of the program's data, for GOMP_parallel_reductions */
    fm_omp_body_t body;
    void *data;
    const struct fm_construct_region *parallel;
    const struct fm_construct_region *inner;   /**< worksharing in a combined construct, or NULL */
    const struct fm_construct_region *barrier; /**< implicit, at its end */
    struct fm_thread *forker;
    struct fm_thread *_Atomic members; /**< other threads that take part */
    uint64_t instance;                 /**< number among the teams of the process, from 1 */
    size_t item;                       /**< of the forker's open regions: that of the construct */
    const void *ordered;               /**< stands for the lock of its ordered regions */
    struct fm_omp_team *outer;         /**< of the forker */
    uint32_t outer_number;             /**< of the forker in that team */
    uint32_t level;                    /**< of nested regions, from 1 on (OMPT) */
    uint64_t call;                     /**< return address of the call that forks (OMPT) */
    bool has_ended;                    /**< the forker is in the barrier at the end (OMPT) */
    bool is_started;                   /**< in memory of the location: a call of its own ends it */
};

/** fm_omp_thread() for a thread that is not known yet, or may not record now. */
static FM_COLD struct fm_thread *fm_omp_thread_slowly(struct fm_thread *thread, struct fm_here here)
{
    if (thread == NULL) {
        thread = fm_thread_attach();
    }
    bool records =
        thread != NULL && (!fm_thread_is_quiet(thread) || fm_thread_end_left_call(thread, here));
    return records ? thread : NULL;
}

/** Begins to record at a call of the program.
 * @return the thread; NULL: nothing is recorded, because the thread is in a recorded call or the
 * run is over */
static inline __attribute__((always_inline)) struct fm_thread *fm_omp_thread(struct fm_here here)
{
    struct fm_thread *thread = fm_thread_self;
    if (FM_LIKELY(thread != NULL && !fm_thread_is_quiet(thread))) {
        return thread;
    }
    return fm_omp_thread_slowly(thread, here);
}

/** Return address of the call that `here` belongs to. */
static inline uint64_t fm_omp_pc(struct fm_here here)
{
    return fm_here_caller(here).pc;
}

/** Begins a call of the runtime that may wait: what it calls is not recorded. */
static inline void fm_omp_hold(struct fm_thread *thread)
{
    thread->depth = FM_DEPTH_RUNTIME;
}

/** Such a call begins to execute a task: what the thread did before, waiting, was no computation.
 */
static inline void fm_omp_interrupt(struct fm_thread *thread)
{
    thread->left = fm_clock_now();
    thread->depth = 0;
}

/** fm_omp_release_at() in a section of the meter that has begun. */
FM_INLINE uint64_t fm_omp_release_in(struct fm_thread *thread, enum fm_meter_kind kind,
                                     uint64_t now)
{
    thread->is_marking = 1;
    fm_signal_fence();
    thread->depth = 0;
    thread->enter = now;
    thread->visits.wanted = (FM_METERS_MERGED >> kind & 1) != 0 && thread->visits.count != 0;
    return now;
}

/** Ends such a call at the time `now`, which has just been read. @return it */
FM_INLINE uint64_t fm_omp_release_at(struct fm_thread *thread, enum fm_meter_kind kind,
                                     uint64_t now)
{
    fm_meter_begin(&thread->meters, kind);
    return fm_omp_release_in(thread, kind, now);
}

/** Ends such a call. @return the present time */
FM_INLINE uint64_t fm_omp_release(struct fm_thread *thread, enum fm_meter_kind kind)
{
    return fm_omp_release_at(thread, kind, fm_clock_now());
}

/** A construct that waits in one call of the runtime. */
struct fm_omp_wait {
    struct fm_thread *thread;    /**< NULL: not recorded */
    size_t item;                 /**< of fm_thread.open: its region */
    enum fm_meter_kind kind;     /**< of the construct */
    struct fm_omp_lock *awaited; /**< that the thread waits for; NULL: none that is held */
};

/** Enters the region of such a construct.
 * @param may_merge  the construct may be merged with others */
FM_INLINE struct fm_omp_wait fm_omp_wait_begin_as(struct fm_here here, enum fm_construct construct,
                                                  bool may_merge)
{
    struct fm_omp_wait wait = {.thread = fm_omp_thread(here),
                               .kind = fm_construct_meter(construct)};
    if (FM_LIKELY(wait.thread != NULL)) {
        const struct fm_construct_region *region =
            fm_construct_near(wait.thread, construct, fm_omp_pc(here));
        uint64_t now = may_merge ? fm_construct_time(wait.thread, wait.kind, here, true)
                                 : fm_construct_time_as(wait.thread, wait.kind, here, true, false);
        wait.item = wait.thread->open.count;
        fm_construct_enter(wait.thread, region, now);
        fm_omp_hold(wait.thread);
        fm_construct_done(wait.thread);
    }
    return wait;
}

/** Enters the region of such a construct, which is merged with others if there are too many. */
FM_INLINE struct fm_omp_wait fm_omp_wait_begin(struct fm_here here, enum fm_construct construct)
{
    return fm_omp_wait_begin_as(here, construct, true);
}

/** Leaves the region, and those inside it. */
FM_INLINE void fm_omp_wait_end(struct fm_omp_wait wait)
{
    if (FM_LIKELY(wait.thread != NULL)) {
        uint64_t now = fm_omp_release(wait.thread, wait.kind);
        fm_construct_leave(wait.thread, wait.item, now);
        fm_construct_computes(wait.thread, now);
        fm_construct_done(wait.thread);
    }
}

#endif
