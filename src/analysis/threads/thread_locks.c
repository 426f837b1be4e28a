/* SPDX-License-Identifier: BSD-3-Clause */
/* Contention for the locks of threads: mutexes, OpenMP's locks and critical constructs, and ordered
 * constructs, whose sections are the holds of a lock, too. A lock belongs to one process; its
 * owners are threads. The holds of a lock are ordered by the number of their acquisition. */
#include "analysis/clocks/wait_errors.h"
#include "analysis/dependencies/acquisitions.h"
#include "analysis/dependencies/dependencies.h"
#include "analysis/locks/lock_holders.h"
#include "analysis/locks/lock_queue.h"
#include "analysis/pattern.h"
#include "analysis/threads/lock_places.h"
#include "analysis/threads/object_calls.h"
#include "analysis/threads/team_instances.h"
#include "analysis/threads/thread_holds.h"

#include "base/containers/map.h"

#include <string.h>

static fm_metric_t metric_of(const struct fm_analysis *analysis, const struct fm_thread_hold *hold)
{
    const struct fm_location *location = &analysis->trace->locations[hold->location];
    const uint32_t region = fm_trace_region(location, hold->call);
    if (analysis->trace->regions[region].paradigm != FM_PARADIGM_PTHREAD) {
        return analysis->own_metrics[region] == FM_METRIC_OMP_CRITICAL
                   ? FM_METRIC_OMP_LOCK_CONTENTION_CRITICAL
                   : FM_METRIC_OMP_LOCK_CONTENTION_API;
    }
    return analysis->own_metrics[region] == FM_METRIC_PTHREAD_CONDITIONAL
               ? FM_METRIC_PTHREAD_LOCK_CONTENTION_CONDITIONAL
               : FM_METRIC_PTHREAD_LOCK_CONTENTION_MUTEX_LOCK;
}

static bool is_condition_wait(const struct fm_trace *trace, const struct fm_thread_hold *hold)
{
    return hold->call != FM_NONE &&
           fm_trace_called(trace, &trace->locations[hold->location], hold->call)->call ==
               FM_CALL_CONDITION_WAIT;
}

/* Whether the call that acquired a mutex waited for a condition until nobody had awakened it and
 * its time was over. When it wanted the mutex again is not known: it is not said to have waited for
 * it. */
static bool is_timed_out(const struct fm_trace *trace, const struct fm_thread_hold *hold)
{
    if (hold->awakened_at != 0 || !is_condition_wait(trace, hold)) {
        return false;
    }
    const char *name = fm_trace_called(trace, &trace->locations[hold->location], hold->call)->name;
    return strstr(name, "_timedwait") != NULL || strstr(name, "_clockwait") != NULL;
}

/* Notes when the calls that wait for conditions, and acquire a mutex at their end, were awakened.
 */
static void note_awakenings(const struct fm_trace *trace, uint32_t process, fm_thread_holds *holds)
{
    size_t first = 0;
    while (first < holds->count && !is_condition_wait(trace, &holds->items[first])) {
        first++;
    }
    if (first == holds->count) {
        return;
    }
    fm_awakenings found = {0};
    struct fm_map of_call = {0};
    fm_awakenings_find(trace, process, FM_CALL_CONDITION_WAIT, FM_CALL_CONDITION_SIGNAL, &found);
    for (size_t i = 0; i < found.count; i++) {
        const struct fm_object_call *wait = &found.items[i].wait;
        fm_map_at(&of_call, (uint64_t)wait->location << 32 | wait->activity, (uint32_t)i);
    }
    for (size_t i = first; i < holds->count; i++) {
        struct fm_thread_hold *hold = &holds->items[i];
        const uint32_t which =
            hold->call == FM_NONE
                ? FM_MAP_ABSENT
                : fm_map_get(&of_call, (uint64_t)hold->location << 32 | hold->call);
        if (which != FM_MAP_ABSENT) {
            hold->awakened_at = found.items[which].by.enter;
            hold->awakened_by = found.items[which].by.location;
        }
    }
    fm_map_free(&of_call);
    fm_vector_free(&found);
}

/* @return when the call that acquired a lock began to wait for it. A wait for a condition wants its
 * mutex when it is awakened; if no record tells when, it is only known that the thread wanted the
 * mutex at some time of the hold before. */
static uint64_t wanted_from(const struct fm_trace *trace, const struct fm_thread_hold *hold,
                            const struct fm_thread_hold *previous)
{
    const uint64_t enter = fm_trace_begin(&trace->locations[hold->location], hold->call);
    uint64_t since = enter;
    if (hold->awakened_at != 0) {
        since = hold->awakened_at;
    } else if (is_condition_wait(trace, hold)) {
        since = previous->acquired;
    }
    return since > enter ? since : enter;
}

/* @return whether a call that was awakened, and then waited for its mutex until `t`, waited longer
 * for the condition: it has the wait state of the longer part, if both are as long that of the
 * later one */
static bool is_mainly_for_condition(const struct fm_thread_hold *hold, uint64_t enter, uint64_t t)
{
    return hold->awakened_at > enter && hold->awakened_at < t &&
           hold->awakened_at - enter > t - hold->awakened_at;
}

/* States that the call that acquired a lock depends on the hold before: on the end of its release,
 * or, if it waits for a condition and releases its mutex meanwhile, on its begin. */
static void depend(const struct fm_finder *finder, const struct fm_thread_hold *hold,
                   const struct fm_thread_hold *previous, uint64_t t)
{
    const struct fm_analysis *analysis = finder->analysis;
    const struct fm_location *owner = &analysis->trace->locations[previous->location];
    struct fm_awaited released =
        fm_awaited_enter((struct fm_call_ref){previous->location, previous->release});
    const bool by_condition =
        fm_trace_called(analysis->trace, owner, previous->release)->call == FM_CALL_CONDITION_WAIT;
    released.kind = by_condition ? FM_AWAITED_ENTER : FM_AWAITED_LEAVE;
    fm_depend_at(analysis, finder->worker, (struct fm_call_ref){hold->location, hold->call},
                 released, t, FM_DEPENDS_ON_THREAD_LOCK);
}

/* Finds out whether the call that acquired a lock waited for the hold before. */
static void judge(const struct fm_finder *finder, struct fm_thread_hold *holds, uint32_t number,
                  uint32_t before)
{
    const struct fm_trace *trace = finder->analysis->trace;
    struct fm_thread_hold *hold = &holds[number];
    const struct fm_thread_hold *previous = before == FM_NONE ? NULL : &holds[before];
    if (previous == NULL || previous->location == hold->location || hold->call == FM_NONE ||
        is_timed_out(trace, hold)) {
        return;
    }
    const struct fm_location *location = &trace->locations[hold->location];
    const uint64_t enter = fm_trace_begin(location, hold->call);
    const uint64_t leave = location->leave.items[hold->call];
    const uint64_t t = previous->end < leave ? previous->end : leave;
    /* The owner cannot pass on the lock before its own waiting in the release has ended. */
    const struct fm_location *owner = &trace->locations[previous->location];
    const uint32_t release = fm_first_stretch(owner, previous->release);
    uint64_t passable = owner->enter.items[release];
    if (previous->blocked_by != FM_NONE && fm_first_stretch(owner, previous->call) == release &&
        previous->waited_until > passable) {
        passable = previous->waited_until;
    }
    const uint64_t from = wanted_from(trace, hold, previous);
    /* A call that was left when the release ended depends on it, even if nothing in the release can
     * have made it wait (a release without duration). */
    const bool is_behind = leave > passable || leave >= previous->end;
    if (finder->analysis->dependencies != NULL && is_behind) {
        depend(finder, hold, previous, t);
        hold->depends_on = before;
        hold->depends_at = t;
    }
    if (leave <= passable || t <= from) {
        return;
    }
    hold->is_awakened_late = is_mainly_for_condition(hold, enter, t);
    if (!hold->is_awakened_late &&
        !fm_found_wait(finder, (struct fm_call_ref){hold->location, hold->call}, t,
                       (struct fm_call_ref){previous->location, previous->release},
                       metric_of(finder->analysis, hold))) {
        return;
    }
    hold->waited_from = enter;
    hold->queued_from = from;
    hold->waited_until = t;
    hold->blocked_by = before;
}

/* A section of an ordered construct waits for the end of the one before: of its body. */
static void judge_ordered(const struct fm_finder *finder, const struct fm_thread_hold *hold,
                          const struct fm_thread_hold *previous)
{
    if (previous == NULL || previous->location == hold->location || hold->call == FM_NONE) {
        return;
    }
    const struct fm_call_ref cause = {previous->location, previous->release};
    const bool has_body = previous->release != previous->call;
    if (finder->analysis->dependencies != NULL) {
        struct fm_awaited ended = fm_awaited_enter(cause);
        ended.kind = has_body ? FM_AWAITED_ENTER : FM_AWAITED_LEAVE;
        fm_depend_at(finder->analysis, finder->worker,
                     (struct fm_call_ref){hold->location, hold->call}, ended,
                     has_body ? fm_call_enter(finder->analysis->trace, cause) : previous->end,
                     FM_DEPENDS_ON_ORDERED);
    }
    fm_found_wait(finder, (struct fm_call_ref){hold->location, hold->call},
                  has_body ? fm_call_enter(finder->analysis->trace, cause) : previous->end, cause,
                  FM_METRIC_OMP_ORDERED_WAIT);
}

/* Judges the holds of one lock in their order. */
static void judge_lock(const struct fm_finder *finder, struct fm_thread_hold *holds, uint32_t begin,
                       uint32_t end)
{
    struct fm_blocking_holds blocking = {FM_NONE, FM_NONE};
    for (uint32_t i = begin; i < end; i++) {
        const uint32_t before = holds[i].shared ? blocking.exclusive : blocking.any;
        if (!holds[i].ordered) {
            judge(finder, holds, i, before);
        }
        fm_blocking_holds_add(&blocking, holds, i);
    }
}

/* @return when the thread of a hold asked for the lock: in a wait for a condition when it was
 * awakened; of a hold whose call is not recorded, when it got it */
static uint64_t requested_at(const struct fm_trace *trace, const struct fm_thread_hold *hold)
{
    if (hold->call == FM_NONE) {
        return hold->acquired;
    }
    if (is_condition_wait(trace, hold)) {
        return hold->awakened_at != 0 ? hold->awakened_at : hold->acquired;
    }
    return fm_trace_begin(&trace->locations[hold->location], hold->call);
}

/* Adds who held the locks of a process meanwhile, if any hold waited. */
static void add_holders(const struct fm_finder *finder, uint32_t process,
                        const fm_thread_holds *holds)
{
    struct fm_lock_tenure *tenures = fm_resize(NULL, 0, holds->count * sizeof *tenures);
    uint32_t lock = 0;
    bool waited = false;
    for (size_t i = 0; i < holds->count; i++) {
        const struct fm_thread_hold *hold = &holds->items[i];
        const bool waits = hold->blocked_by != FM_NONE && !hold->is_awakened_late;
        lock += i > 0 && hold->lock != hold[-1].lock;
        waited |= waits;
        tenures[i] = (struct fm_lock_tenure){
            .requested = requested_at(finder->analysis->trace, hold),
            .acquired = hold->acquired,
            .released = hold->end,
            .waited_from = waits ? hold->waited_from : 0,
            .waited_until = waits ? hold->waited_until : 0,
            .awakened_at = hold->awakened_at,
            .id = hold->lock,
            .lock = lock,
            .target = process,
            .owner = hold->location,
            .location = hold->location,
            .waiter = waits ? hold->location : FM_NONE,
            .awakened_by = hold->awakened_by,
            .blocked_by = waits ? hold->blocked_by : FM_NONE,
            .exclusive = !hold->shared,
            .lies_nowhere = true,
        };
    }
    if (waited) {
        const struct fm_lock_group group = {
            .home = process, .window = FM_NONE, .paradigm = FM_PARADIGM_PTHREAD};
        fm_lock_holders_add(finder->analysis->lock_holders, finder->worker, &group, tenures,
                            (uint32_t)holds->count);
    }
    fm_free(tenures);
}

/* @return the time until which a hold keeps the lock: the call that releases it may return late,
 * when another thread has the lock already */
static uint64_t kept_until(const fm_thread_holds *holds, size_t number)
{
    const struct fm_thread_hold *hold = &holds->items[number], *next = hold + 1;
    if (hold->shared || number + 1 == holds->count || next->lock != hold->lock ||
        next->acquired >= hold->end) {
        return hold->end;
    }
    return next->acquired > hold->acquired ? next->acquired : hold->acquired;
}

/* Adds the queues for the locks of a process. */
static void add_queues(const struct fm_finder *finder, uint32_t process,
                       const fm_thread_holds *holds, const struct fm_lock_places *places)
{
    const struct fm_trace *trace = finder->analysis->trace;
    struct fm_lock_hold *items = fm_resize(NULL, 0, holds->count * sizeof *items);
    uint32_t lock = 0;
    for (size_t i = 0; i < holds->count; i++) {
        const struct fm_thread_hold *hold = &holds->items[i];
        const struct fm_location *location = &trace->locations[hold->location];
        const bool waits = hold->blocked_by != FM_NONE;
        lock += i > 0 && hold->lock != hold[-1].lock;
        items[i] = (struct fm_lock_hold){
            .requested =
                hold->call != FM_NONE ? fm_trace_begin(location, hold->call) : hold->acquired,
            .queued_from = waits ? hold->queued_from : 0,
            .queued_until = waits ? hold->waited_until : 0,
            .held_from = hold->acquired < hold->end ? hold->acquired : hold->end,
            .released = kept_until(holds, i),
            .owner = hold->location,
            .lock = hold->lock,
            .target = process,
            .region = hold->call != FM_NONE ? fm_trace_region(location, hold->call) : FM_NONE,
            .number = lock,
            .blocked_by = hold->blocked_by,
            .exclusive = !hold->shared,
            .paradigm = hold->lock > UINT32_MAX ? FM_PARADIGM_PTHREAD : FM_PARADIGM_OPENMP,
        };
        if (waits) {
            const struct fm_thread_hold *previous = &holds->items[hold->blocked_by];
            items[i].error = fm_wait_error(
                finder->analysis->wait_errors, (struct fm_call_ref){hold->location, hold->call},
                (struct fm_call_ref){previous->location, previous->release},
                hold->waited_until - hold->queued_from);
        }
    }
    fm_lock_queues_add(finder->analysis->lock_queues, finder->worker, FM_NONE, items,
                       (uint32_t)holds->count, places);
    fm_free(items);
}

/* Adds the acquisitions of one lock in their order. */
static void add_acquisitions(const struct fm_finder *finder, uint32_t process,
                             const struct fm_thread_hold *holds, uint32_t begin, uint32_t end)
{
    const struct fm_trace *trace = finder->analysis->trace;
    struct fm_ordered_acquisition *found = fm_allocate(end - begin, sizeof *found);
    for (uint32_t i = begin; i < end; i++) {
        const struct fm_thread_hold *hold = &holds[i];
        found[i - begin] = (struct fm_ordered_acquisition){
            .t = hold->depends_at,
            .acquired = hold->acquired,
            .passed = hold->end,
            .id = hold->lock,
            .order = hold->order,
            .owner = hold->location,
            .before = hold->depends_at == 0 ? 0 : hold->depends_on - begin,
            .request = {hold->location, hold->call},
            .call = {hold->location, hold->call},
            .release = {hold->location, hold->release},
            .is_exclusive = !hold->shared,
            .releases_at_begin =
                fm_trace_called(trace, &trace->locations[hold->location], hold->release)->call ==
                FM_CALL_CONDITION_WAIT,
        };
    }
    fm_acquisitions_add(finder->analysis, finder->worker, process, found, end - begin);
    fm_free(found);
}

static void find(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_finder finder = *(const struct fm_finder *)context;
    fm_thread_holds holds = {0};
    struct fm_lock_places_scratch scratch = {0};
    FM_VECTOR(struct fm_lock_places) places = {0};
    finder.worker = worker;
    for (uint32_t process = first; process < last; process++) {
        finder.analysis->omissions.unreleased_thread_locks +=
            fm_thread_holds_find(finder.analysis->trace, process, &holds);
        note_awakenings(finder.analysis->trace, process, &holds);
        places.count = 0;
        for (uint32_t begin = 0, end; begin < holds.count; begin = end) {
            end = begin + 1;
            while (end < holds.count && holds.items[end].lock == holds.items[begin].lock) {
                end++;
            }
            judge_lock(&finder, holds.items, begin, end);
            if (finder.analysis->dependencies != NULL && !holds.items[begin].ordered) {
                add_acquisitions(&finder, process, holds.items, begin, end);
            }
            struct fm_lock_places of_lock;
            fm_lock_places_find(&scratch, finder.analysis->trace, holds.items + begin, end - begin,
                                &of_lock);
            fm_vector_push(&places, of_lock);
        }
        fm_lock_places_scratch_free(&scratch); /* the holders need as much */
        if (holds.count != 0) {
            add_holders(&finder, process, &holds);
            add_queues(&finder, process, &holds, places.items);
        }
    }
    fm_vector_free(&places);
    fm_vector_free(&holds);
}

static void find_ordered(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_finder own = *(const struct fm_finder *)context;
    const struct fm_finder *finder = &own;
    fm_thread_holds holds = {0};
    own.worker = worker;
    for (uint32_t process = first; process < last; process++) {
        fm_thread_holds_find(finder->analysis->trace, process, &holds);
        const struct fm_thread_hold *previous = NULL;
        for (size_t i = 0; i < holds.count; i++) {
            const struct fm_thread_hold *hold = &holds.items[i];
            if (hold->ordered) {
                judge_ordered(finder, hold,
                              previous != NULL && previous->lock == hold->lock ? previous : NULL);
                previous = hold;
            }
        }
    }
    fm_vector_free(&holds);
}

static void detect(const struct fm_finder *finder)
{
    struct fm_finder own = *finder;
    fm_engine_run(finder->analysis->engine, find, &own);
}

static void detect_ordered(const struct fm_finder *finder)
{
    struct fm_finder own = *finder;
    fm_engine_run(finder->analysis->engine, find_ordered, &own);
}

const struct fm_pattern fm_pattern_thread_lock_contention = {
    .name = "Lock Contention of threads",
    .detect = detect,
    .of_threads = true,
};

const struct fm_pattern fm_pattern_ordered_wait = {
    .name = "Wait for ordered section",
    .detect = detect_ordered,
    .of_threads = true,
};
