/* SPDX-License-Identifier: BSD-3-Clause */
#include "timeline/thread_arrows.h"

#include "analysis/threads/tasks.h"
#include "analysis/threads/team_instances.h"
#include "analysis/threads/thread_holds.h"
#include "analysis/threads/thread_lives.h"

struct threads {
    const struct fm_trace *trace;
    uint32_t process;
    fm_arrow_sink *sink;
    void *context;
};

static void put(const struct threads *threads, enum fm_arrow_kind kind, uint32_t from,
                uint64_t since, uint32_t to, uint64_t until)
{
    if (from != to && since <= until) {
        const struct fm_arrow arrow = {
            .tail = {from, FM_NONE, since}, .head = {to, FM_NONE, until}, .kind = kind};
        threads->sink(threads->context, &arrow);
    }
}

static uint64_t time_of(const struct threads *threads, const struct fm_life_record *record)
{
    return threads->trace->locations[record->location].threads.items[record->record].time;
}

/* From the fork of a team to the begins of its other members. */
static void add_forks(const struct threads *threads)
{
    struct fm_teams teams = {0};
    fm_teams_find(threads->trace, threads->process, &teams);
    for (size_t m = 0; m < teams.members.count; m++) {
        const struct fm_team_member *member = &teams.members.items[m];
        const struct fm_team_instance *team = &teams.instances.items[member->team];
        if (team->master != FM_NONE) {
            const struct fm_location *location = &threads->trace->locations[member->location];
            put(threads, FM_ARROW_FORK, team->master, team->fork, member->location,
                location->threads.items[member->record].time);
        }
    }
    fm_teams_free(&teams);
}

/* From the creation of a POSIX thread to its begin, from its end to the end of the call that waits
 * for it. */
static void add_lives(const struct threads *threads)
{
    fm_life_records lives = {0};
    fm_life_records_list(threads->trace, threads->process, &lives);
    for (size_t at = 0; at < lives.count;) {
        const struct fm_life life = fm_thread_life_at(&lives, at);
        if (life.created != NULL && life.begun != NULL) {
            put(threads, FM_ARROW_THREAD_START, life.created->location,
                time_of(threads, life.created), life.begun->location, time_of(threads, life.begun));
        }
        for (size_t i = life.first; life.ended != NULL && i < life.end; i++) {
            const struct fm_life_record *wait = &lives.items[i];
            if (wait->type == FM_THREAD_WAIT) {
                put(threads, FM_ARROW_THREAD_END, life.ended->location,
                    time_of(threads, life.ended), wait->location, time_of(threads, wait));
            }
        }
        at = life.end;
    }
    fm_vector_free(&lives);
}

/* From the creation of a task to its begin on another thread. */
static void add_tasks(const struct threads *threads)
{
    struct fm_tasks tasks = {0};
    fm_tasks_find(threads->trace, threads->process, &tasks);
    for (size_t t = 0; t < tasks.tasks.count; t++) {
        const struct fm_task *task = &tasks.tasks.items[t];
        if (task->creator != FM_NONE && task->executor != FM_NONE) {
            put(threads, FM_ARROW_TASK, task->creator, task->created, task->executor, task->begin);
        }
    }
    fm_tasks_free(&tasks);
}

/* From the release of a lock to its acquisition by a thread that waited for that.
 * @param before  blocks the hold */
static void add_hand_over(const struct threads *threads, const struct fm_thread_hold *before,
                          const struct fm_thread_hold *hold)
{
    const struct fm_location *locations = threads->trace->locations;
    if (hold->call == FM_NONE) {
        return;
    }
    const uint64_t released = locations[before->location].enter.items[before->release];
    if (locations[hold->location].enter.items[hold->call] < released) {
        put(threads, FM_ARROW_HAND_OVER, before->location, released, hold->location,
            hold->acquired);
    }
}

static void add_hand_overs(const struct threads *threads)
{
    fm_thread_holds holds = {0};
    fm_thread_holds_find(threads->trace, threads->process, &holds);
    struct fm_blocking_holds blocking = {FM_NONE, FM_NONE};
    for (uint32_t i = 0; i < holds.count; i++) {
        const struct fm_thread_hold *hold = &holds.items[i];
        if (i > 0 && hold[-1].lock != hold->lock) {
            blocking = (struct fm_blocking_holds){FM_NONE, FM_NONE};
        }
        const uint32_t before = hold->shared ? blocking.exclusive : blocking.any;
        if (before != FM_NONE) {
            add_hand_over(threads, &holds.items[before], hold);
        }
        fm_blocking_holds_add(&blocking, holds.items, i);
    }
    fm_vector_free(&holds);
}

void fm_thread_arrows(const struct fm_trace *trace, uint32_t process, fm_arrow_sink *sink,
                      void *context)
{
    const struct threads threads = {trace, process, sink, context};
    if (trace->processes[process].location_count > 1) {
        add_forks(&threads);
        add_lives(&threads);
        add_tasks(&threads);
        add_hand_overs(&threads);
    }
}
