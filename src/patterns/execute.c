/* SPDX-License-Identifier: BSD-3-Clause */
/* Executes all scripts at all locations. Each worker adds up what the scripts report at its
 * locations; the sums of integers do not depend on the order. */
#include "base/memory.h"
#include "cube/view/view.h"
#include "engine/engine.h"
#include "patterns/user_patterns.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* What one worker has of one script. */
struct part {
    struct fm_map position; /* call path << 32 | location -> number */
    FM_VECTOR(struct fm_severity) severities;
    uint32_t failed_location;
    struct fm_error error;
};

struct run {
    const struct fm_user_patterns *patterns;
    const struct fm_event_index *index;
    struct part *parts;            /* [worker][script] */
    atomic_uint *failed_locations; /* [script]: lowest so far: what is behind it does not matter */
    bool backwards;
};

/* A location whose events are delivered. */
struct delivery {
    struct run *run;
    struct part *parts; /* [script] */
    uint32_t location;
    struct script_at_location *scripts;
};

struct script_at_location {
    struct delivery *delivery;
    uint32_t number;
    struct fm_execution *execution; /* NULL: it failed */
};

static void fail(struct script_at_location *at, const struct fm_error *error)
{
    struct part *part = &at->delivery->parts[at->number];
    uint32_t location = at->delivery->location;
    if (location < part->failed_location) {
        part->failed_location = location;
        part->error = *error;
    }
    atomic_uint *lowest = &at->delivery->run->failed_locations[at->number];
    unsigned known = atomic_load(lowest);
    while (location < known && !atomic_compare_exchange_weak(lowest, &known, location)) {
    }
}

static void add(struct script_at_location *at, uint32_t callpath, uint32_t location, int64_t value)
{
    struct part *part = &at->delivery->parts[at->number];
    uint32_t next = (uint32_t)part->severities.count;
    uint32_t number = *fm_map_at(&part->position, (uint64_t)callpath << 32 | location, next);
    if (number == next) {
        fm_vector_push(&part->severities, (struct fm_severity){callpath, location, 0});
    }
    int64_t *sum = &part->severities.items[number].value;
    if (__builtin_add_overflow(*sum, value, sum)) {
        *sum = INT64_MAX; /* reported when the severities are added to the report */
    }
}

/* A script that has an error is not called again at this location: its caller, which may be itself,
 * returns first. */
static void end_if_failed(struct script_at_location *at, fm_status_t status,
                          const struct fm_error *error)
{
    if (status != FM_OK) {
        fail(at, error);
        fm_execution_close(at->execution);
        at->execution = NULL;
    }
}

/* Calls the scripts that subscribe to the instances of a script. */
static void take_report(void *context, const struct fm_event *event, int64_t value)
{
    struct script_at_location *at = context;
    struct delivery *delivery = at->delivery;
    const struct fm_user_patterns *patterns = delivery->run->patterns;
    add(at, fm_event_callpath(delivery->run->index, event), event->location, value);
    if (event->location != delivery->location || value == 0) {
        return;
    }
    struct fm_event instance = *event;
    instance.kind = FM_OBJECT_REPORT;
    instance.data = NULL;
    instance.value = value;
    for (size_t s = at->number + (size_t)1; s < patterns->scripts.count; s++) {
        const struct fm_script *script = &patterns->scripts.items[s];
        struct script_at_location *other = &delivery->scripts[s];
        for (size_t i = 0; i < script->instances.count; i++) {
            if (script->instances.items[i].script == at->number && other->execution != NULL) {
                struct fm_error error;
                fm_status_t status = fm_execution_instance(other->execution, i, &instance, &error);
                end_if_failed(other, status, &error);
            }
        }
    }
}

static void deliver(struct delivery *delivery, fm_event_kind_t kind, const struct fm_event *event)
{
    const struct fm_user_patterns *patterns = delivery->run->patterns;
    for (size_t s = 0; s < patterns->scripts.count; s++) {
        struct script_at_location *at = &delivery->scripts[s];
        if (patterns->scripts.items[s].takes[kind] && at->execution != NULL) {
            struct fm_error error;
            fm_status_t status = fm_execution_event(at->execution, kind, event, &error);
            end_if_failed(at, status, &error);
        }
    }
}

/* ---- the events of a location in their order ---- */

static int compare_parts(const void *left, const void *right)
{
    const struct fm_part *a = left, *b = right;
    return a->activity < b->activity ? -1 : a->activity > b->activity;
}

/* @return the parts of wait states, ascending by activity; to be freed */
static struct fm_part *parts_of_waits(const struct fm_findings *findings, size_t *count)
{
    struct fm_part *parts = fm_allocate(findings->parts.count + 1, sizeof *parts);
    *count = 0;
    for (size_t i = 0; i < findings->parts.count; i++) {
        const struct fm_part *part = &findings->parts.items[i];
        if (part->kind == FM_PART_HEAD || part->kind == FM_PART_TAIL) {
            parts[(*count)++] = *part;
        }
    }
    qsort(parts, *count, sizeof *parts, compare_parts);
    return parts;
}

struct cursors {
    const struct fm_location *location;
    const struct fm_location_events *events;
    const fm_collective_parts *collectives;
    const struct fm_findings *findings;
    struct fm_part *parts;
    struct fm_sample_ref *samples;
    size_t part_count, sample_count;
    size_t send, receive, collective, hold, wait, part, phase, sample, other_hold, thread;
    size_t rma, operation; /* record, and number among the operations */
};

/* Ticks of a part of a wait state, as the report books them. */
static uint64_t ticks_of_part(const struct cursors *at, const struct fm_candidate *wait,
                              const struct fm_part *part)
{
    uint64_t enter = fm_trace_begin(at->location, wait->activity), waited = wait->t - enter;
    uint64_t ticks = part->kind == FM_PART_HEAD ? part->since - enter : wait->t - part->since;
    return ticks < waited ? ticks : waited;
}

/* What a wait state has of a metric.
 * @param own  out: ticks of exactly this metric
 * @return whether it, or a part of it, is a case of the metric */
static bool find_own(const struct cursors *at, const struct fm_candidate *wait, fm_metric_t metric,
                     int64_t *own)
{
    bool found = fm_metric_is_within((fm_metric_t)wait->metric, metric);
    uint64_t left = wait->t - fm_trace_begin(at->location, wait->activity), of_parts = 0;
    for (size_t i = at->part; i < at->part_count && at->parts[i].activity == wait->activity; i++) {
        const struct fm_part *part = &at->parts[i];
        if (part->of == wait->metric) {
            uint64_t ticks = ticks_of_part(at, wait, part);
            found = found || fm_metric_is_within((fm_metric_t)part->metric, metric);
            of_parts += (fm_metric_t)part->metric == metric ? ticks : 0;
            left -= ticks < left ? ticks : left;
        }
    }
    *own = (int64_t)((fm_metric_t)wait->metric == metric ? left : of_parts);
    return found;
}

/* Delivers a wait state to those who subscribe to it, to a part of it, or to what it is a case of.
 */
static void deliver_wait(struct delivery *delivery, struct cursors *cursors, struct fm_event *event)
{
    const struct fm_user_patterns *patterns = delivery->run->patterns;
    const struct fm_candidate *wait = event->data;
    while (cursors->part < cursors->part_count &&
           cursors->parts[cursors->part].activity < wait->activity) {
        cursors->part++;
    }
    for (size_t s = 0; s < patterns->scripts.count; s++) {
        struct script_at_location *at = &delivery->scripts[s];
        const struct fm_script *script = &patterns->scripts.items[s];
        for (size_t i = 0; i < script->instances.count; i++) {
            const struct fm_script_instances *wanted = &script->instances.items[i];
            if (at->execution != NULL && wanted->script == FM_SCRIPT_NONE &&
                find_own(cursors, wait, wanted->metric, &event->value)) {
                struct fm_error error;
                fm_status_t status = fm_execution_instance(at->execution, i, event, &error);
                end_if_failed(at, status, &error);
            }
        }
    }
}

/* Whether a kind of events is wanted by a script. */
static bool is_taken(const struct delivery *delivery, fm_event_kind_t kind)
{
    return delivery->run->index->takes[kind];
}

static void deliver_operations(struct delivery *delivery, struct cursors *at,
                               struct fm_event *event)
{
    const struct fm_location *location = at->location;
    for (; is_taken(delivery, FM_EVENT_OPERATION) && at->rma < location->rma.count &&
           location->rma.items[at->rma].activity <= event->activity;
         at->rma++) {
        const struct fm_rma *record = &location->rma.items[at->rma];
        if (fm_rma_kind(record) == NULL) {
            continue;
        }
        const struct fm_operation_ref operation = {
            record, at->operation < location->operation_bytes.count
                        ? location->operation_bytes.items[at->operation]
                        : 0};
        at->operation++;
        event->kind = FM_OBJECT_OPERATION;
        event->data = &operation;
        deliver(delivery, FM_EVENT_OPERATION, event);
    }
}

static void deliver_call(struct delivery *delivery, struct cursors *at, uint32_t activity)
{
    struct fm_event event = fm_event_of_call(delivery->run->index, delivery->location, activity);
    deliver(delivery, FM_EVENT_CALL, &event);
    const struct fm_location_events *events = at->events;
    for (;
         at->send < events->sends.count && events->sends.items[at->send]->send_activity == activity;
         at->send++) {
        event.kind = FM_OBJECT_SEND;
        event.data = events->sends.items[at->send];
        deliver(delivery, FM_EVENT_SEND, &event);
    }
    for (; at->receive < events->receives.count &&
           events->receives.items[at->receive]->receive_activity == activity;
         at->receive++) {
        event.kind = FM_OBJECT_RECEIVE;
        event.data = events->receives.items[at->receive];
        deliver(delivery, FM_EVENT_RECEIVE, &event);
    }
    deliver_operations(delivery, at, &event);
    const struct fm_event_index *index = delivery->run->index;
    const fm_collective_parts *parts = at->collectives;
    for (; at->collective < parts->count && parts->items[at->collective].activity == activity;
         at->collective++) {
        const struct fm_collective_part *part = &parts->items[at->collective];
        if (fm_collective_is_complete(index->trace,
                                      &index->collectives.instances.items[part->instance])) {
            event.kind = FM_OBJECT_COLLECTIVE;
            event.data = part;
            deliver(delivery, FM_EVENT_COLLECTIVE, &event);
        }
    }
    for (; at->hold < events->holds.count && events->holds.items[at->hold].activity == activity;
         at->hold++) {
        event.kind = FM_OBJECT_LOCK;
        event.data = events->holds.items[at->hold].kept;
        deliver(delivery, FM_EVENT_LOCK, &event);
    }
    for (; at->wait < at->findings->waits.count; at->wait++) {
        const struct fm_candidate *wait =
            &at->findings->candidates.items[at->findings->waits.items[at->wait]];
        if (wait->activity != activity) {
            break;
        }
        event.kind = FM_OBJECT_WAIT;
        event.data = wait;
        deliver_wait(delivery, at, &event);
    }
}

/* What happens between calls, the first one at equal times first. */
enum between { BETWEEN_PHASE, BETWEEN_THREAD, BETWEEN_HOLD, BETWEEN_SAMPLE, BETWEEN_KINDS };

/* @return the next record of a thread that is an event; NULL: there is none, or none is wanted */
static const struct fm_thread_record *next_thread_event(const struct delivery *delivery,
                                                        struct cursors *at)
{
    const struct fm_location *location = at->location;
    while (is_taken(delivery, FM_EVENT_THREAD) && at->thread < location->threads.count) {
        const struct fm_thread_record *record = &location->threads.items[at->thread];
        if (fm_thread_event_name(record) != NULL) {
            return record;
        }
        at->thread++;
    }
    return NULL;
}

/* @return the kind of the next event between calls up to a time; BETWEEN_KINDS: none */
static enum between next_between(const struct delivery *delivery, struct cursors *at, uint64_t time)
{
    const struct fm_thread_record *thread = next_thread_event(delivery, at);
    const struct fm_location_events *events = at->events;
    const uint64_t times[] = {
        [BETWEEN_PHASE] = at->phase < at->location->phases.count
                              ? at->location->phases.items[at->phase].begin
                              : UINT64_MAX,
        [BETWEEN_THREAD] = thread == NULL ? UINT64_MAX : thread->time,
        [BETWEEN_HOLD] = at->other_hold < events->other_holds.count
                             ? events->other_holds.items[at->other_hold].kept->hold.held_from
                             : UINT64_MAX,
        [BETWEEN_SAMPLE] =
            at->sample < at->sample_count ? at->samples[at->sample].sample->time : UINT64_MAX,
    };
    enum between next = BETWEEN_PHASE;
    for (enum between i = BETWEEN_PHASE; i < BETWEEN_KINDS; i++) {
        next = times[i] < times[next] ? i : next;
    }
    return times[next] <= time && times[next] != UINT64_MAX ? next : BETWEEN_KINDS;
}

/* Delivers what happens between calls up to a time. */
static void deliver_until(struct delivery *delivery, struct cursors *at, uint64_t time)
{
    const struct fm_location *location = at->location;
    struct fm_event event = {.location = delivery->location, .activity = FM_NONE};
    for (;;) {
        switch (next_between(delivery, at, time)) {
        case BETWEEN_PHASE:
            event.kind = FM_OBJECT_PHASE;
            event.data = &location->phases.items[at->phase];
            event.visit = location->phases.items[at->phase++].visit;
            deliver(delivery, FM_EVENT_PHASE, &event);
            break;
        case BETWEEN_THREAD:
            event.kind = FM_OBJECT_THREAD;
            event.data = &location->threads.items[at->thread];
            event.visit = location->threads.items[at->thread++].visit;
            deliver(delivery, FM_EVENT_THREAD, &event);
            break;
        case BETWEEN_HOLD:
            event.kind = FM_OBJECT_LOCK;
            event.data = at->events->other_holds.items[at->other_hold].kept;
            event.visit = fm_visit_between_calls(
                location, at->events->other_holds.items[at->other_hold++].kept->hold.held_from);
            deliver(delivery, FM_EVENT_LOCK, &event);
            break;
        case BETWEEN_SAMPLE:
            event.kind = FM_OBJECT_SAMPLE;
            event.data = &at->samples[at->sample++];
            event.visit = location->profile.count > 0 ? 0 : FM_NONE;
            deliver(delivery, FM_EVENT_SAMPLE, &event);
            break;
        default:
            return;
        }
    }
}

/** The records of the delivery's location, none delivered yet; to be freed with free_cursors(). */
static struct cursors cursors_of(const struct delivery *delivery)
{
    const struct fm_event_index *index = delivery->run->index;
    const struct fm_location *location = &index->trace->locations[delivery->location];
    static const fm_collective_parts no_parts = {0};
    struct cursors at = {
        .location = location,
        .events = &index->locations[delivery->location],
        .collectives = index->collectives.parts == NULL
                           ? &no_parts
                           : &index->collectives.parts[delivery->location],
        .findings = &index->detail->findings[delivery->location],
    };
    at.parts = parts_of_waits(at.findings, &at.part_count);
    at.samples = fm_samples_of_location(location, &at.sample_count);
    return at;
}

static void free_cursors(struct cursors *at)
{
    fm_free(at->parts);
    fm_free(at->samples);
}

static void deliver_all(struct delivery *delivery, struct cursors *at)
{
    const struct fm_location *location = at->location;
    for (uint32_t activity = 0; activity < location->enter.count; activity++) {
        deliver_until(delivery, at, location->enter.items[activity]);
        deliver_call(delivery, at, activity);
    }
    deliver_until(delivery, at, UINT64_MAX);
}

static void open_executions(struct delivery *delivery)
{
    struct run *run = delivery->run;
    for (uint32_t s = 0; s < run->patterns->scripts.count; s++) {
        struct script_at_location *at = &delivery->scripts[s];
        *at = (struct script_at_location){delivery, s, NULL};
        if (delivery->location < atomic_load(&run->failed_locations[s])) {
            struct fm_error error;
            fm_status_t status =
                fm_execution_open(&run->patterns->scripts.items[s], run->index, delivery->location,
                                  take_report, at, &at->execution, &error);
            end_if_failed(at, status, &error);
        }
    }
}

static void execute_at(struct run *run, struct part *parts, uint32_t location)
{
    size_t count = run->patterns->scripts.count;
    struct delivery delivery = {run, parts, location, fm_allocate(count, sizeof *delivery.scripts)};
    open_executions(&delivery);
    struct cursors cursors = cursors_of(&delivery);
    deliver_all(&delivery, &cursors);
    for (size_t s = 0; s < count; s++) {
        struct script_at_location *at = &delivery.scripts[s];
        if (at->execution != NULL) {
            struct fm_error error;
            fm_status_t status = fm_execution_finish(at->execution, &error);
            end_if_failed(at, status, &error);
        }
    }
    for (size_t s = 0; s < count; s++) {
        fm_execution_close(delivery.scripts[s].execution);
    }
    free_cursors(&cursors); /* the executions may have kept events */
    fm_free(delivery.scripts);
}

static void execute(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct run *run = context;
    struct part *parts = &run->parts[worker * run->patterns->scripts.count];
    uint32_t begin = fm_trace_first_location(run->index->trace, first);
    uint32_t end = fm_trace_first_location(run->index->trace, last);
    for (uint32_t i = begin; i < end; i++) {
        execute_at(run, parts, run->backwards ? end - 1 - (i - begin) : i);
    }
}

/* ---- the results of all workers ---- */

static int compare_severities(const void *left, const void *right)
{
    const struct fm_severity *a = left, *b = right;
    if (a->callpath != b->callpath) {
        return a->callpath < b->callpath ? -1 : 1;
    }
    return a->location < b->location ? -1 : a->location > b->location;
}

static void add_part(struct fm_script_result *result, const struct part *part)
{
    for (size_t i = 0; i < part->severities.count; i++) {
        fm_vector_push(&result->severities, part->severities.items[i]);
    }
    if (part->failed_location < result->failed_location) {
        result->failed_location = part->failed_location;
        result->error = part->error;
    }
}

/* Sorts the severities and adds those of one place up: several workers may report to it. */
static void sum_up(struct fm_script_result *result)
{
    size_t count = result->severities.count, kept = 0;
    struct fm_severity *items = result->severities.items;
    if (count < 2) {
        return;
    }
    qsort(items, count, sizeof *items, compare_severities);
    for (size_t i = 1; i < count; i++) {
        if (compare_severities(&items[kept], &items[i]) != 0) {
            items[++kept] = items[i];
        } else if (__builtin_add_overflow(items[kept].value, items[i].value, &items[kept].value)) {
            items[kept].value = INT64_MAX;
        }
    }
    result->severities.count = kept + 1;
}

struct fm_script_result *fm_scripts_execute(const struct fm_user_patterns *patterns,
                                            const struct fm_event_index *index, unsigned workers,
                                            bool backwards)
{
    const struct fm_trace *trace = index->trace;
    size_t count = patterns->scripts.count;
    uint64_t *weights = fm_allocate(trace->process_count, sizeof *weights);
    for (uint32_t l = 0; l < trace->location_count; l++) {
        weights[fm_trace_process(trace, l)] += trace->locations[l].enter.count + 1;
    }
    struct fm_engine *engine = fm_engine_create(NULL, workers, trace->process_count, weights);
    unsigned used = fm_engine_workers(engine);
    struct run run = {
        .patterns = patterns,
        .index = index,
        .parts = fm_allocate(used * count, sizeof *run.parts),
        .failed_locations = fm_allocate(count, sizeof *run.failed_locations),
        .backwards = backwards,
    };
    for (size_t i = 0; i < used * count; i++) {
        run.parts[i].failed_location = FM_NONE;
    }
    for (size_t i = 0; i < count; i++) {
        atomic_init(&run.failed_locations[i], FM_NONE);
    }
    fm_engine_run(engine, execute, &run);
    struct fm_script_result *results = fm_allocate(count, sizeof *results);
    for (size_t s = 0; s < count; s++) {
        results[s].failed_location = FM_NONE;
        for (unsigned w = 0; w < used; w++) {
            struct part *part = &run.parts[w * count + s];
            add_part(&results[s], part);
            fm_map_free(&part->position);
            fm_vector_free(&part->severities);
        }
        sum_up(&results[s]);
        if (results[s].failed_location != FM_NONE) {
            fm_vector_free(&results[s].severities);
        }
    }
    fm_free(run.parts);
    fm_free(run.failed_locations);
    fm_free(weights);
    fm_engine_free(engine);
    return results;
}

void fm_script_results_free(struct fm_script_result *results, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fm_vector_free(&results[i].severities);
    }
    fm_free(results);
}
