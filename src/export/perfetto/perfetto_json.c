/* SPDX-License-Identifier: BSD-3-Clause */
/* A timeline as JSON in Chrome's trace event format, which Perfetto and many other tools read. Each
 * region and call is a span, and the waiting part of a call a span inside it. Messages, one-sided
 * operations and causes of waits are flows. */
#include "base/containers/search.h"
#include "base/json/json_writer.h"
#include "diagnosis/process_word.h"
#include "export/event_source.h"
#include "timeline/spans.h"

#include <inttypes.h>

struct writer {
    const struct fm_event_source *events;
    const struct fm_trace *trace;
    struct fm_json json;
    struct fm_process_word process;
    uint32_t location;
};

/* Begins an event of the location; the caller adds members and ends it. */
static void begin_event(struct writer *writer, const char *phase, uint64_t nanoseconds,
                        uint32_t location)
{
    fm_json_line(&writer->json, 0);
    fm_json_object(&writer->json, NULL);
    fm_json_string(&writer->json, "ph", phase);
    fm_json_unsigned(&writer->json, "pid", writer->trace->locations[location].process);
    fm_json_unsigned(&writer->json, "tid", location);
    /* Microseconds; a double would lose digits in long runs. */
    fm_json_format(&writer->json, "ts", "%" PRIu64 ".%03u", nanoseconds / 1000,
                   (unsigned)(nanoseconds % 1000));
}

static void put_name(struct writer *writer, const char *name, const char *category)
{
    fm_json_string(&writer->json, "name", name);
    fm_json_string(&writer->json, "cat", category);
}

static void put_end(struct writer *writer, uint64_t time)
{
    begin_event(writer, "E", fm_event_nanoseconds(writer->events, time), writer->location);
    fm_json_end(&writer->json);
}

/* Writes the waiting part of a call as a span inside the call. */
static void put_wait(struct writer *writer, const struct fm_candidate *wait, uint64_t begin)
{
    const struct fm_metric_info *info = fm_metric_info((fm_metric_t)wait->metric);
    uint64_t end = wait->t < writer->events->to ? wait->t : writer->events->to;
    if (end <= begin) {
        return;
    }
    begin_event(writer, "B", fm_event_nanoseconds(writer->events, begin), writer->location);
    put_name(writer, info->name, "wait state");
    fm_json_object(&writer->json, "args");
    fm_json_string(&writer->json, "metric", info->id);
    char cause[32];
    snprintf(cause, sizeof cause, "caused by %s", writer->process.one);
    fm_json_unsigned(&writer->json, cause,
                     writer->trace->locations[wait->cause_location].process +
                         writer->process.first);
    fm_json_end(&writer->json);
    fm_json_end(&writer->json);
    put_end(writer, end);
}

static void open_span(void *context, uint64_t time, uint32_t visit, uint32_t activity)
{
    struct writer *writer = context;
    const struct fm_cube_region *region =
        fm_event_region_of(writer->events, writer->location, visit);
    begin_event(writer, "B", fm_event_nanoseconds(writer->events, time), writer->location);
    const struct fm_visit_profile *node =
        &writer->trace->locations[writer->location].profile.items[visit];
    const bool is_estimated =
        node->kind == FM_CALLPATH_REGION && writer->trace->regions[node->region].is_estimated;
    put_name(writer, region->name, is_estimated ? "user,samples" : region->paradigm);
    if (activity != FM_NONE &&
        fm_trace_is_open(&writer->trace->locations[writer->location], activity)) {
        fm_json_object(&writer->json, "args");
        fm_json_bool(&writer->json, "never left", true);
        fm_json_end(&writer->json);
    }
    fm_json_end(&writer->json);
    const struct fm_candidate *wait =
        fm_span_wait(writer->events->detail, writer->location, activity);
    if (wait != NULL) {
        put_wait(writer, wait, time);
    }
}

static void close_span(void *context, uint64_t time)
{
    put_end(context, time);
}

/* Moves the time of an end of an arrow into a span of the location, if it is in none, since a
 * thread may begin and end outside of all functions: to the begin of the next one; behind the last,
 * to the end of that. @return false: the location has no span */
static bool move_into_span(const struct fm_location *location, uint64_t *time)
{
    const uint64_t *since = location->state_since.items;
    const uint32_t *visit = location->state_visit.items;
    size_t calls =
        fm_count_below(location->enter.items, location->enter.count, sizeof(uint64_t), *time + 1);
    size_t states = fm_count_below(since, location->state_since.count, sizeof *since, *time + 1);
    uint64_t last = calls > 0 ? location->leave.items[calls - 1] : 0, next = UINT64_MAX;
    bool has_spans = calls > 0;
    if (states > 0 && visit[states - 1] != FM_NONE) {
        return true;
    }
    if (states > 1 && visit[states - 2] != FM_NONE) { /* and left at the last change */
        has_spans = true;
        last = since[states - 1] > last ? since[states - 1] : last;
    }
    if (has_spans && last >= *time) {
        return true;
    }
    if (calls < location->enter.count) {
        next = location->enter.items[calls];
    }
    while (states < location->state_since.count && visit[states] == FM_NONE) {
        states++;
    }
    if (states < location->state_since.count && since[states] < next) {
        next = since[states];
    }
    *time = next != UINT64_MAX ? next : last;
    return has_spans || next != UINT64_MAX;
}

/* A flow binds to the span that encloses its time, so its time must lie inside the call, not at its
 * end. */
static bool find_time_inside(const struct writer *writer, const struct fm_arrow_end *end,
                             uint64_t *nanoseconds)
{
    const struct fm_location *location = &writer->trace->locations[end->location];
    uint64_t time = end->time;
    if (end->activity == FM_NONE) {
        bool has_spans = move_into_span(location, &time);
        *nanoseconds = fm_event_nanoseconds(writer->events, time);
        return has_spans;
    }
    time = fm_event_nanoseconds(writer->events, time);
    uint64_t enter = fm_event_nanoseconds(writer->events, location->enter.items[end->activity]);
    uint64_t leave = fm_event_nanoseconds(writer->events, location->leave.items[end->activity]);
    *nanoseconds = time < leave || leave == enter ? time : leave - 1;
    return true;
}

static void put_flow(struct writer *writer, const struct fm_arrow *arrow, size_t id)
{
    const char *category = arrow->kind == FM_ARROW_CAUSE  ? "cause"
                           : arrow->kind >= FM_ARROW_FORK ? "threads"
                                                          : "communication";
    uint64_t tail, head;
    if (!find_time_inside(writer, &arrow->tail, &tail) ||
        !find_time_inside(writer, &arrow->head, &head)) {
        return; /* readers drop flows without spans */
    }
    begin_event(writer, "s", tail, arrow->tail.location);
    put_name(writer, fm_arrow_name(arrow), category);
    fm_json_unsigned(&writer->json, "id", id);
    fm_json_end(&writer->json);
    begin_event(writer, "f", head, arrow->head.location);
    put_name(writer, fm_arrow_name(arrow), category);
    fm_json_unsigned(&writer->json, "id", id);
    fm_json_string(&writer->json, "bp", "e");
    fm_json_end(&writer->json);
}

/* Writes a property of a process or thread: its name, or its place among the others.
 * @param name  NULL: the property is the number */
static void put_metadata(struct writer *writer, const char *kind, uint32_t process,
                         uint32_t location, const char *name, uint32_t number)
{
    fm_json_line(&writer->json, 0);
    fm_json_object(&writer->json, NULL);
    fm_json_string(&writer->json, "ph", "M");
    fm_json_unsigned(&writer->json, "pid", process);
    fm_json_unsigned(&writer->json, "tid", location);
    fm_json_string(&writer->json, "name", kind);
    fm_json_object(&writer->json, "args");
    if (name != NULL) {
        fm_json_string(&writer->json, "name", name);
    } else {
        fm_json_unsigned(&writer->json, "sort_index", number);
    }
    fm_json_end(&writer->json);
    fm_json_end(&writer->json);
}

static void put_location(struct writer *writer, uint32_t index)
{
    const struct fm_location *location = &writer->trace->locations[index];
    const struct fm_span_sink sink = {open_span, close_span, writer};
    uint32_t process = location->process;
    writer->location = index;
    if (index == writer->trace->processes[process].first_location) {
        char name[32];
        snprintf(name, sizeof name, "%s %u", writer->process.title,
                 process + writer->process.first);
        put_metadata(writer, "process_name", process, index, name, 0);
        put_metadata(writer, "process_sort_index", process, index, NULL, process);
    }
    put_metadata(writer, "thread_name", process, index, location->name, 0);
    put_metadata(writer, "thread_sort_index", process, index, NULL, location->thread);
    fm_spans_walk(location, writer->events->from, writer->events->to, &sink);
}

static fm_status_t write_json(const struct fm_export_request *request, FILE *stream,
                              struct fm_error *error)
{
    struct fm_event_source events;
    fm_status_t status = fm_event_source_open(&events, request, error);
    if (status != FM_OK) {
        return status;
    }
    struct writer writer = {
        .events = &events,
        .trace = events.detail->trace,
        .json = fm_json_begin(stream, FM_JSON_COMPACT),
        .process = fm_process_word(events.cube),
    };
    fm_json_object(&writer.json, NULL);
    fm_json_string(&writer.json, "displayTimeUnit", "ns");
    fm_json_object(&writer.json, "otherData");
    fm_json_string(&writer.json, "creator", "fermata " FERMATA_VERSION);
    fm_json_end(&writer.json);
    fm_json_line(&writer.json, 0);
    fm_json_array(&writer.json, "traceEvents");
    for (uint32_t l = events.first_location; l < events.end_location; l++) {
        put_location(&writer, l);
    }
    for (size_t i = 0; i < events.arrows.count; i++) {
        put_flow(&writer, &events.arrows.items[i], i + 1);
    }
    fm_json_line(&writer.json, 0);
    fm_json_end(&writer.json);
    fm_json_end(&writer.json);
    putc('\n', stream);
    fm_event_source_close(&events);
    return FM_OK;
}

const struct fm_export_format fm_export_perfetto_json = {
    .name = "perfetto-json",
    .file = "trace.json",
    .summary = "the timeline for https://ui.perfetto.dev, chrome://tracing: small runs",
    .of_events = true,
    .of_a_part = true,
    .write = write_json,
};
