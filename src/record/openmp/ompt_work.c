/* SPDX-License-Identifier: BSD-3-Clause */
/* Worksharing, masked, critical and ordered constructs of runtimes with OMPT. */
#include "record/openmp/block.h"
#include "record/openmp/ompt_tool.h"

static inline __attribute__((always_inline)) void enter(struct fm_thread *thread,
                                                        struct fm_here here,
                                                        enum fm_construct construct,
                                                        enum fm_construct block, const void *call)
{
    uint64_t pc = (uint64_t)(uintptr_t)call;
    const struct fm_construct_region *region = fm_construct_at(construct, pc);
    const struct fm_construct_region *inner =
        block != construct ? fm_construct_at(block, pc) : NULL;
    uint64_t now = fm_construct_time(thread, fm_construct_meter(construct), here, true);
    fm_construct_enter(thread, region, now);
    if (inner != NULL) {
        fm_construct_enter(thread, inner, now);
    }
    thread->left = now;
    fm_construct_done(thread);
}

static inline __attribute__((always_inline)) void
leave(struct fm_thread *thread, struct fm_here here, enum fm_construct construct)
{
    size_t item = fm_construct_find(thread, construct);
    if (item < thread->open.count) {
        uint64_t now = fm_construct_time_left(thread, fm_construct_meter(construct), here, item);
        fm_construct_leave(thread, item, now);
        thread->left = now;
        fm_construct_done(thread);
    }
}

void fm_ompt_work(int kind, int endpoint, fm_ompt_data_t *parallel, fm_ompt_data_t *task,
                  uint64_t count, const void *call)
{
    static const enum fm_construct constructs[][2] = {
        [FM_OMPT_LOOP] = {FM_CONSTRUCT_LOOP, FM_CONSTRUCT_LOOP},
        [FM_OMPT_SECTIONS] = {FM_CONSTRUCT_SECTIONS, FM_CONSTRUCT_SECTIONS},
        [FM_OMPT_SINGLE_EXECUTOR] = {FM_CONSTRUCT_SINGLE, FM_CONSTRUCT_SINGLE_SBLOCK},
        [FM_OMPT_SINGLE_OTHER] = {FM_CONSTRUCT_SINGLE, FM_CONSTRUCT_SINGLE},
        [FM_OMPT_WORKSHARE] = {FM_CONSTRUCT_WORKSHARE, FM_CONSTRUCT_WORKSHARE},
        [FM_OMPT_TASKLOOP] = {FM_CONSTRUCT_TASKLOOP, FM_CONSTRUCT_TASKLOOP},
    };
    (void)parallel, (void)task, (void)count;
    struct fm_thread *thread = fm_ompt_thread();
    if (thread == NULL || kind <= 0 || kind >= (int)(sizeof constructs / sizeof constructs[0]) ||
        constructs[kind][0] == FM_CONSTRUCT_PARALLEL) {
        return;
    }
    call = kind == FM_OMPT_TASKLOOP ? fm_ompt_taskloop : call;
    if ((endpoint & FM_OMPT_BEGIN) != 0) {
        enter(thread, FM_HERE, constructs[kind][0], constructs[kind][1], call);
    }
    if ((endpoint & FM_OMPT_END) != 0) {
        leave(thread, FM_HERE, constructs[kind][0]);
    }
}

void fm_ompt_masked(int endpoint, fm_ompt_data_t *parallel, fm_ompt_data_t *task, const void *call)
{
    (void)parallel, (void)task;
    struct fm_thread *thread = fm_ompt_thread();
    if (thread == NULL) {
        return;
    }
    if (endpoint == FM_OMPT_BEGIN) {
        enter(thread, FM_HERE, FM_CONSTRUCT_MASTER, FM_CONSTRUCT_MASTER, call);
    } else {
        leave(thread, FM_HERE, FM_CONSTRUCT_MASTER);
    }
}

/* ---- regions that one thread at a time is in ---- */

void fm___kmpc_critical(void *place, int thread, void *lock)
{
    struct fm_omp_wait wait = fm_omp_wait_for_block(FM_HERE, FM_CONSTRUCT_CRITICAL, lock);
    FM_OMP(__kmpc_critical)(place, thread, lock);
    fm_omp_enter_block(wait, FM_CONSTRUCT_CRITICAL_SBLOCK, fm_omp_pc(FM_HERE), lock, true);
}

void fm___kmpc_critical_with_hint(void *place, int thread, void *lock, uint32_t hint)
{
    struct fm_omp_wait wait = fm_omp_wait_for_block(FM_HERE, FM_CONSTRUCT_CRITICAL, lock);
    FM_OMP(__kmpc_critical_with_hint)(place, thread, lock, hint);
    fm_omp_enter_block(wait, FM_CONSTRUCT_CRITICAL_SBLOCK, fm_omp_pc(FM_HERE), lock, true);
}

void fm___kmpc_end_critical(void *place, int thread, void *lock)
{
    struct fm_omp_wait wait =
        fm_omp_leave_block(FM_HERE, FM_CONSTRUCT_CRITICAL, FM_CONSTRUCT_CRITICAL_SBLOCK, lock);
    FM_OMP(__kmpc_end_critical)(place, thread, lock);
    fm_omp_wait_end(wait);
}

void fm___kmpc_ordered(void *place, int thread)
{
    struct fm_omp_wait wait =
        fm_omp_wait_for_block(FM_HERE, FM_CONSTRUCT_ORDERED, fm_omp_order_of_loop());
    FM_OMP(__kmpc_ordered)(place, thread);
    if (fm_thread_self != NULL) {
        fm_omp_enter_block(wait, FM_CONSTRUCT_ORDERED_SBLOCK, fm_omp_pc(FM_HERE),
                           fm_omp_order_of_loop(), false);
    }
}

/* Waits until the iterations that this one depends on have got far enough. */
void fm___kmpc_doacross_wait(void *place, int thread, const int64_t *iteration)
{
    struct fm_omp_wait wait = fm_omp_wait_begin(FM_HERE, FM_CONSTRUCT_ORDERED_DEPEND);
    FM_OMP(__kmpc_doacross_wait)(place, thread, iteration);
    fm_omp_wait_end(wait);
}

void fm___kmpc_end_ordered(void *place, int thread)
{
    struct fm_omp_wait wait = fm_omp_leave_block(
        FM_HERE, FM_CONSTRUCT_ORDERED, FM_CONSTRUCT_ORDERED_SBLOCK, fm_omp_order_of_loop());
    FM_OMP(__kmpc_end_ordered)(place, thread);
    fm_omp_wait_end(wait);
}
