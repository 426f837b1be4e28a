/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/threads/task_creations.h"

#include "analysis/dependencies/dependencies.h"
#include "base/containers/map.h"

static bool has_other_creator(const struct fm_task *task)
{
    return task->created != UINT64_MAX && task->begin != UINT64_MAX &&
           task->creator != task->executor;
}

void fm_depend_on_task_creations(const struct fm_analysis *analysis, const struct fm_tasks *tasks)
{
    for (size_t t = 0; analysis->dependencies != NULL && t < tasks->tasks.count; t++) {
        const struct fm_task *task = &tasks->tasks.items[t];
        if (has_other_creator(task)) {
            fm_depend_start(analysis, task->executor, task->begin_row, task->creator,
                            task->create_row, FM_DEPENDS_ON_START);
        }
    }
}

/* @return the metric of the waiting in a barrier or task wait; FM_METRIC_NONE: the call is none */
static fm_metric_t waiting_in(const struct fm_analysis *analysis, struct fm_call_ref call)
{
    const struct fm_location *location = &analysis->trace->locations[call.location];
    switch (analysis->own_metrics[fm_trace_region(location, call.activity)]) {
    case FM_METRIC_OMP_EBARRIER:
        return FM_METRIC_OMP_EBARRIER_WAIT;
    case FM_METRIC_OMP_IBARRIER:
        return FM_METRIC_OMP_IBARRIER_WAIT;
    case FM_METRIC_OMP_TASKWAIT:
        return FM_METRIC_OMP_TASKWAIT_WAIT;
    default:
        return FM_METRIC_NONE;
    }
}

/* @return whether no region is entered or left between a record and the next one of its location */
static bool is_followed_at_once(const struct fm_location *location, uint32_t row)
{
    const struct fm_thread_record *record = &location->threads.items[row];
    return row + 1 < location->threads.count && record[1].visit == record->visit &&
           record[1].next_state == record->next_state &&
           record[1].next_activity == record->next_activity;
}

/* @return the stretch that the begin of a task ends; activity FM_NONE: the begin lies in no call,
 * or other records of threads follow it in the stretch, such as the end of the task */
static struct fm_call_ref ended_stretch(const struct fm_trace *trace, const struct fm_task *task)
{
    const struct fm_location *location = &trace->locations[task->executor];
    const bool ends = !is_followed_at_once(location, task->begin_row);
    return (struct fm_call_ref){task->executor,
                                ends ? location->threads.items[task->begin_row].activity : FM_NONE};
}

static uint64_t key_of(struct fm_call_ref call)
{
    return (uint64_t)call.location << 32 | call.activity;
}

/* Lists the stretches that have a candidate for a wait state already. */
static void list_decided(const struct fm_analysis *analysis, uint32_t process,
                         struct fm_map *decided)
{
    for (uint32_t l = fm_trace_first_location(analysis->trace, process);
         l < fm_trace_first_location(analysis->trace, process + 1); l++) {
        const struct fm_findings *findings = &analysis->findings[l];
        for (size_t i = 0; i < findings->candidates.count; i++) {
            const struct fm_call_ref call = {l, findings->candidates.items[i].activity};
            if (waiting_in(analysis, call) != FM_METRIC_NONE) {
                fm_map_at(decided, key_of(call), 1);
            }
        }
    }
}

void fm_find_waits_for_task_creations(const struct fm_finder *finder, uint32_t process,
                                      const struct fm_tasks *tasks)
{
    struct fm_map decided = {0};
    if (tasks->tasks.count > 0) {
        list_decided(finder->analysis, process, &decided);
    }
    for (size_t t = 0; t < tasks->tasks.count; t++) {
        const struct fm_task *task = &tasks->tasks.items[t];
        if (!has_other_creator(task) || task->created_in.activity == FM_NONE) {
            continue;
        }
        const struct fm_call_ref stretch = ended_stretch(finder->analysis->trace, task);
        const fm_metric_t metric =
            stretch.activity == FM_NONE ? FM_METRIC_NONE : waiting_in(finder->analysis, stretch);
        if (metric != FM_METRIC_NONE && fm_map_get(&decided, key_of(stretch)) == FM_MAP_ABSENT) {
            fm_found_wait(finder, stretch, task->created, task->created_in, metric);
        }
    }
    fm_map_free(&decided);
}
