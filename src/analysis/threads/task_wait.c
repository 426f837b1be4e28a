/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads and tasks of OpenMP: a task wait ends with the last child task, which another thread may
 * execute; a thread without a task waits for the creation of its next one (task_creations.h); and
 * starvation, the time that threads spend in barriers and task waits without a task while others
 * execute some. */
#include "analysis/dependencies/dependencies.h"
#include "analysis/pattern.h"
#include "analysis/threads/task_creations.h"
#include "analysis/threads/tasks.h"
#include "analysis/threads/team_instances.h"

#include "base/containers/search.h"
#include "base/containers/sort.h"

/* ---- waiting for children ---- */

/* A child of a task, or (wait != FM_NONE) a call that waits for the children. */
struct step {
    uint32_t parent;
    uint32_t wait; /* position in the waits */
    uint64_t time; /* created, or entered */
    uint32_t child;
    uint32_t unused;
};

typedef FM_VECTOR(struct step) steps;

/* Children that were created at the Enter of a wait belong to it. */
static int compare_steps(const void *a, const void *b)
{
    const struct step *left = a, *right = b;
    if (left->parent != right->parent) {
        return left->parent < right->parent ? -1 : 1;
    }
    if (left->time != right->time) {
        return left->time < right->time ? -1 : 1;
    }
    if ((left->wait == FM_NONE) != (right->wait == FM_NONE)) {
        return left->wait == FM_NONE ? -1 : 1;
    }
    return left->wait != right->wait    ? left->wait < right->wait ? -1 : 1
           : left->child < right->child ? -1
                                        : left->child > right->child;
}

static void list_steps(const struct fm_trace *trace, const struct fm_tasks *tasks, steps *list)
{
    list->count = 0;
    for (uint32_t t = 0; t < tasks->tasks.count; t++) {
        const struct fm_task *task = &tasks->tasks.items[t];
        if (task->parent != FM_NONE && task->created != UINT64_MAX && task->end != UINT64_MAX) {
            fm_vector_push(list, ((struct step){task->parent, FM_NONE, task->created, t, 0}));
        }
    }
    for (uint32_t w = 0; w < tasks->waits.count; w++) {
        const struct fm_task_wait *wait = &tasks->waits.items[w];
        if (wait->for_children && wait->task != FM_NONE) {
            const uint64_t enter = trace->locations[wait->location].enter.items[wait->activity];
            fm_vector_push(list, ((struct step){wait->task, w, enter, FM_NONE, 0}));
        }
    }
    fm_sort(list->items, list->count, sizeof *list->items, compare_steps);
}

static bool is_before(struct fm_call_ref a, struct fm_call_ref b)
{
    return a.location != b.location ? a.location < b.location : a.activity < b.activity;
}

/* A call waits for children. Those that had ended before it decide nothing, now or later: they are
 * removed from the list. */
static void judge(const struct fm_finder *finder, const struct fm_tasks *tasks,
                  const struct fm_task_wait *wait, uint64_t enter, uint32_t *children,
                  size_t *child_count)
{
    uint64_t last = 0;
    struct fm_call_ref cause = {FM_NONE, FM_NONE};
    size_t kept = 0;
    for (size_t i = 0; i < *child_count; i++) {
        const struct fm_task *child = &tasks->tasks.items[children[i]];
        if (finder->analysis->dependencies != NULL && child->last.activity != FM_NONE &&
            child->last.location != wait->location) {
            fm_depend_in_stretch(finder->analysis, finder->worker,
                                 (struct fm_call_ref){wait->location, wait->activity},
                                 fm_awaited_enter(child->last), child->end, FM_DEPENDS_ON_TASK_END);
        }
        if (child->end <= enter) {
            continue;
        }
        children[kept++] = children[i];
        if (child->end > last) {
            last = child->end;
            cause = (struct fm_call_ref){FM_NONE, FM_NONE};
        }
        if (child->end == last && child->last.activity != FM_NONE &&
            child->last.location != wait->location &&
            (cause.location == FM_NONE || is_before(child->last, cause))) {
            cause = child->last;
        }
    }
    *child_count = kept;
    if (cause.location != FM_NONE) {
        const struct fm_location *location = &finder->analysis->trace->locations[wait->location];
        const uint32_t activity = fm_stretch_at(location, wait->activity, last);
        fm_found_wait(finder, (struct fm_call_ref){wait->location, activity}, last, cause,
                      FM_METRIC_OMP_TASKWAIT_WAIT);
    }
}

static void find_waits(const struct fm_finder *finder, const struct fm_tasks *tasks, steps *list)
{
    FM_VECTOR(uint32_t) children = {0};
    list_steps(finder->analysis->trace, tasks, list);
    for (size_t i = 0; i < list->count; i++) {
        const struct step *step = &list->items[i];
        if (i > 0 && step->parent != step[-1].parent) {
            children.count = 0;
        }
        if (step->wait == FM_NONE) {
            fm_vector_push(&children, step->child);
        } else {
            judge(finder, tasks, &tasks->waits.items[step->wait], step->time, children.items,
                  &children.count);
        }
    }
    fm_vector_free(&children);
}

/* ---- starvation ---- */

/* From `time` on, a number of locations execute tasks of a team. */
struct load {
    uint64_t time;
    uint64_t any; /* ticks before `time` in which at least one location did */
    uint64_t one; /* ticks before `time` in which exactly one did */
    int64_t locations;
};

typedef FM_VECTOR(struct load) loads;

static int compare_loads(const void *a, const void *b)
{
    const struct load *left = a, *right = b;
    return left->time < right->time ? -1 : left->time > right->time;
}

/* Sums up the runs of a team. */
static void sum_up(const struct fm_tasks *tasks, uint32_t team, loads *list)
{
    list->count = 0;
    for (size_t i = 0; i < tasks->runs.count; i++) {
        const struct fm_task_run *run = &tasks->runs.items[i];
        if (run->team == team && run->begin < run->end) {
            fm_vector_push(list, ((struct load){.time = run->begin, .locations = 1}));
            fm_vector_push(list, ((struct load){.time = run->end, .locations = -1}));
        }
    }
    fm_sort(list->items, list->count, sizeof *list->items, compare_loads);
    for (size_t i = 1; i < list->count; i++) {
        struct load *load = &list->items[i];
        const uint64_t ticks = load->time - load[-1].time;
        load->any = load[-1].any + (load[-1].locations > 0 ? ticks : 0);
        load->one = load[-1].one + (load[-1].locations == 1 ? ticks : 0);
        load->locations += load[-1].locations;
    }
}

/* @return ticks before `time` in which any location, or exactly one, executes a task */
static uint64_t ticks_before(const loads *list, uint64_t time, bool exactly_one)
{
    const size_t behind = list->count == 0 ? 0
                                           : fm_count_below(&list->items->time, list->count,
                                                            sizeof *list->items, time);
    if (behind == 0) {
        return 0;
    }
    const struct load *load = &list->items[behind - 1];
    const bool counts = exactly_one ? load->locations == 1 : load->locations > 0;
    return (exactly_one ? load->one : load->any) + (counts ? time - load->time : 0);
}

/* @return ticks of a stretch in which others than its location execute tasks. `next` is the first
 * of the location's runs that ends behind the stretch's begin. */
static uint64_t starved(const struct fm_tasks *tasks, const loads *list, size_t next,
                        const struct fm_task_wait *wait, uint64_t from, uint64_t to)
{
    uint64_t ticks = ticks_before(list, to, false) - ticks_before(list, from, false);
    for (; next < tasks->runs.count; next++) {
        const struct fm_task_run *run = &tasks->runs.items[next];
        if (run->location != wait->location || run->begin >= to) {
            break;
        }
        if (run->team == wait->team && run->end > from) {
            const uint64_t begin = run->begin > from ? run->begin : from;
            const uint64_t end = run->end < to ? run->end : to;
            ticks -= ticks_before(list, end, true) - ticks_before(list, begin, true);
        }
    }
    return ticks;
}

/* @return the first run of a location that ends behind `time`. Runs of a location do not overlap.
 */
static size_t first_run(const struct fm_tasks *tasks, uint32_t location, uint64_t time)
{
    size_t low = 0, high = tasks->runs.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct fm_task_run *run = &tasks->runs.items[middle];
        if (run->location < location || (run->location == location && run->end <= time)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Adds the starvation of a stretch of a wait. */
static void add_starved(const struct fm_finder *finder, const struct fm_tasks *tasks,
                        const loads *list, const struct fm_task_wait *wait, uint32_t activity)
{
    const struct fm_location *location = &finder->analysis->trace->locations[wait->location];
    const uint64_t from = location->enter.items[activity];
    fm_found_count(finder, (struct fm_call_ref){wait->location, activity},
                   FM_METRIC_OMP_TASK_STARVATION,
                   starved(tasks, list, first_run(tasks, wait->location, from), wait, from,
                           location->leave.items[activity]));
}

/* @return the wait that an activity of a location begins; NULL: none */
static const struct fm_task_wait *wait_of(const struct fm_tasks *tasks, uint32_t location,
                                          uint32_t activity)
{
    size_t low = 0, high = tasks->waits.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct fm_task_wait *wait = &tasks->waits.items[middle];
        if (wait->location < location ||
            (wait->location == location && wait->activity < activity)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const struct fm_task_wait *wait = &tasks->waits.items[low];
    return low < tasks->waits.count && wait->location == location && wait->activity == activity
               ? wait
               : NULL;
}

/* Adds the starvation of all stretches of the waits of one team. */
static void find_starved(const struct fm_finder *finder, const struct fm_tasks *tasks,
                         uint32_t team, loads *list)
{
    const struct fm_trace *trace = finder->analysis->trace;
    sum_up(tasks, team, list);
    for (size_t w = 0; w < tasks->waits.count; w++) {
        const struct fm_task_wait *wait = &tasks->waits.items[w];
        if (wait->team == team) {
            add_starved(finder, tasks, list, wait, wait->activity);
        }
        if (w > 0 && wait->location == wait[-1].location) {
            continue;
        }
        const struct fm_location *location = &trace->locations[wait->location];
        for (size_t i = 0; i < location->continuations.count; i++) {
            const struct fm_continuation *stretch = &location->continuations.items[i];
            const struct fm_task_wait *whole = wait_of(tasks, wait->location, stretch->first);
            if (whole != NULL && whole->team == team) {
                add_starved(finder, tasks, list, whole, stretch->activity);
            }
        }
    }
}

/* Each team of the process once. */
static void find_all_starved(const struct fm_finder *finder, const struct fm_tasks *tasks,
                             loads *list)
{
    FM_VECTOR(uint32_t) teams = {0};
    for (size_t i = 0; i < tasks->runs.count; i++) {
        const uint32_t team = tasks->runs.items[i].team;
        size_t t = 0;
        while (t < teams.count && teams.items[t] != team) {
            t++;
        }
        if (t == teams.count) {
            fm_vector_push(&teams, team);
            find_starved(finder, tasks, team, list);
        }
    }
    fm_vector_free(&teams);
}

static void find(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_finder finder = *(const struct fm_finder *)context;
    struct fm_tasks tasks = {0};
    steps list = {0};
    loads load = {0};
    finder.worker = worker;
    for (uint32_t process = first; process < last; process++) {
        fm_tasks_find(finder.analysis->trace, process, &tasks);
        fm_depend_on_task_creations(finder.analysis, &tasks);
        find_waits(&finder, &tasks, &list);
        fm_find_waits_for_task_creations(&finder, process, &tasks);
        find_all_starved(&finder, &tasks, &load);
    }
    fm_vector_free(&list);
    fm_vector_free(&load);
    fm_tasks_free(&tasks);
}

static void detect(const struct fm_finder *finder)
{
    struct fm_finder own = *finder;
    fm_engine_run(finder->analysis->engine, find, &own);
}

const struct fm_pattern fm_pattern_task_wait = {
    .name = "Wait for child tasks",
    .detect = detect,
    .of_threads = true,
};
