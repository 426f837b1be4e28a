/* SPDX-License-Identifier: BSD-3-Clause */
/* Parallel regions of runtimes with OMPT. The forking thread knows when a team ends; the other
 * members are told the end when they begin the next one only (team_end.h). */
#include "record/openmp/ompt_tool.h"
#include "record/openmp/team_memory.h"

static _Atomic uint64_t teams;

void fm_ompt_parallel_begin(fm_ompt_data_t *task, const void *frame, fm_ompt_data_t *parallel,
                            unsigned requested, int flags, const void *call)
{
    (void)task, (void)frame;
    parallel->ptr = NULL;
    if ((flags & FM_OMPT_LEAGUE) != 0) {
        return;
    }
    struct fm_thread *thread = fm_thread_self != NULL ? fm_thread_self : fm_thread_attach();
    thread = thread != NULL && !fm_thread_is_quiet(thread) ? thread : NULL;
    struct fm_omp_team *team = thread != NULL ? fm_omp_take_team(thread) : NULL;
    if (team == NULL) {
        return;
    }
    struct fm_omp_team *outer = thread->member.team;
    *team = (struct fm_omp_team){
        .parallel = fm_construct_at(FM_CONSTRUCT_PARALLEL, fm_ompt_place(call)),
        .barrier = fm_construct_at(FM_CONSTRUCT_IMPLICIT_BARRIER, fm_ompt_place(call)),
        .forker = thread,
        .instance = atomic_fetch_add_explicit(&teams, 1, memory_order_relaxed) + 1,
        .item = SIZE_MAX,
        .outer = outer,
        .outer_number = thread->member.number,
        .level = outer != NULL ? outer->level + 1 : 1,
        .call = (uint64_t)(uintptr_t)call,
    };
    team->ordered = (const char *)thread + team->level % 64;
    uint64_t now = fm_construct_time(thread, FM_METER_CONSTRUCTS, FM_HERE, true);
    uint64_t *place = fm_thread_reserve(thread, FM_WORDS_FORK);
    place[0] = fm_record_header(FM_RECORD_FORK, 0, requested);
    place[1] = now;
    parallel->ptr = team;
    fm_omp_hold(thread);
    fm_construct_done(thread);
}

/* The thread is in the barrier at the end of the team. */
static inline __attribute__((always_inline)) void
enter_barrier(struct fm_omp_team *team, struct fm_thread *thread, struct fm_here here)
{
    uint64_t now = fm_construct_time(thread, FM_METER_CONSTRUCTS, here, true);
    fm_construct_enter(thread, team->barrier, now);
    if (thread == team->forker) { /* others do not write it: they would race with the forker */
        team->has_ended = true;
    }
    fm_omp_hold(thread);
    fm_construct_done(thread);
}

/* All members have come to the barrier at the end, and are told its end. */
static inline __attribute__((always_inline)) void
end_team(fm_ompt_data_t *parallel, struct fm_omp_team *team, struct fm_here here)
{
    parallel->ptr = NULL;
    if (fm_ompt_thread() != NULL) {
        if (!team->has_ended && team->item != SIZE_MAX) { /* a team of one thread has no barrier */
            enter_barrier(team, team->forker, here);
        }
        fm_omp_join_team(team);
    }
    fm_omp_give_back_team(team);
}

void fm_ompt_parallel_end(fm_ompt_data_t *parallel, fm_ompt_data_t *task, int flags,
                          const void *call)
{
    (void)task, (void)flags, (void)call;
    struct fm_omp_team *team = parallel->ptr;
    if (team != NULL && team->forker == fm_thread_self) {
        end_team(parallel, team, FM_HERE);
    }
}

/* Gives the thread the location of its part. The runtime lets threads play changing parts: the
 * location of an earlier one, whose team has ended, is taken over by the next thread with it. */
static struct fm_thread *member_of(struct fm_omp_team *team, unsigned number)
{
    uint64_t part = fm_omp_part(team, team->level, number);
    struct fm_thread *thread = fm_thread_self;
    if (thread == NULL || !fm_thread_is_own(thread) || (number != 0 && thread->part != part)) {
        thread = fm_thread_attach_as(part, number);
    }
    if (number != 0 && thread != NULL) {
        fm_team_end_record(thread);
    }
    return thread;
}

void fm_ompt_implicit_task(int endpoint, fm_ompt_data_t *parallel, fm_ompt_data_t *task,
                           unsigned size, unsigned number, int flags)
{
    if ((flags & FM_OMPT_TASK_INITIAL) != 0 ||
        endpoint != FM_OMPT_BEGIN) { /* the end comes too late in the members */
        return;
    }
    task->value = 0;
    struct fm_omp_team *team = parallel->ptr;
    struct fm_thread *thread = team != NULL ? member_of(team, number) : NULL;
    if (thread == NULL || fm_ompt_thread() == NULL) {
        return;
    }
    fm_omp_begin_team(team, thread, FM_HERE, number, size, team->level);
    if (number != 0) {
        thread->member.instance = team->instance;
    }
}

/* ---- barriers and waiting for tasks ---- */

/* Whether it is the barrier at the end of the team: its call is known to the forker only. */
static bool is_at_end(const struct fm_thread *thread, const struct fm_omp_team *team, int kind,
                      const void *call)
{
    uint64_t known = team != NULL && team->forker == thread ? team->call : 0;
    return team != NULL &&
           (kind == FM_OMPT_BARRIER_PARALLEL ||
            (kind == FM_OMPT_BARRIER_IMPLICIT && (uint64_t)(uintptr_t)call == known));
}

static enum fm_construct construct_of(int kind)
{
    switch (kind) {
    case FM_OMPT_BARRIER_IMPLICIT:
    case FM_OMPT_BARRIER_IMPLEMENTATION:
    case FM_OMPT_BARRIER_WORKSHARE:
        return FM_CONSTRUCT_IMPLICIT_BARRIER;
    case FM_OMPT_BARRIER:
    case FM_OMPT_BARRIER_EXPLICIT:
        return FM_CONSTRUCT_EXPLICIT_BARRIER;
    case FM_OMPT_TASKWAIT:
        return FM_CONSTRUCT_TASKWAIT;
    default:
        return FM_CONSTRUCT_COUNT;
    }
}

/* Enters a construct that waits. */
static inline __attribute__((always_inline)) void
begin_wait(struct fm_thread *thread, struct fm_here here, enum fm_construct construct, uint64_t pc)
{
    const struct fm_construct_region *region = fm_construct_at(construct, pc);
    uint64_t now = fm_construct_time(thread, fm_construct_meter(construct), here, true);
    fm_construct_enter(thread, region, now);
    fm_omp_hold(thread);
    fm_construct_done(thread);
}

static void end_wait(struct fm_thread *thread, enum fm_construct construct)
{
    size_t item = fm_construct_find(thread, construct);
    if (item < thread->open.count) {
        fm_omp_wait_end((struct fm_omp_wait){
            .thread = thread, .item = item, .kind = fm_construct_meter(construct)});
    }
}

/* A group of tasks; the wait at its end is told by sync_region_wait. */
static inline __attribute__((always_inline)) void
group(struct fm_thread *thread, struct fm_here here, int endpoint, const void *call)
{
    if (endpoint == FM_OMPT_BEGIN) {
        const struct fm_construct_region *region =
            fm_construct_at(FM_CONSTRUCT_TASKGROUP, (uint64_t)(uintptr_t)call);
        uint64_t now = fm_construct_time(thread, FM_METER_TASKS, here, true);
        fm_construct_enter(thread, region, now);
        thread->left = now;
        fm_construct_done(thread);
    } else {
        end_wait(thread, FM_CONSTRUCT_TASKGROUP);
    }
}

void fm_ompt_sync_region(int kind, int endpoint, fm_ompt_data_t *parallel, fm_ompt_data_t *task,
                         const void *call)
{
    (void)task;
    struct fm_thread *thread = fm_ompt_thread();
    if (thread == NULL || parallel == NULL) { /* NULL: the team has ended (team_end.h) */
        return;
    }
    struct fm_omp_team *team = thread->member.team;
    if (kind == FM_OMPT_TASKGROUP) {
        group(thread, FM_HERE, endpoint, call);
    } else if (is_at_end(thread, team, kind, call)) {
        if (endpoint == FM_OMPT_BEGIN) {
            enter_barrier(team, thread, FM_HERE);
        } else if (team == parallel->ptr) { /* only the forker is told the end */
            end_team(parallel, team, FM_HERE);
        }
    } else if (construct_of(kind) != FM_CONSTRUCT_COUNT) {
        if (endpoint == FM_OMPT_BEGIN) {
            begin_wait(thread, FM_HERE, construct_of(kind), (uint64_t)(uintptr_t)call);
        } else {
            end_wait(thread, construct_of(kind));
        }
    }
}

void fm_ompt_sync_region_wait(int kind, int endpoint, fm_ompt_data_t *parallel,
                              fm_ompt_data_t *task, const void *call)
{
    (void)parallel, (void)task, (void)call;
    struct fm_thread *thread = fm_ompt_thread();
    size_t item = thread != NULL ? fm_construct_find(thread, FM_CONSTRUCT_TASKGROUP) : 0;
    if (kind != FM_OMPT_TASKGROUP || thread == NULL || item >= thread->open.count) {
        return;
    }
    if (endpoint == FM_OMPT_BEGIN) {
        begin_wait(thread, FM_HERE, FM_CONSTRUCT_TASKWAIT, fm_construct_open(thread, item)->pc);
    } else {
        end_wait(thread, FM_CONSTRUCT_TASKWAIT);
    }
}
