/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that wait for others at objects: conditions, semaphores, POSIX barriers. Each call names
 * its object by a record. */
#include "analysis/dependencies/dependencies.h"
#include "analysis/pattern.h"
#include "analysis/threads/object_calls.h"

static struct fm_call_ref ref(const struct fm_object_call *call)
{
    return (struct fm_call_ref){call->location, call->activity};
}

/* ---- conditions and semaphores ---- */

/* The calls that wait for others and those that wake them. */
struct awakening {
    fm_call_t waits, wakes;
    fm_metric_t metric;
};

static void find_awakened(const struct fm_finder *finder, const struct awakening *awakening,
                          uint32_t process, fm_awakenings *found)
{
    fm_awakenings_find(finder->analysis->trace, process, awakening->waits, awakening->wakes, found);
    for (size_t i = 0; i < found->count; i++) {
        const struct fm_object_call *by = &found->items[i].by;
        fm_found_wait(finder, ref(&found->items[i].wait), by->enter, ref(by), awakening->metric);
        if (finder->analysis->dependencies != NULL) {
            fm_depend(finder->analysis, finder->worker, ref(&found->items[i].wait),
                      fm_awaited_enter(ref(by)), FM_DEPENDS_ON_CONDITION);
        }
    }
}

/* ---- barriers ---- */

/* @return when the last event of a process is */
static uint64_t end_of(const struct fm_trace *trace, uint32_t process)
{
    uint64_t end = 0;
    for (uint32_t l = fm_trace_first_location(trace, process);
         l < fm_trace_first_location(trace, process + 1); l++) {
        end = trace->locations[l].end > end ? trace->locations[l].end : end;
    }
    return end;
}

/* @return whether a call was left before its process ended. The calls that threads wait in when the
 * process ends last until then, and the threads have no end. */
static bool is_left(const struct fm_trace *trace, const struct fm_object_call *call, uint64_t end)
{
    const struct fm_location *location = &trace->locations[call->location];
    bool left = call->leave < end;
    for (size_t i = location->threads.count; i-- > 0 && !left;) {
        const struct fm_thread_record *record = &location->threads.items[i];
        if (record->time < call->leave) {
            break;
        }
        left = record->type == FM_THREAD_END;
    }
    return left;
}

/* All calls of a round of a barrier were in it when the last one was entered. A round that no
 * thread has left is not complete: the last one has not come. */
static void add_round(const struct fm_finder *finder, const struct fm_object_call *calls,
                      size_t count, uint32_t object, size_t meeting)
{
    const struct fm_trace *trace = finder->analysis->trace;
    const struct fm_object_call *last = &calls[0];
    const uint64_t end = end_of(trace, trace->locations[last->location].process);
    bool is_complete = false;
    for (size_t i = 0; i < count && !is_complete; i++) {
        is_complete = is_left(trace, &calls[i], end);
    }
    if (!is_complete) {
        return;
    }
    for (size_t i = 1; i < count; i++) {
        last = calls[i].enter > last->enter ? &calls[i] : last;
    }
    if (finder->analysis->dependencies != NULL && count > 1) {
        fm_junction_begin(finder->analysis, finder->worker,
                          fm_trace_process(trace, calls[0].location));
        for (size_t i = 0; i < count; i++) {
            fm_junction_add(finder->analysis, finder->worker, fm_awaited_enter(ref(&calls[i])));
        }
        const struct fm_awaited all = fm_junction_end(finder->analysis, finder->worker);
        for (size_t i = 0; i < count; i++) {
            fm_depend(finder->analysis, finder->worker, ref(&calls[i]), all,
                      FM_DEPENDS_ON_THREAD_BARRIER);
        }
    }
    for (size_t i = 0; count > 1 && i < count; i++) {
        fm_found_group_point(finder, calls[i].location,
                             &(struct fm_group_point){
                                 .t = last->enter,
                                 .communicator = fm_object_community(trace, object),
                                 .meeting = (uint32_t)meeting & INT32_MAX,
                             });
        fm_found_wait(finder, ref(&calls[i]), last->enter, ref(last),
                      FM_METRIC_PTHREAD_BARRIER_WAIT);
    }
}

static bool takes_part(const struct fm_object_call *calls, size_t count, uint32_t location)
{
    for (size_t i = 0; i < count; i++) {
        if (calls[i].location == location) {
            return true;
        }
    }
    return false;
}

/* A round is the calls, by Enter, that were entered before the first of them was left. */
static void find_rounds(const struct fm_finder *finder, uint32_t process, fm_object_calls *calls)
{
    fm_object_calls_list(finder->analysis->trace, process, FM_CALLS(THREAD_BARRIER), calls);
    uint32_t object = 0;
    uint64_t first_leave = UINT64_MAX;
    size_t begin = 0;
    for (size_t i = 0; i < calls->count; i++) {
        const struct fm_object_call *call = &calls->items[i];
        const bool is_other = i > 0 && call->object != call[-1].object;
        if (is_other || call->enter > first_leave ||
            takes_part(&calls->items[begin], i - begin, call->location)) {
            add_round(finder, &calls->items[begin], i - begin, object, begin);
            begin = i;
            first_leave = UINT64_MAX;
            object += is_other;
        }
        first_leave = call->leave < first_leave ? call->leave : first_leave;
    }
    if (calls->count != 0) {
        add_round(finder, &calls->items[begin], calls->count - begin, object, begin);
    }
}

/* ---- the patterns ---- */

struct search {
    const struct fm_finder *finder;
    const struct awakening *awakening; /* NULL: barriers */
};

static void find(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    const struct search *search = context;
    struct fm_finder finder = *search->finder;
    fm_object_calls calls = {0};
    fm_awakenings awakenings = {0};
    finder.worker = worker;
    for (uint32_t process = first; process < last; process++) {
        if (search->awakening == NULL) {
            find_rounds(&finder, process, &calls);
        } else {
            find_awakened(&finder, search->awakening, process, &awakenings);
        }
    }
    fm_vector_free(&calls);
    fm_vector_free(&awakenings);
}

static void detect_conditions(const struct fm_finder *finder)
{
    static const struct awakening conditions = {FM_CALL_CONDITION_WAIT, FM_CALL_CONDITION_SIGNAL,
                                                FM_METRIC_PTHREAD_CONDITION_WAIT};
    fm_engine_run(finder->analysis->engine, find, &(struct search){finder, &conditions});
}

static void detect_semaphores(const struct fm_finder *finder)
{
    static const struct awakening semaphores = {FM_CALL_SEMAPHORE_WAIT, FM_CALL_SEMAPHORE_POST,
                                                FM_METRIC_PTHREAD_SEMAPHORE_WAIT};
    fm_engine_run(finder->analysis->engine, find, &(struct search){finder, &semaphores});
}

static void detect_barriers(const struct fm_finder *finder)
{
    fm_engine_run(finder->analysis->engine, find, &(struct search){finder, NULL});
}

const struct fm_pattern fm_pattern_condition_wait = {
    .name = "Wait for condition",
    .detect = detect_conditions,
    .of_threads = true,
};

const struct fm_pattern fm_pattern_semaphore_wait = {
    .name = "Wait for semaphore",
    .detect = detect_semaphores,
    .of_threads = true,
};

const struct fm_pattern fm_pattern_thread_barrier = {
    .name = "Wait at barrier of threads",
    .detect = detect_barriers,
    .of_threads = true,
};
