/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Regions that one thread at a time is in: the construct around a block, and the lock of the block.
 */
#ifndef FERMATA_RECORD_OPENMP_BLOCK_H
#define FERMATA_RECORD_OPENMP_BLOCK_H

#include "record/openmp/lock_table.h"
#include "record/openmp/openmp.h"

/** The thread has the lock: it enters the block of the construct. `wait` is that of the construct.
 * @param is_variable  `lock` is a variable of the program */
static inline void fm_omp_enter_block(struct fm_omp_wait wait, enum fm_construct block, uint64_t pc,
                                      const void *lock, bool is_variable)
{
    struct fm_omp_lock *object = fm_omp_lock_at(lock);
    uint32_t order = object != NULL ? ++object->acquired : 0;
    if (object != NULL && is_variable) {
        __atomic_store_n(&object->is_variable, true, __ATOMIC_RELAXED);
    }
    if (FM_UNLIKELY(wait.thread == NULL)) {
        return;
    }
    const struct fm_construct_region *region = fm_construct_near(wait.thread, block, pc);
    uint64_t now = fm_omp_release_at(wait.thread, fm_clock_now_ordered());
    if (FM_LIKELY(object != NULL)) {
        fm_construct_note(wait.thread, FM_RECORD_LOCK_TAKEN, OTF2_PARADIGM_OPENMP, object->id, now,
                          order);
    }
    fm_construct_enter(wait.thread, region, now);
    fm_construct_computes(wait.thread, now);
    fm_construct_done(wait.thread);
}

/** Leaves the block, before the lock is released. @return what is left when it has been */
static inline __attribute__((always_inline)) struct fm_omp_wait
fm_omp_leave_block(struct fm_here here, enum fm_construct construct, enum fm_construct block,
                   const void *lock)
{
    struct fm_omp_wait wait = {.thread = fm_omp_thread(here)};
    if (FM_LIKELY(wait.thread != NULL)) {
        const struct fm_omp_lock *object = fm_omp_lock_at(lock);
        uint64_t now = fm_construct_time(wait.thread, here, true);
        fm_construct_leave(wait.thread, fm_construct_find(wait.thread, block), now);
        if (FM_LIKELY(object != NULL)) {
            fm_construct_note(wait.thread, FM_RECORD_LOCK_GIVEN, OTF2_PARADIGM_OPENMP, object->id,
                              now, object->acquired);
        }
        wait.item = fm_construct_find(wait.thread, construct);
        fm_omp_hold(wait.thread);
        fm_construct_done(wait.thread);
    }
    return wait;
}

/** What stands for the order of a loop: its team. */
static inline const void *fm_omp_order_of_loop(void)
{
    const struct fm_thread *thread = fm_thread_self;
    const struct fm_omp_team *team = thread != NULL ? thread->member.team : NULL;
    return team != NULL ? team->ordered : (const void *)thread;
}

#endif
