/* SPDX-License-Identifier: BSD-3-Clause */
/* A timeline in Perfetto's native format (TrackEvent packets): for long runs. A rank is a process,
 * its locations are threads, with descriptors in the order of ranks; packets of events follow in
 * order of time. Each region and call is a span, and the waiting part of a call a span inside it.
 * Messages, one-sided operations and causes of waits are flows. A flow leads from the span of the
 * call to a mark at the time of arrival, because the span of a receive may begin before that of its
 * send. */
#include "diagnosis/process_word.h"
#include "export/event_source.h"
#include "export/perfetto/ordered_events.h"
#include "export/perfetto/protobuf.h"
#include "timeline/spans.h"

/* Numbers of fields in the messages of Perfetto's trace format. */
enum { TRACE_PACKET = 1 };
enum {
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED_DATA = 12,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_TRACK_DESCRIPTOR = 60
};
enum { SEQUENCE_STATE_CLEARED = 1, SEQUENCE_NEEDS_STATE = 2 };
enum {
    EVENT_CATEGORY_IIDS = 3,
    EVENT_ANNOTATIONS = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_FLOW_IDS = 47
};
enum { TYPE_SLICE_BEGIN = 1, TYPE_SLICE_END = 2, TYPE_INSTANT = 3 };
enum { INTERNED_CATEGORIES = 1, INTERNED_NAMES = 2 };
enum { NAME_IID = 1, NAME_TEXT = 2 };
enum { ANNOTATION_STRING = 6, ANNOTATION_UNSIGNED = 3, ANNOTATION_NAME = 10 };
enum {
    DESCRIPTOR_UUID = 1,
    DESCRIPTOR_NAME = 2,
    DESCRIPTOR_PROCESS = 3,
    DESCRIPTOR_THREAD = 4,
    DESCRIPTOR_PARENT = 5,
    DESCRIPTOR_ORDER_RANK = 12,
    DESCRIPTOR_PROCESS_ORDER = 19,
    DESCRIPTOR_THREAD_ORDER = 20
};
enum { ORDER_EXPLICIT = 1 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };

#define SEQUENCE 1

/** Events that are sorted at once: 64 MB. */
#define WINDOW_EVENTS (UINT64_C(1) << 20)

/* Categories: the paradigms, followed by these. */
enum {
    CATEGORY_PARAMETER = FM_PARADIGM_MEASUREMENT + 1,
    CATEGORY_SAMPLES, /* besides that of the paradigm: begin and end are estimates */
    CATEGORY_WAIT,
    CATEGORY_ARRIVAL
};

/* Ids of names: the regions of the report, then the metrics, then the kinds of arrows, from 1. */
static uint64_t region_name(uint32_t region)
{
    return region + UINT64_C(1);
}

struct writer {
    const struct fm_event_source *events;
    const struct fm_trace *trace;
    struct fm_process_word process;
    FILE *stream;
    struct fm_protobuf event, packet, framed;
};

static uint64_t metric_name(const struct writer *writer, unsigned metric)
{
    return writer->events->cube->region_count + metric + UINT64_C(1);
}

static uint64_t arrow_name(const struct writer *writer, const struct fm_arrow *arrow)
{
    return arrow->kind == FM_ARROW_CAUSE
               ? metric_name(writer, arrow->metric)
               : metric_name(writer, (unsigned)FM_METRIC_COUNT + (unsigned)arrow->kind);
}

/* Ids of tracks: ranks and locations, from 1; 0 is the root of all. */
static uint64_t rank_track(uint32_t process)
{
    return process + UINT64_C(1);
}

static uint64_t location_track(const struct writer *writer, uint32_t location)
{
    return writer->trace->process_count + location + UINT64_C(1);
}

static void put_packet(struct writer *writer)
{
    fm_protobuf_integer(&writer->packet, PACKET_SEQUENCE, SEQUENCE);
    writer->framed.items.count = 0;
    fm_protobuf_message(&writer->framed, TRACE_PACKET, &writer->packet);
    fwrite(writer->framed.items.items, 1, writer->framed.items.count, writer->stream);
    writer->packet.items.count = 0;
}

static void begin_event(struct writer *writer, unsigned type, uint32_t location)
{
    writer->event.items.count = 0;
    fm_protobuf_integer(&writer->event, EVENT_TYPE, type);
    fm_protobuf_integer(&writer->event, EVENT_TRACK, location_track(writer, location));
}

static void name_event(struct writer *writer, uint64_t name, unsigned category)
{
    fm_protobuf_integer(&writer->event, EVENT_NAME_IID, name);
    fm_protobuf_integer(&writer->event, EVENT_CATEGORY_IIDS, category + 1);
}

static void put_event(struct writer *writer, uint64_t time)
{
    fm_protobuf_integer(&writer->packet, PACKET_TIMESTAMP,
                        fm_event_nanoseconds(writer->events, time));
    fm_protobuf_message(&writer->packet, PACKET_TRACK_EVENT, &writer->event);
    fm_protobuf_integer(&writer->packet, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDS_STATE);
    put_packet(writer);
}

static void annotate(struct writer *writer, const char *name, const char *text, uint64_t number)
{
    struct fm_protobuf annotation = {0};
    fm_protobuf_string(&annotation, ANNOTATION_NAME, name);
    if (text != NULL) {
        fm_protobuf_string(&annotation, ANNOTATION_STRING, text);
    } else {
        fm_protobuf_integer(&annotation, ANNOTATION_UNSIGNED, number);
    }
    fm_protobuf_message(&writer->event, EVENT_ANNOTATIONS, &annotation);
    fm_protobuf_free(&annotation);
}

static void put_wait(struct writer *writer, const struct fm_ordered_event *event)
{
    const struct fm_candidate *wait =
        fm_span_wait(writer->events->detail, event->location, event->activity);
    const struct fm_location *cause = &writer->trace->locations[wait->cause_location];
    begin_event(writer, TYPE_SLICE_BEGIN, event->location);
    name_event(writer, metric_name(writer, wait->metric), CATEGORY_WAIT);
    annotate(writer, "metric", fm_metric_info((fm_metric_t)wait->metric)->id, 0);
    char who[32];
    snprintf(who, sizeof who, "caused by %s", writer->process.one);
    annotate(writer, who, NULL, cause->process + writer->process.first);
    put_event(writer, event->time);
}

static void put_begin(struct writer *writer, const struct fm_ordered_event *event)
{
    const struct fm_visit_profile *visit =
        &writer->trace->locations[event->location].profile.items[event->visit];
    const struct fm_cube_region *region =
        fm_event_region_of(writer->events, event->location, event->visit);
    size_t count = 0;
    const fm_arrows *arrows = &writer->events->arrows;
    const struct fm_arrow *tails =
        event->activity == FM_NONE
            ? NULL
            : fm_arrows_from(arrows, event->location, event->activity, &count);
    begin_event(writer, TYPE_SLICE_BEGIN, event->location);
    name_event(writer, region_name((uint32_t)(region - writer->events->cube->regions)),
               visit->kind == FM_CALLPATH_REGION ? writer->trace->regions[visit->region].paradigm
                                                 : (unsigned)CATEGORY_PARAMETER);
    if (visit->kind == FM_CALLPATH_REGION && writer->trace->regions[visit->region].is_estimated) {
        fm_protobuf_integer(&writer->event, EVENT_CATEGORY_IIDS, CATEGORY_SAMPLES + 1);
    }
    if (event->activity != FM_NONE &&
        fm_trace_is_open(&writer->trace->locations[event->location], event->activity)) {
        annotate(writer, "never left", NULL, 1);
    }
    for (size_t i = 0; i < count; i++) {
        fm_protobuf_fixed64(&writer->event, EVENT_FLOW_IDS,
                            (uint64_t)(&tails[i] - arrows->items) + 1);
    }
    put_event(writer, event->time);
}

static void put_ordered(void *context, const struct fm_ordered_event *event)
{
    struct writer *writer = context;
    switch (event->kind) {
    case FM_ORDERED_OPEN:
        put_begin(writer, event);
        break;
    case FM_ORDERED_WAIT_OPEN:
        put_wait(writer, event);
        break;
    case FM_ORDERED_CLOSE:
    case FM_ORDERED_WAIT_CLOSE:
        begin_event(writer, TYPE_SLICE_END, event->location);
        put_event(writer, event->time);
        break;
    case FM_ORDERED_ARRIVAL:
        begin_event(writer, TYPE_INSTANT, event->location);
        name_event(writer, arrow_name(writer, &writer->events->arrows.items[event->arrow]),
                   CATEGORY_ARRIVAL);
        fm_protobuf_fixed64(&writer->event, EVENT_FLOW_IDS, event->arrow + 1);
        put_event(writer, event->time);
        break;
    }
}

static void intern(struct fm_protobuf *data, uint32_t field, uint64_t iid, const char *text)
{
    struct fm_protobuf name = {0};
    fm_protobuf_integer(&name, NAME_IID, iid);
    fm_protobuf_string(&name, NAME_TEXT, text);
    fm_protobuf_message(data, field, &name);
    fm_protobuf_free(&name);
}

static void put_names(struct writer *writer)
{
    struct fm_protobuf data = {0};
    for (unsigned p = 0; p <= FM_PARADIGM_MEASUREMENT; p++) {
        intern(&data, INTERNED_CATEGORIES, p + 1, fm_paradigm_name((fm_paradigm_t)p));
    }
    intern(&data, INTERNED_CATEGORIES, CATEGORY_PARAMETER + 1, FM_CUBE_PARAMETER);
    intern(&data, INTERNED_CATEGORIES, CATEGORY_SAMPLES + 1, "samples");
    intern(&data, INTERNED_CATEGORIES, CATEGORY_WAIT + 1, "wait state");
    intern(&data, INTERNED_CATEGORIES, CATEGORY_ARRIVAL + 1, "arrival");
    for (uint32_t r = 0; r < writer->events->cube->region_count; r++) {
        intern(&data, INTERNED_NAMES, region_name(r), writer->events->cube->regions[r].name);
    }
    for (unsigned m = 0; m < fm_metric_end(); m++) {
        intern(&data, INTERNED_NAMES, metric_name(writer, m), fm_metric_info((fm_metric_t)m)->name);
    }
    for (unsigned k = 0; k < FM_ARROW_CAUSE; k++) {
        const struct fm_arrow arrow = {.kind = (enum fm_arrow_kind)k};
        intern(&data, INTERNED_NAMES, arrow_name(writer, &arrow), fm_arrow_name(&arrow));
    }
    fm_protobuf_message(&writer->packet, PACKET_INTERNED_DATA, &data);
    fm_protobuf_integer(&writer->packet, PACKET_SEQUENCE_FLAGS, SEQUENCE_STATE_CLEARED);
    put_packet(writer);
    fm_protobuf_free(&data);
}

static void put_descriptor(struct writer *writer, struct fm_protobuf *descriptor)
{
    fm_protobuf_message(&writer->packet, PACKET_TRACK_DESCRIPTOR, descriptor);
    put_packet(writer);
    fm_protobuf_free(descriptor);
}

/** Makes the order of processes and threads that of their descriptors' ranks. Readers that do not
 * know this fall back to names and to the order of descriptors. */
static void put_root(struct writer *writer)
{
    struct fm_protobuf descriptor = {0};
    fm_protobuf_integer(&descriptor, DESCRIPTOR_UUID, 0);
    fm_protobuf_integer(&descriptor, DESCRIPTOR_PROCESS_ORDER, ORDER_EXPLICIT);
    fm_protobuf_integer(&descriptor, DESCRIPTOR_THREAD_ORDER, ORDER_EXPLICIT);
    put_descriptor(writer, &descriptor);
}

/* Numbers of processes and threads as an operating system has them: positive, and the first thread
 * of a process has the number of the process. Process 0 would be taken for an idle processor. */
static uint64_t pid_of(uint32_t process)
{
    return process + UINT64_C(1);
}

static void put_process(struct writer *writer, uint32_t process, const char *name)
{
    struct fm_protobuf descriptor = {0}, inner = {0};
    fm_protobuf_integer(&inner, PROCESS_PID, pid_of(process));
    fm_protobuf_string(&inner, PROCESS_NAME, name);
    fm_protobuf_integer(&descriptor, DESCRIPTOR_UUID, rank_track(process));
    fm_protobuf_string(&descriptor, DESCRIPTOR_NAME, name);
    fm_protobuf_message(&descriptor, DESCRIPTOR_PROCESS, &inner);
    fm_protobuf_integer(&descriptor, DESCRIPTOR_ORDER_RANK, process);
    put_descriptor(writer, &descriptor);
    fm_protobuf_free(&inner);
}

static void put_thread(struct writer *writer, uint32_t index)
{
    const struct fm_location *location = &writer->trace->locations[index];
    struct fm_protobuf descriptor = {0}, inner = {0};
    fm_protobuf_integer(&inner, THREAD_PID, pid_of(location->process));
    fm_protobuf_integer(&inner, THREAD_TID,
                        location->thread == 0 ? pid_of(location->process)
                                              : location_track(writer, index));
    fm_protobuf_string(&inner, THREAD_NAME, location->name);
    fm_protobuf_integer(&descriptor, DESCRIPTOR_UUID, location_track(writer, index));
    fm_protobuf_string(&descriptor, DESCRIPTOR_NAME, location->name);
    fm_protobuf_message(&descriptor, DESCRIPTOR_THREAD, &inner);
    fm_protobuf_integer(&descriptor, DESCRIPTOR_PARENT, rank_track(location->process));
    fm_protobuf_integer(&descriptor, DESCRIPTOR_ORDER_RANK, location->thread);
    put_descriptor(writer, &descriptor);
    fm_protobuf_free(&inner);
}

static void put_tracks(struct writer *writer)
{
    /* Some readers sort processes by name: equal numbers of digits keep the order of ranks. */
    const struct fm_process_word *word = &writer->process;
    int digits = snprintf(NULL, 0, "%u", writer->trace->process_count - 1 + word->first);
    put_root(writer);
    for (uint32_t l = writer->events->first_location; l < writer->events->end_location; l++) {
        uint32_t process = writer->trace->locations[l].process;
        if (l == writer->trace->processes[process].first_location) {
            char name[32];
            snprintf(name, sizeof name, "%s %0*u", word->title, digits, process + word->first);
            put_process(writer, process, name);
        }
        put_thread(writer, l);
    }
}

static fm_status_t write_perfetto(const struct fm_export_request *request, FILE *stream,
                                  struct fm_error *error)
{
    struct fm_event_source events;
    fm_status_t status = fm_event_source_open(&events, request, error);
    if (status != FM_OK) {
        return status;
    }
    struct writer writer = {.events = &events,
                            .trace = events.detail->trace,
                            .process = fm_process_word(events.cube),
                            .stream = stream};
    put_names(&writer);
    put_tracks(&writer);
    fm_ordered_events_walk(&events, WINDOW_EVENTS, put_ordered, &writer);
    fm_protobuf_free(&writer.event);
    fm_protobuf_free(&writer.packet);
    fm_protobuf_free(&writer.framed);
    fm_event_source_close(&events);
    return FM_OK;
}

const struct fm_export_format fm_export_perfetto = {
    .name = "perfetto",
    .file = "trace.perfetto-trace",
    .summary = "the timeline for https://ui.perfetto.dev, in its own format",
    .of_events = true,
    .of_a_part = true,
    .write = write_perfetto,
};
