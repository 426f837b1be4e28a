/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads: teams of OpenMP, whose members' call paths begin below that of the master, and POSIX
 * threads. */
#include "trace/builder/builder_internal.h"

#include <string.h>

/* Instead of the key of a call stack and of a call: what follows up to the parallel region is the
 * runtime's, no computation. */
enum { FORK = INT32_MAX - 1 };

static struct fm_thread_record *add_record(struct fm_builder *builder, fm_thread_record_type_t type,
                                           uint32_t team, uint64_t id)
{
    struct fm_location *location = builder->location;
    const size_t depth = builder->frames.count;
    fm_vector_push(&location->threads,
                   ((struct fm_thread_record){
                       .time = builder->now,
                       .id = id,
                       .acquired = UINT64_MAX,
                       .team = team,
                       .activity = builder->current_activity,
                       .next_activity = (uint32_t)location->enter.count,
                       .next_state = (uint32_t)location->state_since.count,
                       .visit = depth == 0 ? FM_NONE : builder->frames.items[depth - 1].visit,
                       .type = (uint8_t)type,
                   }));
    return &location->threads.items[location->threads.count - 1];
}

void fm_builder_fork(struct fm_builder *builder)
{
    fm_builder_end_computation(builder, FORK, FORK, fm_builder_innermost(builder));
    builder->forked_at = builder->now;
    fm_vector_push(&builder->open_forks, FM_NONE);
    add_record(builder, FM_THREAD_FORK, FM_NONE, 0);
}

void fm_builder_note_overhead(struct fm_builder *builder, uint64_t ticks)
{
    struct fm_location *location = builder->location;
    if (builder->forked_at != UINT64_MAX) {
        location->threads.items[location->threads.count - 1].overhead += ticks;
    }
}

void fm_builder_join(struct fm_builder *builder)
{
    builder->forked_at = UINT64_MAX;
    if (builder->open_forks.count > 0) {
        const uint32_t fork = builder->open_forks.items[--builder->open_forks.count];
        if (fork != FM_NONE) {
            builder->forks.items[fork].join = builder->now;
        }
    }
    add_record(builder, FM_THREAD_JOIN, FM_NONE, 0);
}

static void link_fork(struct fm_builder *builder, uint32_t number)
{
    const uint32_t team = builder->forks.items[number].team;
    uint32_t *last = fm_map_at(&builder->last_fork, team, number);
    if (*last == number) {
        *fm_map_at(&builder->first_fork, team, number) = number;
    } else {
        builder->forks.items[*last].next = number;
        *last = number;
    }
}

void fm_builder_forget_forks(struct fm_builder *builder, size_t count)
{
    if (builder->forks.count == count) {
        return;
    }
    builder->fork_calls.count = builder->forks.items[count].first_call;
    builder->forks.count = count;
    fm_map_clear(&builder->first_fork);
    fm_map_clear(&builder->last_fork);
    for (uint32_t i = 0; i < count; i++) {
        builder->forks.items[i].next = FM_NONE;
        link_fork(builder, i);
    }
}

/* Notes the open calls of a master for the members of its team. */
static void note_fork(struct fm_builder *builder, uint32_t team)
{
    struct fm_fork fork = {
        .time = builder->forked_at,
        .join = UINT64_MAX,
        .team = team,
        .first_call = (uint32_t)builder->fork_calls.count,
        .next = FM_NONE,
    };
    if (builder->base != FM_NONE) {
        const struct fm_fork base = builder->forks.items[builder->base_fork];
        for (uint32_t i = 0; i < base.call_count; i++) {
            fm_vector_push(&builder->fork_calls, builder->fork_calls.items[base.first_call + i]);
        }
    }
    for (size_t i = 0; i < builder->frames.count; i++) {
        fm_vector_push(&builder->fork_calls, builder->frames.items[i].call);
    }
    fork.call_count = (uint32_t)builder->fork_calls.count - fork.first_call;
    builder->open_forks.items[builder->open_forks.count - 1] = (uint32_t)builder->forks.count;
    fm_vector_push(&builder->forks, fork);
    link_fork(builder, (uint32_t)builder->forks.count - 1);
}

/* Lets the location's roots begin below the path of its master, if that is known: at the first fork
 * of the team that the location has not taken part in and that was not joined before. */
static void inherit(struct fm_builder *builder, uint32_t team)
{
    const struct fm_fork *forks = builder->forks.items;
    const uint32_t first = fm_map_get(&builder->first_fork, team);
    builder->base = FM_NONE;
    if (first == FM_MAP_ABSENT) {
        return;
    }
    uint32_t *next = fm_map_at(&builder->next_fork, team, first + 1);
    while (*next != 0 && forks[*next - 1].join < builder->now) {
        *next = forks[*next - 1].next + 1;
    }
    if (*next == 0 || forks[*next - 1].time > builder->now) {
        return;
    }
    const struct fm_fork *fork = &forks[*next - 1];
    builder->base_fork = *next - 1;
    *next = fork->next + 1;
    for (uint32_t i = 0; i < fork->call_count; i++) {
        builder->base = fm_builder_visit(builder, builder->base,
                                         builder->fork_calls.items[fork->first_call + i]);
    }
}

void fm_builder_team_begin(struct fm_builder *builder, uint32_t team)
{
    if (team == FM_NONE) {
        ++builder->defects->unusable_records;
        return;
    }
    if (builder->forked_at != UINT64_MAX) {
        note_fork(builder, team);
        builder->forked_at = UINT64_MAX;
    } else if (builder->frames.count == 0) {
        inherit(builder, team);
    }
    add_record(builder, FM_THREAD_TEAM_BEGIN, team, 0);
}

void fm_builder_team_end(struct fm_builder *builder, uint32_t team)
{
    if (team == FM_NONE) {
        ++builder->defects->unusable_records;
        return;
    }
    if (builder->frames.count == 0) {
        builder->base = FM_NONE;
    }
    add_record(builder, FM_THREAD_TEAM_END, team, 0);
}

static bool is_task(const struct fm_builder *builder, uint32_t visit)
{
    static const char task[] = "!$omp task";
    return visit != FM_NONE &&
           strncmp(builder->trace->regions[builder->location->profile.items[visit].region].name,
                   task, sizeof task - 1) == 0;
}

/* @return the call path of the work that has ended: of a thread the region that it left last, of a
 * task its own */
static uint32_t ended_visit(const struct fm_builder *builder, fm_thread_record_type_t type)
{
    if (type == FM_THREAD_END || is_task(builder, builder->last_left)) {
        return builder->last_left;
    }
    const size_t depth = builder->frames.count;
    const uint32_t innermost = depth == 0 ? FM_NONE : builder->frames.items[depth - 1].visit;
    return is_task(builder, innermost) ? innermost : FM_NONE;
}

void fm_builder_thread(struct fm_builder *builder, fm_thread_record_type_t type, uint32_t team,
                       uint64_t id)
{
    if (team == FM_NONE && type != FM_THREAD_OBJECT && type != FM_THREAD_CORRELATION &&
        type != FM_THREAD_STREAM && type != FM_THREAD_EVENT) {
        ++builder->defects->unusable_records;
        return;
    }
    struct fm_thread_record *record = add_record(builder, type, team, id);
    if (type == FM_THREAD_END) {
        fm_builder_end_last_computation(builder);
    }
    if (type == FM_THREAD_BEGIN) {
        builder->last_left = FM_NONE; /* earlier threads may have used the location */
    }
    if (type == FM_THREAD_TASK_CREATE && record->activity == FM_NONE && record->visit != FM_NONE) {
        fm_builder_add_empty_activity(builder, record->visit);
    }
    if (type == FM_THREAD_END || type == FM_THREAD_TASK_COMPLETE) {
        const uint32_t visit = ended_visit(builder, type);
        record->activity =
            visit == FM_NONE ? FM_NONE : fm_builder_add_empty_activity(builder, visit);
    }
}

void fm_builder_thread_lock(struct fm_builder *builder, fm_thread_record_type_t type, uint64_t lock,
                            uint32_t order, uint64_t acquired, bool shared)
{
    struct fm_thread_record *record = add_record(builder, type, FM_NONE, lock);
    record->order = order;
    record->acquired = acquired;
    record->shared = shared;
}
