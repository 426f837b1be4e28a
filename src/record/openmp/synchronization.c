/* SPDX-License-Identifier: BSD-3-Clause */
/* Barriers, critical and ordered regions, atomic operations that need the runtime, and locks. A
 * thread holds a lock from the record behind its acquisition to the record before its release. */
#include "record/openmp/block.h"

void fm_GOMP_barrier(void)
{
    struct fm_omp_wait wait = fm_omp_wait_begin(FM_HERE, FM_CONSTRUCT_BARRIER);
    FM_OMP(GOMP_barrier)();
    fm_omp_wait_end(wait);
}

bool fm_GOMP_barrier_cancel(void)
{
    struct fm_omp_wait wait = fm_omp_wait_begin(FM_HERE, FM_CONSTRUCT_BARRIER);
    bool cancelled = FM_OMP(GOMP_barrier_cancel)();
    fm_omp_wait_end(wait);
    return cancelled;
}

/* The barrier at the end of a loop, sections or scope with a reduction over tasks; there is none
 * behind a cancellation. */
void fm_GOMP_workshare_task_reduction_unregister(bool cancelled)
{
    if (cancelled) {
        FM_OMP(GOMP_workshare_task_reduction_unregister)(cancelled);
        return;
    }
    struct fm_omp_wait wait = fm_omp_wait_begin(FM_HERE, FM_CONSTRUCT_IMPLICIT_BARRIER);
    FM_OMP(GOMP_workshare_task_reduction_unregister)(cancelled);
    fm_omp_wait_end(wait);
}

/* ---- regions that one thread at a time is in ---- */

/* The lock of all critical regions without a name. */
static const char unnamed;

void fm_GOMP_critical_start(void)
{
    struct fm_omp_wait wait = fm_omp_wait_for_block(FM_HERE, FM_CONSTRUCT_CRITICAL, &unnamed);
    FM_OMP(GOMP_critical_start)();
    fm_omp_enter_block(wait, FM_CONSTRUCT_CRITICAL_SBLOCK, fm_omp_pc(FM_HERE), &unnamed, false);
}

void fm_GOMP_critical_end(void)
{
    struct fm_omp_wait wait =
        fm_omp_leave_block(FM_HERE, FM_CONSTRUCT_CRITICAL, FM_CONSTRUCT_CRITICAL_SBLOCK, &unnamed);
    FM_OMP(GOMP_critical_end)();
    fm_omp_wait_end(wait);
}

void fm_GOMP_critical_name_start(void **lock)
{
    struct fm_omp_wait wait = fm_omp_wait_for_block(FM_HERE, FM_CONSTRUCT_CRITICAL, lock);
    FM_OMP(GOMP_critical_name_start)(lock);
    fm_omp_enter_block(wait, FM_CONSTRUCT_CRITICAL_SBLOCK, fm_omp_pc(FM_HERE), lock, true);
}

void fm_GOMP_critical_name_end(void **lock)
{
    struct fm_omp_wait wait =
        fm_omp_leave_block(FM_HERE, FM_CONSTRUCT_CRITICAL, FM_CONSTRUCT_CRITICAL_SBLOCK, lock);
    FM_OMP(GOMP_critical_name_end)(lock);
    fm_omp_wait_end(wait);
}

void fm_GOMP_ordered_start(void)
{
    struct fm_omp_wait wait =
        fm_omp_wait_for_block(FM_HERE, FM_CONSTRUCT_ORDERED, fm_omp_order_of_loop());
    FM_OMP(GOMP_ordered_start)();
    if (fm_thread_self != NULL) {
        fm_omp_enter_block(wait, FM_CONSTRUCT_ORDERED_SBLOCK, fm_omp_pc(FM_HERE),
                           fm_omp_order_of_loop(), false);
    }
}

void fm_GOMP_ordered_end(void)
{
    struct fm_omp_wait wait = fm_omp_leave_block(
        FM_HERE, FM_CONSTRUCT_ORDERED, FM_CONSTRUCT_ORDERED_SBLOCK, fm_omp_order_of_loop());
    FM_OMP(GOMP_ordered_end)();
    fm_omp_wait_end(wait);
}

/* ---- atomic operations ---- */

void fm_GOMP_atomic_start(void)
{
    struct fm_thread *thread = fm_omp_thread(FM_HERE);
    if (thread != NULL) {
        const struct fm_construct_region *region =
            fm_construct_at(FM_CONSTRUCT_ATOMIC, fm_omp_pc(FM_HERE));
        uint64_t now = fm_construct_time(thread, FM_METER_LOCKS, FM_HERE, true);
        fm_construct_enter(thread, region, now);
        fm_construct_done(thread);
    }
    FM_OMP(GOMP_atomic_start)();
}

void fm_GOMP_atomic_end(void)
{
    FM_OMP(GOMP_atomic_end)();
    struct fm_thread *thread = fm_omp_thread(FM_HERE);
    if (thread != NULL) {
        uint64_t now = fm_construct_time(thread, FM_METER_LOCKS, FM_HERE, true);
        fm_construct_leave(thread, fm_construct_find(thread, FM_CONSTRUCT_ATOMIC), now);
        thread->left = now;
        fm_construct_done(thread);
    }
}
