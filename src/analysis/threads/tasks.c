/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/threads/tasks.h"

#include "analysis/threads/team_instances.h"
#include "base/containers/map.h"

/* A task that a location has begun; the last one is current, the others are suspended. */
struct begun_task {
    uint32_t task;
    uint32_t run;  /* that goes on; FM_NONE: none */
    uint32_t team; /* of an implicit task: its communicator; else FM_NONE */
};

/* State while the records of a process's threads are read, one thread after the other. */
struct reading {
    const struct fm_trace *trace;
    struct fm_tasks *tasks;
    uint32_t location;
    struct fm_map of_team; /* team -> number of this instance among those of its tasks, from 1 on */
    struct fm_map of_id[2]; /* (instance, creator), then (that, generation) -> number, task */
    FM_VECTOR(struct begun_task) begun;
    struct fm_map instance_of_row; /* row of a record -> instance that it begins */
};

/* ---- what runs ---- */

static void stop(struct reading *reading, uint64_t time)
{
    if (reading->begun.count > 0) {
        struct begun_task *current = &reading->begun.items[reading->begun.count - 1];
        if (current->run != FM_NONE) {
            reading->tasks->runs.items[current->run].end = time;
            current->run = FM_NONE;
        }
    }
}

/* The current task runs from now on, unless it is an implicit one. */
static void run(struct reading *reading, uint32_t team, uint64_t time)
{
    struct begun_task *current = &reading->begun.items[reading->begun.count - 1];
    if (current->team == FM_NONE) {
        current->run = (uint32_t)reading->tasks->runs.count;
        fm_vector_push(&reading->tasks->runs,
                       ((struct fm_task_run){team, reading->location, time, UINT64_MAX}));
    }
}

static size_t find_begun(const struct reading *reading, uint32_t task)
{
    size_t i = 0;
    while (i < reading->begun.count && reading->begun.items[i].task != task) {
        i++;
    }
    return i;
}

static void begin_task(struct reading *reading, uint32_t task, uint32_t implicit_team)
{
    const size_t position = find_begun(reading, task);
    if (position < reading->begun.count) {
        reading->begun.count = position + 1;
    } else {
        fm_vector_push(&reading->begun, ((struct begun_task){task, FM_NONE, implicit_team}));
    }
}

/* A task has ended; the one before it goes on. */
static void end_task(struct reading *reading, size_t position, uint32_t team, uint64_t time)
{
    if (position >= reading->begun.count) {
        return;
    }
    const bool is_current = position + 1 == reading->begun.count;
    if (is_current) {
        stop(reading, time);
    }
    for (size_t i = position; i + 1 < reading->begun.count; i++) {
        reading->begun.items[i] = reading->begun.items[i + 1];
    }
    reading->begun.count--;
    if (reading->begun.count > 0 && reading->begun.items[reading->begun.count - 1].run == FM_NONE) {
        run(reading, team, time);
    }
}

/* ---- records ---- */

static uint32_t add_task(struct reading *reading)
{
    fm_vector_push(&reading->tasks->tasks, ((struct fm_task){.parent = FM_NONE,
                                                             .created = UINT64_MAX,
                                                             .end = UINT64_MAX,
                                                             .last = {FM_NONE, FM_NONE},
                                                             .creator = FM_NONE,
                                                             .created_in = {FM_NONE, FM_NONE},
                                                             .executor = FM_NONE,
                                                             .begin = UINT64_MAX}));
    return (uint32_t)reading->tasks->tasks.count - 1;
}

/* @return the task of a record, by its team's instance, creator and generation */
static uint32_t task_of(struct reading *reading, const struct fm_thread_record *record)
{
    uint32_t instance = fm_map_get(&reading->of_team, record->team);
    instance = instance == FM_MAP_ABSENT ? FM_NONE - 1 : instance;
    const uint32_t creator =
        *fm_map_at(&reading->of_id[0], (uint64_t)instance << 32 | (uint32_t)(record->id >> 32),
                   (uint32_t)reading->of_id[0].count);
    const uint32_t next = (uint32_t)reading->tasks->tasks.count;
    const uint32_t task =
        *fm_map_at(&reading->of_id[1], (uint64_t)creator << 32 | (uint32_t)record->id, next);
    return task == next ? add_task(reading) : task;
}

/* A tied task is resumed where it began; of an untied one the earliest switch counts. */
static void note_begin(const struct reading *reading, struct fm_task *task, uint64_t time,
                       uint32_t row)
{
    if (time < task->begin) {
        task->begin = time;
        task->executor = reading->location;
        task->begin_row = row;
    }
}

static uint32_t current(const struct reading *reading)
{
    return reading->begun.count == 0 ? FM_NONE
                                     : reading->begun.items[reading->begun.count - 1].task;
}

static void note_creation(const struct reading *reading, struct fm_task *task, uint32_t row)
{
    const struct fm_thread_record *record =
        &reading->trace->locations[reading->location].threads.items[row];
    task->parent = current(reading);
    task->created = record->time;
    task->creator = reading->location;
    task->create_row = row;
    task->created_in = (struct fm_call_ref){reading->location, record->activity};
    if (record->activity == FM_NONE && record->visit != FM_NONE) {
        task->created_in.activity = record->next_activity;
    }
}

static void read_team_end(struct reading *reading, const struct fm_thread_record *record)
{
    for (size_t i = reading->begun.count; i-- > 0;) {
        if (reading->begun.items[i].team == record->team) {
            end_task(reading, i, record->team, record->time);
            return;
        }
    }
}

static void read_record(struct reading *reading, uint32_t row)
{
    const struct fm_thread_record *record =
        &reading->trace->locations[reading->location].threads.items[row];
    uint32_t task;
    switch (record->type) {
    case FM_THREAD_TEAM_BEGIN:
        stop(reading, record->time);
        task = fm_map_get(&reading->instance_of_row, row);
        fm_map_take(&reading->of_team, record->team);
        fm_map_at(&reading->of_team, record->team, task);
        begin_task(reading, add_task(reading), record->team);
        break;
    case FM_THREAD_TEAM_END:
        read_team_end(reading, record);
        break;
    case FM_THREAD_TASK_CREATE:
        task = task_of(reading, record);
        note_creation(reading, &reading->tasks->tasks.items[task], row);
        break;
    case FM_THREAD_TASK_SWITCH:
        stop(reading, record->time);
        task = task_of(reading, record);
        note_begin(reading, &reading->tasks->tasks.items[task], record->time, row);
        begin_task(reading, task, FM_NONE);
        run(reading, record->team, record->time);
        break;
    case FM_THREAD_TASK_COMPLETE:
        task = task_of(reading, record);
        reading->tasks->tasks.items[task].end = record->time;
        reading->tasks->tasks.items[task].last =
            (struct fm_call_ref){reading->location, record->activity};
        end_task(reading, find_begun(reading, task), record->team, record->time);
        break;
    default:
        break;
    }
}

static uint32_t innermost_team(const struct reading *reading)
{
    for (size_t i = reading->begun.count; i-- > 0;) {
        if (reading->begun.items[i].team != FM_NONE) {
            return reading->begun.items[i].team;
        }
    }
    return FM_NONE;
}

/* Notes the calls that wait among the activities first .. last - 1. */
static void note_waits(struct reading *reading, uint32_t first, uint32_t last)
{
    const struct fm_location *location = &reading->trace->locations[reading->location];
    size_t next = fm_first_continuation(location, first);
    for (uint32_t a = first; a < last; a++) {
        if (next < location->continuations.count &&
            location->continuations.items[next].activity == a) {
            next++;
            continue;
        }
        const fm_call_t call = fm_trace_called(reading->trace, location, a)->call;
        if (call == FM_CALL_TEAM_BARRIER || call == FM_CALL_TASK_WAIT) {
            fm_vector_push(
                &reading->tasks->waits,
                ((struct fm_task_wait){innermost_team(reading), current(reading), reading->location,
                                       a, call == FM_CALL_TASK_WAIT}));
        }
    }
}

static void read_thread(struct reading *reading, uint32_t l)
{
    const struct fm_location *location = &reading->trace->locations[l];
    uint32_t at = 0;
    reading->location = l;
    reading->begun.count = 0;
    fm_map_clear(&reading->of_team);
    for (uint32_t i = 0; i < location->threads.count; i++) {
        note_waits(reading, at, location->threads.items[i].next_activity);
        at = location->threads.items[i].next_activity;
        read_record(reading, i);
    }
    note_waits(reading, at, (uint32_t)location->enter.count);
    stop(reading, location->end);
}

static bool has_tasks(const struct fm_trace *trace, uint32_t first, uint32_t last)
{
    for (uint32_t l = first; l < last; l++) {
        for (size_t i = 0; i < trace->locations[l].threads.count; i++) {
            if (trace->locations[l].threads.items[i].type >= FM_THREAD_TASK_CREATE) {
                return true;
            }
        }
    }
    return false;
}

/* Lists the instances that a location begins. The members are sorted by instance. */
static void list_instances(struct reading *reading, const struct fm_teams *teams, uint32_t l)
{
    fm_map_clear(&reading->instance_of_row);
    for (size_t m = 0; m < teams->members.count; m++) {
        const struct fm_team_member *member = &teams->members.items[m];
        if (member->location == l) {
            fm_map_at(&reading->instance_of_row, member->record, member->team);
        }
    }
}

void fm_tasks_find(const struct fm_trace *trace, uint32_t process, struct fm_tasks *tasks)
{
    const uint32_t first = fm_trace_first_location(trace, process);
    const uint32_t last = fm_trace_first_location(trace, process + 1);
    tasks->tasks.count = tasks->runs.count = tasks->waits.count = 0;
    if (!has_tasks(trace, first, last)) {
        return;
    }
    struct reading reading = {.trace = trace, .tasks = tasks};
    struct fm_teams teams = {0};
    fm_teams_find(trace, process, &teams);
    for (uint32_t l = first; l < last; l++) {
        list_instances(&reading, &teams, l);
        read_thread(&reading, l);
    }
    fm_teams_free(&teams);
    fm_map_free(&reading.of_team);
    fm_map_free(&reading.of_id[0]);
    fm_map_free(&reading.of_id[1]);
    fm_map_free(&reading.instance_of_row);
    fm_vector_free(&reading.begun);
}

void fm_tasks_free(struct fm_tasks *tasks)
{
    fm_vector_free(&tasks->tasks);
    fm_vector_free(&tasks->runs);
    fm_vector_free(&tasks->waits);
}
