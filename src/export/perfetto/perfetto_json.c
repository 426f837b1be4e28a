/* A timeline as JSON in Chrome's trace event format, which Perfetto and many others read: a span
 * for each region and call, a span inside for the part of a call that is waiting, and flows for
 * messages, one-sided operations and what ended a wait. */
#include "base/text.h"
#include "export/event_source.h"
#include "timeline/spans.h"

#include <inttypes.h>

struct writer {
    const struct fm_event_source *events;
    const struct fm_trace *trace;
    FILE *stream;
    uint32_t location;
    bool some; /* events are there already */
};

/* What separates an event from the one before. */
static void put_separator(struct writer *writer)
{
    fputs(writer->some ? ",\n" : "\n", writer->stream);
    writer->some = true;
}

static void put_time(struct writer *writer, uint64_t nanoseconds)
{
    fprintf(writer->stream, "\"ts\":%" PRIu64 ".%03u", nanoseconds / 1000,
            (unsigned)(nanoseconds % 1000));
}

/* Begins an event of the location; the caller goes on with a comma, or ends it. */
static void put_event(struct writer *writer, char phase, uint64_t nanoseconds, uint32_t location)
{
    const struct fm_location *where = &writer->trace->locations[location];
    put_separator(writer);
    fprintf(writer->stream, "{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u,", phase, where->process,
            location);
    put_time(writer, nanoseconds);
}

static void put_name(struct writer *writer, const char *name, const char *category)
{
    fputs(",\"name\":", writer->stream);
    fm_text_write_json(writer->stream, name);
    fprintf(writer->stream, ",\"cat\":\"%s\"", category);
}

static const char *category_of(fm_paradigm_t paradigm)
{
    return fm_paradigm_name(paradigm);
}

/* The part of a call that is waiting, as a span inside. */
static void put_wait(struct writer *writer, const struct fm_candidate *wait, uint64_t begin)
{
    const struct fm_metric_info *info = fm_metric_info((fm_metric_t)wait->metric);
    uint64_t end = wait->t < writer->events->to ? wait->t : writer->events->to;
    if (end <= begin) {
        return;
    }
    put_event(writer, 'B', fm_event_nanoseconds(writer->events, begin), writer->location);
    put_name(writer, info->name, "wait state");
    fprintf(writer->stream, ",\"args\":{\"metric\":\"%s\",\"caused by rank\":%u}}", info->id,
            writer->trace->locations[wait->cause_location].process);
    put_event(writer, 'E', fm_event_nanoseconds(writer->events, end), writer->location);
    putc('}', writer->stream);
}

static void open_span(void *context, uint64_t time, uint32_t visit, uint32_t activity)
{
    struct writer *writer = context;
    const struct fm_location *location = &writer->trace->locations[writer->location];
    const struct fm_region *region = &writer->trace->regions[location->profile.items[visit].region];
    put_event(writer, 'B', fm_event_nanoseconds(writer->events, time), writer->location);
    put_name(writer, region->name, category_of(region->paradigm));
    putc('}', writer->stream);
    const struct fm_candidate *wait =
        fm_span_wait(writer->events->detail, writer->location, activity);
    if (wait != NULL) {
        put_wait(writer, wait, time);
    }
}

static void close_span(void *context, uint64_t time)
{
    struct writer *writer = context;
    put_event(writer, 'E', fm_event_nanoseconds(writer->events, time), writer->location);
    putc('}', writer->stream);
}

/* A flow binds to the span that encloses its time: it must lie in the call, not at its end. */
static uint64_t time_inside(struct writer *writer, const struct fm_arrow_end *end)
{
    uint64_t time = fm_event_nanoseconds(writer->events, end->time);
    if (end->activity == FM_NONE) {
        return time;
    }
    const struct fm_location *location = &writer->trace->locations[end->location];
    uint64_t enter = fm_event_nanoseconds(writer->events, location->enter.items[end->activity]);
    uint64_t leave = fm_event_nanoseconds(writer->events, location->leave.items[end->activity]);
    return time < leave || leave == enter ? time : leave - 1;
}

static void put_flow(struct writer *writer, const struct fm_arrow *arrow, size_t id)
{
    const char *category = arrow->kind == FM_ARROW_CAUSE ? "cause" : "communication";
    put_event(writer, 's', time_inside(writer, &arrow->tail), arrow->tail.location);
    put_name(writer, fm_arrow_name(arrow), category);
    fprintf(writer->stream, ",\"id\":%zu}", id);
    put_event(writer, 'f', time_inside(writer, &arrow->head), arrow->head.location);
    put_name(writer, fm_arrow_name(arrow), category);
    fprintf(writer->stream, ",\"id\":%zu,\"bp\":\"e\"}", id);
}

static void put_metadata(struct writer *writer, const char *kind, uint32_t process,
                         uint32_t location, const char *name)
{
    put_separator(writer);
    fprintf(writer->stream, "{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s\",\"args\":{",
            process, location, kind);
    fputs("\"name\":", writer->stream);
    fm_text_write_json(writer->stream, name);
    fputs("}}", writer->stream);
}

static void put_location(struct writer *writer, uint32_t index)
{
    const struct fm_location *location = &writer->trace->locations[index];
    const struct fm_span_sink sink = {open_span, close_span, writer};
    writer->location = index;
    if (location->thread == 0) {
        char name[32];
        snprintf(name, sizeof name, "Rank %u", location->process);
        put_metadata(writer, "process_name", location->process, index, name);
    }
    put_metadata(writer, "thread_name", location->process, index, location->name);
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
    struct writer writer = {&events, events.detail->trace, stream, 0, false};
    fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"creator\":\"fermata " FERMATA_VERSION
          "\"},\n\"traceEvents\":[",
          stream);
    for (uint32_t l = events.first_location; l < events.end_location; l++) {
        put_location(&writer, l);
    }
    for (size_t i = 0; i < events.arrows.count; i++) {
        put_flow(&writer, &events.arrows.items[i], i + 1);
    }
    fputs("\n]}\n", stream);
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
