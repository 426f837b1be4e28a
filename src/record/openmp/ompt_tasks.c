/* SPDX-License-Identifier: BSD-3-Clause */
/* Explicit tasks of runtimes with OMPT. What links an execution to its creation is in the word that
 * the runtime keeps for the tool with each task:
 *
 *     | explicit 1 | running 1 | in the runtime 1 | merged 1 | region 11 | creator 17 | generation
 * 32 |
 *
 * A task that a thread executes lies on the stack of the task that it has left, until it is
 * complete or (untied) returns to it: tasks nest. Each execution of a part of an untied task is
 * recorded as one of the task. */
#include "record/openmp/ompt_tool.h"

enum { REGIONS = 2048, REGION_AT = 49, CREATOR_AT = 32, CREATOR_MOST = (1 << 17) - 1 };
#define EXPLICIT   ((uint64_t)1 << 63)
#define RUNNING    ((uint64_t)1 << 62)
#define IN_RUNTIME ((uint64_t)1 << 61)
#define MERGED     ((uint64_t)1 << 60) /* its execution has begun without a record of its own */

/* The regions of tasks, by numbers. Those that do not fit share the last one. */
static const struct fm_construct_region *_Atomic regions[REGIONS];

static uint64_t number_of(const struct fm_construct_region *region)
{
    size_t home = (size_t)(((uintptr_t)region * 0x9e3779b97f4a7c15u) >> 40) % REGIONS;
    for (size_t i = 0; i < REGIONS; i++) {
        size_t place = (home + i) % REGIONS;
        const struct fm_construct_region *known = NULL;
        if (atomic_compare_exchange_strong(&regions[place], &known, region) || known == region) {
            return place;
        }
    }
    return home;
}

void fm_ompt_task_create(fm_ompt_data_t *task, const void *frame, fm_ompt_data_t *created,
                         int flags, int has_dependences, const void *call)
{
    (void)task, (void)frame, (void)has_dependences;
    if (created == NULL) {
        return;
    }
    created->value = 0;
    struct fm_thread *thread = fm_ompt_thread();
    if (thread == NULL || (flags & FM_OMPT_TASK_EXPLICIT) == 0) {
        return;
    }
    size_t loop = fm_construct_find(thread, FM_CONSTRUCT_TASKLOOP);
    uint64_t pc = fm_ompt_place(loop + 1 == thread->open.count ? fm_ompt_taskloop : call);
    const struct fm_construct_region *creation = fm_construct_at(FM_CONSTRUCT_TASK_CREATE, pc);
    const struct fm_construct_region *region = fm_construct_at(FM_CONSTRUCT_TASK, pc);
    if (creation == NULL || region == NULL || thread->member.number > CREATOR_MOST) {
        return;
    }
    uint32_t generation = ++thread->member.tasks;
    created->value = EXPLICIT | number_of(region) << REGION_AT |
                     (uint64_t)thread->member.number << CREATOR_AT | generation;
    uint64_t now = fm_construct_time(thread, FM_METER_TASKS, FM_HERE, true);
    size_t item = thread->open.count;
    fm_construct_enter(thread, creation, now);
    if (!thread->visits.wanted) {
        fm_construct_note(thread, FM_RECORD_TASK_CREATE, 0, thread->member.number, now, generation);
    }
    fm_construct_leave(thread, item, now);
    thread->left = now;
    fm_construct_done(thread);
}

static void note(struct fm_thread *thread, enum fm_record_kind kind, uint64_t task, uint64_t now)
{
    fm_construct_note(thread, kind, 0, (uint32_t)(task >> CREATOR_AT) & CREATOR_MOST, now,
                      (uint32_t)task);
}

static inline __attribute__((always_inline)) void
end_task(struct fm_thread *thread, fm_ompt_data_t *task, struct fm_here here)
{
    size_t item = fm_construct_find(thread, FM_CONSTRUCT_TASK);
    if (item < thread->open.count) {
        uint64_t now = fm_construct_time_left(thread, FM_METER_TASKS, here, item);
        fm_construct_leave(thread, item, now);
        if ((task->value & MERGED) == 0) {
            note(thread, FM_RECORD_TASK_COMPLETE, task->value, now);
        }
        thread->left = now;
        thread->depth = (task->value & IN_RUNTIME) != 0 ? FM_DEPTH_RUNTIME : 0;
        fm_construct_done(thread);
    }
    task->value &= ~(RUNNING | IN_RUNTIME | MERGED);
}

static inline __attribute__((always_inline)) void
begin_task(struct fm_thread *thread, fm_ompt_data_t *task, struct fm_here here)
{
    const struct fm_construct_region *region =
        atomic_load(&regions[task->value >> REGION_AT & (REGIONS - 1)]);
    task->value |= RUNNING;
    if (thread->depth == FM_DEPTH_RUNTIME) {
        task->value |= IN_RUNTIME;
        fm_omp_interrupt(thread);
    }
    uint64_t now = fm_construct_time(thread, FM_METER_TASKS, here, true);
    if (thread->visits.wanted) {
        task->value |= MERGED;
    } else {
        note(thread, FM_RECORD_TASK_SWITCH, task->value, now);
    }
    fm_construct_enter(thread, region, now);
    fm_construct_computes(thread, now);
    fm_construct_done(thread);
}

void fm_ompt_task_schedule(fm_ompt_data_t *prior, int status, fm_ompt_data_t *next)
{
    struct fm_thread *thread = fm_ompt_thread();
    if (thread == NULL || next == NULL) { /* NULL: an event of a detached task */
        return;
    }
    bool is_new = (next->value & (EXPLICIT | RUNNING)) == EXPLICIT;
    bool returns = status != FM_OMPT_SWITCHED || !is_new;
    if (prior != NULL && (prior->value & RUNNING) != 0 && returns) {
        end_task(thread, prior, FM_HERE);
    }
    if (is_new) {
        begin_task(thread, next, FM_HERE);
    }
}

/* ---- loops of tasks ---- */

__thread const void *fm_ompt_taskloop;

void fm___kmpc_taskloop(void *place, int thread, void *task, int condition, uint64_t *lower,
                        uint64_t *upper, int64_t step, int no_group, int schedule, uint64_t grain,
                        void *copy)
{
    const void *outer = fm_ompt_taskloop;
    fm_ompt_taskloop = (const void *)(uintptr_t)fm_omp_pc(FM_HERE);
    FM_OMP(__kmpc_taskloop)
    (place, thread, task, condition, lower, upper, step, no_group, schedule, grain, copy);
    fm_ompt_taskloop = outer;
}

void fm___kmpc_taskloop_5(void *place, int thread, void *task, int condition, uint64_t *lower,
                          uint64_t *upper, int64_t step, int no_group, int schedule, uint64_t grain,
                          int modifier, void *copy)
{
    const void *outer = fm_ompt_taskloop;
    fm_ompt_taskloop = (const void *)(uintptr_t)fm_omp_pc(FM_HERE);
    FM_OMP(__kmpc_taskloop_5)
    (place, thread, task, condition, lower, upper, step, no_group, schedule, grain, modifier, copy);
    fm_ompt_taskloop = outer;
}
