/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Regions that one thread at a time is in: the construct around a block, and the lock of the block.
 */
#ifndef FERMATA_RECORD_OPENMP_BLOCK_H
#define FERMATA_RECORD_OPENMP_BLOCK_H

#include "record/openmp/lock_table.h"
#include "record/openmp/openmp.h"
#include "record/paradigm/open_call.h"

/** Begins to wait for the lock of a block. Where another thread has it, the construct is recorded
 * by itself.
 * @param lock  that fm_omp_enter_block() is called with */
FM_INLINE struct fm_omp_wait fm_omp_wait_for_block(struct fm_here here, enum fm_construct construct,
                                                   const void *lock)
{
    struct fm_omp_lock *object = fm_omp_lock_at(lock);
    struct fm_omp_wait wait;
    if (FM_UNLIKELY(fm_omp_lock_is_held(object))) {
        wait = fm_omp_wait_begin_as(here, construct, false);
        fm_omp_lock_waits(object);
        wait.awaited = object;
    } else {
        wait = fm_omp_wait_begin(here, construct);
    }
    if (FM_LIKELY(object != NULL && wait.thread != NULL && wait.thread->visits.count == 0)) {
        fm_open_in_region(wait.thread,
                          fm_record_header(FM_RECORD_SYNCHRONIZATION_OBJECT, 0, object->id));
    }
    return wait;
}

/** The thread has the lock: it enters the block of the construct. `wait` is that of the construct.
 * @param is_variable  `lock` is a variable of the program */
FM_INLINE void fm_omp_enter_block(struct fm_omp_wait wait, enum fm_construct block, uint64_t pc,
                                  const void *lock, bool is_variable)
{
    if (FM_LIKELY(wait.thread != NULL)) {
        fm_meter_begin(&wait.thread->meters, wait.kind);
    }
    struct fm_omp_lock *object = fm_omp_lock_at(lock);
    uint32_t order = 0;
    fm_omp_lock_waited(wait.awaited);
    if (object != NULL) {
        order = ++object->acquired;
        __atomic_store_n(&object->is_held, 1, __ATOMIC_RELAXED);
        if (is_variable) {
            fm_omp_lock_note_variable(object);
        }
    }
    if (FM_UNLIKELY(wait.thread == NULL)) {
        return;
    }
    const struct fm_construct_region *region = fm_construct_near(wait.thread, block, pc);
    uint64_t now = fm_omp_release_in(wait.thread, wait.kind, fm_clock_now_ordered());
    if (FM_LIKELY(object != NULL)) {
        fm_construct_take(wait.thread, OTF2_PARADIGM_OPENMP, object->id, now, order);
    }
    fm_construct_enter(wait.thread, region, now);
    fm_construct_computes(wait.thread, now);
    fm_construct_done(wait.thread);
    fm_thread_show_closed(wait.thread);
}

/** Leaves the block, before the lock is released. @return what is left when it has been */
FM_INLINE struct fm_omp_wait fm_omp_leave_block(struct fm_here here, enum fm_construct construct,
                                                enum fm_construct block, const void *lock)
{
    struct fm_omp_wait wait = {.thread = fm_omp_thread(here),
                               .kind = fm_construct_meter(construct)};
    struct fm_omp_lock *object = fm_omp_lock_at(lock);
    if (FM_LIKELY(wait.thread != NULL)) {
        const size_t item = fm_construct_find(wait.thread, block);
        if (FM_UNLIKELY(wait.thread->visits.count != 0) && fm_omp_lock_is_awaited(object)) {
            fm_merged_visits_tell(wait.thread, &here);
        }
        const bool is_single = !fm_construct_is_merged(wait.thread, item);
        uint64_t now = fm_construct_time_left(wait.thread, wait.kind, here, item);
        fm_construct_leave(wait.thread, item, now);
        if (FM_LIKELY(object != NULL && is_single)) {
            fm_construct_note(wait.thread, FM_RECORD_LOCK_GIVEN, OTF2_PARADIGM_OPENMP, object->id,
                              now, object->acquired);
        }
        wait.item = fm_construct_find(wait.thread, construct);
        fm_omp_hold(wait.thread);
        fm_construct_done(wait.thread);
    }
    if (object != NULL) {
        __atomic_store_n(&object->is_held, 0, __ATOMIC_RELAXED);
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
