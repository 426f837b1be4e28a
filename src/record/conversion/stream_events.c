/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/conversion/stream_events.h"

#include "record/archive/streams.h"
#include "record/conversion/convert_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of the parameters and metrics; FM_DEFINE_NONE: not defined yet. */
static uint32_t correlation_parameter, stream_parameter, event_parameter;
static uint32_t activity_metrics[FM_KERNEL_ACTIVITY_COUNT];

/* The lines of the process's launches: as a call has the line that it stands in, a work has the
 * line of its launch. */
static struct {
    struct launch {
        uint64_t correlation;
        uint32_t line;
    } * items;
    size_t count, room;
    bool is_sorted;
} launches;

/* The first wait for an event of each of the process's streams. */
static struct {
    struct stream_wait {
        uint64_t time;
        uint32_t stream, region; /* index of the location; number of the definition */
    } * items;
    size_t count, room;
} first_waits;

void fm_stream_events_begin(void)
{
    first_waits.count = 0;
    correlation_parameter = stream_parameter = event_parameter = FM_DEFINE_NONE;
    for (int i = 0; i < FM_KERNEL_ACTIVITY_COUNT; i++) {
        activity_metrics[i] = FM_DEFINE_NONE;
    }
    launches.count = 0;
}

static void note_launch(struct fm_thread *thread, uint64_t correlation)
{
    uint32_t line = fm_path_line(&thread->path, fm_convert_state.callsites);
    if (line == FM_DEFINE_NONE) {
        return;
    }
    if (launches.count == launches.room) {
        size_t room = 2 * launches.room + 256;
        struct launch *larger = realloc(launches.items, room * sizeof *larger);
        fm_convert_check(larger != NULL);
        if (larger == NULL) {
            return;
        }
        launches.items = larger;
        launches.room = room;
    }
    launches.items[launches.count++] = (struct launch){correlation, line};
    launches.is_sorted = false;
}

/* @return the first wait of a stream; NULL: none is known */
static struct stream_wait *wait_of(uint32_t stream)
{
    for (size_t i = 0; i < first_waits.count; i++) {
        if (first_waits.items[i].stream == stream) {
            return &first_waits.items[i];
        }
    }
    return NULL;
}

static void note_wait(struct stream_wait wait)
{
    struct stream_wait *known = wait_of(wait.stream);
    if (known != NULL) {
        *known = wait.time < known->time ? wait : *known;
        return;
    }
    if (first_waits.count == first_waits.room) {
        size_t room = 2 * first_waits.room + 16;
        struct stream_wait *larger = realloc(first_waits.items, room * sizeof *larger);
        fm_convert_check(larger != NULL);
        if (larger == NULL) {
            return;
        }
        first_waits.items = larger;
        first_waits.room = room;
    }
    first_waits.items[first_waits.count++] = wait;
}

static int compare_launches(const void *a, const void *b)
{
    const struct launch *left = a, *right = b;
    return left->correlation < right->correlation ? -1 : left->correlation > right->correlation;
}

/* @return the line of a work's launch; FM_DEFINE_NONE: not known */
static uint32_t line_of_launch(uint64_t correlation)
{
    const struct launch key = {.correlation = correlation}, *found;
    if (launches.count == 0) {
        return FM_DEFINE_NONE;
    }
    if (!launches.is_sorted) {
        qsort(launches.items, launches.count, sizeof *launches.items, compare_launches);
        launches.is_sorted = true;
    }
    found = bsearch(&key, launches.items, launches.count, sizeof *launches.items, compare_launches);
    return found != NULL ? found->line : FM_DEFINE_NONE;
}

static void add_work(struct fm_stream_events *events, const uint64_t *record)
{
    if (events->count == events->room) {
        size_t room = 2 * events->room + 256;
        struct fm_stream_work_event *larger = realloc(events->items, room * sizeof *larger);
        fm_convert_check(larger != NULL);
        if (larger == NULL) {
            return;
        }
        events->items = larger;
        events->room = room;
    }
    events->items[events->count++] =
        (struct fm_stream_work_event){.begin = record[1],
                                      .end = record[2],
                                      .correlation = record[3],
                                      .region = fm_record_ref(record[0])};
}

static void add_activity(struct fm_stream_events *events, const uint64_t *record)
{
    if (events->activity_count == events->activity_room) {
        size_t room = 2 * events->activity_room + 256;
        struct fm_stream_activity *larger = realloc(events->activities, room * sizeof *larger);
        fm_convert_check(larger != NULL);
        if (larger == NULL) {
            return;
        }
        events->activities = larger;
        events->activity_room = room;
    }
    struct fm_stream_activity *activity = &events->activities[events->activity_count++];
    activity->correlation = record[1];
    memcpy(activity->values, record + 2, sizeof activity->values);
}

void fm_stream_event(struct fm_thread *stream, const uint64_t *record)
{
    switch (fm_record_kind(record[0])) {
    case FM_RECORD_STREAM_BEGIN:
        fm_stream_declare(stream, record);
        return;
    case FM_RECORD_STREAM_ACTIVITY:
        add_activity(&stream->stream, record);
        return;
    default:
        add_work(&stream->stream, record);
    }
}

void fm_stream_declare(struct fm_thread *stream, const uint64_t *record)
{
    fm_convert_check(fm_stream_note((struct fm_noted_stream){
        .index = stream->index, .name = fm_record_ref(record[0]), .context = (uint32_t)record[1]}));
}

static void write_parameter(struct fm_thread *thread, uint32_t *parameter, const char *name,
                            uint64_t time, uint64_t value)
{
    if (*parameter == FM_DEFINE_NONE) {
        const uint32_t words[] = {fm_define_string(fm_convert_state.definitions, name),
                                  OTF2_PARAMETER_TYPE_UINT64};
        *parameter = fm_define(fm_convert_state.definitions, FM_DEFINE_PARAMETER, words, 2);
        fm_convert_check(*parameter != FM_DEFINE_NONE);
    }
    fm_convert_count(
        thread, OTF2_EvtWriter_ParameterUnsignedInt(
                    thread->writer, NULL, fm_convert_not_before(thread, time), *parameter, value));
}

static void write_correlation(struct fm_thread *thread, uint64_t time, uint64_t correlation)
{
    write_parameter(thread, &correlation_parameter, "accelerator correlation", time, correlation);
}

static void write_awaited(struct fm_thread *thread, uint64_t time, uint32_t index)
{
    write_parameter(thread, &stream_parameter, "accelerator stream", time,
                    fm_archive_location(thread->rank, index));
}

/* A call that names no stream waits for all. If it waits for some, of which there are none, it
 * names its own location, which is no stream. */
static void write_awaited_context(struct fm_thread *thread, uint64_t time, uint32_t context)
{
    size_t count, own = 0;
    const struct fm_noted_stream *streams = fm_streams_noted(&count);
    for (size_t i = 0; i < count; i++) {
        own += streams[i].context == context;
    }
    for (size_t i = 0; i < count && own < count; i++) {
        if (streams[i].context == context) {
            write_awaited(thread, time, streams[i].index);
        }
    }
    if (own == 0 && count > 0) {
        write_awaited(thread, time, thread->index);
    }
}

static void write_event(struct fm_thread *thread, uint64_t time, const uint64_t *record)
{
    write_awaited(thread, time, fm_record_ref(record[0]));
    write_parameter(thread, &event_parameter, "accelerator event", time, record[1]);
}

void fm_stream_parameter(struct fm_thread *thread, const uint64_t *record, uint64_t time)
{
    switch (fm_record_kind(record[0])) {
    case FM_RECORD_CORRELATION:
        write_correlation(thread, time, record[1]);
        note_launch(thread, record[1]);
        return;
    case FM_RECORD_CONTEXT_AWAITED:
        write_awaited_context(thread, time, fm_record_ref(record[0]));
        return;
    case FM_RECORD_STREAM_WAITS:
        note_wait((struct stream_wait){time, fm_record_ref(record[0]), (uint32_t)record[2]});
        write_event(thread, time, record);
        return;
    case FM_RECORD_STREAM_EVENT:
        write_event(thread, time, record);
        return;
    default:
        write_awaited(thread, time, fm_record_ref(record[0]));
    }
}

/* @return the number of the metric */
static uint32_t define_activity(fm_kernel_activity_t which)
{
    static const char *const names[][2] = {
#define FM_KERNEL_ACTIVITY(symbol, name, unit, whole) {name, unit},
        FM_KERNEL_ACTIVITIES(FM_KERNEL_ACTIVITY)
#undef FM_KERNEL_ACTIVITY
    };
    uint32_t *metric = &activity_metrics[which];
    if (*metric == FM_DEFINE_NONE) {
        const uint32_t words[] = {fm_define_string(fm_convert_state.definitions, names[which][0]),
                                  fm_define_string(fm_convert_state.definitions, names[which][1]),
                                  OTF2_TYPE_DOUBLE, OTF2_METRIC_ABSOLUTE_NEXT | FM_METRIC_OF_PLACE};
        *metric = fm_define(fm_convert_state.definitions, FM_DEFINE_METRIC, words, 4);
        fm_convert_check(*metric != FM_DEFINE_NONE);
    }
    return *metric;
}

static void write_value(struct fm_thread *stream, fm_kernel_activity_t which, uint64_t time,
                        double number)
{
    OTF2_Type type = OTF2_TYPE_DOUBLE;
    OTF2_MetricValue value = {.floating_point = number};
    fm_convert_count(stream, OTF2_EvtWriter_Metric(stream->writer, NULL, time,
                                                   define_activity(which), 1, &type, &value));
}

static int compare_activities(const void *a, const void *b)
{
    const struct fm_stream_activity *left = a, *right = b;
    return left->correlation < right->correlation ? -1 : left->correlation > right->correlation;
}

/* Writes what is known of a kernel that begins. The definition of the metric states that kernels
 * were executed to be measured, even if no value is known. */
static void write_activity(struct fm_thread *stream, uint64_t correlation, uint64_t time)
{
    const struct fm_stream_events *events = &stream->stream;
    const struct fm_stream_activity key = {.correlation = correlation};
    const struct fm_stream_activity *found =
        events->activity_count > 0 ? bsearch(&key, events->activities, events->activity_count,
                                             sizeof key, compare_activities)
                                   : NULL;
    if (found != NULL) {
        define_activity(FM_KERNEL_SM);
    }
    for (int i = 0; found != NULL && i < FM_KERNEL_ACTIVITY_COUNT; i++) {
        if (!isnan(found->values[i])) {
            write_value(stream, (fm_kernel_activity_t)i, time, found->values[i]);
        }
    }
}

static int compare_works(const void *a, const void *b)
{
    const struct fm_stream_work_event *left = a, *right = b;
    if (left->begin != right->begin) {
        return left->begin < right->begin ? -1 : 1;
    }
    if (left->end != right->end) {
        return left->end < right->end ? -1 : 1;
    }
    return left->correlation < right->correlation ? -1 : left->correlation > right->correlation;
}

static void write_work(struct fm_thread *stream, const struct fm_stream_work_event *work)
{
    uint64_t begin = fm_convert_not_before(stream, work->begin);
    uint32_t region = fm_event_region(fm_convert_state.regions, FM_FUNCTIONS_MOST + work->region,
                                      line_of_launch(work->correlation));
    fm_convert_check(region != FM_DEFINE_NONE);
    fm_convert_count_region(stream, region,
                            OTF2_EvtWriter_Enter(stream->writer, NULL, begin, region));
    if (work->correlation != 0) {
        write_correlation(stream, begin, work->correlation);
        write_activity(stream, work->correlation, begin);
    }
    uint64_t end = fm_convert_not_before(stream, work->end);
    fm_convert_count_region(stream, region,
                            OTF2_EvtWriter_Leave(stream->writer, NULL, end, region));
}

/* A stream whose first work waits for an event begins when it is let wait: its idle time has a
 * place. */
static void write_first_wait(struct fm_thread *stream, size_t regions)
{
    const struct stream_wait *wait = wait_of(stream->index);
    if (wait != NULL && !fm_archive_has_failed && wait->region < regions &&
        wait->time < stream->stream.items[0].begin) {
        write_work(stream, &(struct fm_stream_work_event){
                               .begin = wait->time, .end = wait->time, .region = wait->region});
    }
}

void fm_stream_events_end(struct fm_thread *stream)
{
    struct fm_stream_events *events = &stream->stream;
    size_t regions = fm_convert_state.definitions->tables[FM_DEFINE_REGION].count;
    if (events->count > 0) {
        qsort(events->items, events->count, sizeof *events->items, compare_works);
        write_first_wait(stream, regions);
    }
    if (events->activity_count > 0) {
        qsort(events->activities, events->activity_count, sizeof *events->activities,
              compare_activities);
    }
    for (size_t i = 0; i < events->count && !fm_archive_has_failed; i++) {
        const struct fm_stream_work_event *work = &events->items[i];
        if (fm_convert_state.written > fm_convert_state.limits.bytes) {
            fm_convert_state.has_exceeded = true;
        } else if (work->region < regions && work->end > stream->last_time) {
            write_work(stream, work);
        }
    }
    free(events->items);
    free(events->activities);
    events->items = NULL;
    events->activities = NULL;
    events->count = events->room = 0;
    events->activity_count = events->activity_room = 0;
}
