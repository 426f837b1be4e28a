/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/accelerators/accelerator_events.h"

#include "base/containers/sort.h"

/* ---- calls ---- */

/* @return a record of a type that a call has, from the one at `row` on in both directions; NULL:
 * none */
static const struct fm_thread_record *record_of_call(const struct fm_location *location,
                                                     uint32_t row, fm_thread_record_type_t type)
{
    const uint32_t activity = location->threads.items[row].activity;
    uint32_t first = row;
    while (first > 0 && location->threads.items[first - 1].activity == activity) {
        first--;
    }
    for (uint32_t r = first;
         r < location->threads.count && location->threads.items[r].activity == activity; r++) {
        if (location->threads.items[r].type == type) {
            return &location->threads.items[r];
        }
    }
    return NULL;
}

/* @return the location of a process's stream by its name in the archive; FM_NONE: none has it */
static uint32_t find_stream(const struct fm_trace *trace, uint32_t process, uint64_t id)
{
    const uint32_t end = fm_trace_first_location(trace, process + 1);
    for (uint32_t l = fm_trace_first_location(trace, process); l < end; l++) {
        if (trace->locations[l].is_stream && trace->locations[l].id == id) {
            return l;
        }
    }
    return FM_NONE;
}

static void add_event(const struct fm_trace *trace, uint32_t process, uint32_t l, uint32_t row,
                      struct fm_accelerator_events *events)
{
    const struct fm_location *location = &trace->locations[l];
    const struct fm_thread_record *event = &location->threads.items[row];
    const struct fm_thread_record *named = record_of_call(location, row, FM_THREAD_STREAM);
    const struct fm_call_ref call = {l, event->activity};
    const uint32_t stream = named != NULL ? find_stream(trace, process, named->id) : FM_NONE;
    switch (fm_trace_called(trace, location, event->activity)->call) {
    case FM_CALL_STREAM_EVENT_RECORD:
        fm_vector_push(&events->records, ((struct fm_event_record){
                                             event->id, fm_call_enter(trace, call), call, stream}));
        return;
    case FM_CALL_STREAM_EVENT_WAIT:
        if (stream != FM_NONE) {
            fm_vector_push(&events->waits, ((struct fm_event_wait){event->id, call, stream}));
        }
        return;
    default:
        return;
    }
}

static int compare_records(const void *a, const void *b)
{
    const struct fm_event_record *left = a, *right = b;
    if (left->number != right->number) {
        return left->number < right->number ? -1 : 1;
    }
    if (left->time != right->time) {
        return left->time < right->time ? -1 : 1;
    }
    if (left->call.location != right->call.location) {
        return left->call.location < right->call.location ? -1 : 1;
    }
    return left->call.activity < right->call.activity ? -1
                                                      : left->call.activity > right->call.activity;
}

void fm_accelerator_events_list(const struct fm_trace *trace, uint32_t process,
                                struct fm_accelerator_events *events)
{
    const uint32_t end = fm_trace_first_location(trace, process + 1);
    events->records.count = events->waits.count = 0;
    for (uint32_t l = fm_trace_first_location(trace, process); l < end; l++) {
        const struct fm_location *location = &trace->locations[l];
        for (uint32_t r = 0; r < location->threads.count && !location->is_stream; r++) {
            const struct fm_thread_record *record = &location->threads.items[r];
            if (record->type == FM_THREAD_EVENT && record->activity != FM_NONE) {
                add_event(trace, process, l, r, events);
            }
        }
    }
    fm_sort(events->records.items, events->records.count, sizeof *events->records.items,
            compare_records);
}

void fm_accelerator_events_free(struct fm_accelerator_events *events)
{
    fm_vector_free(&events->records);
    fm_vector_free(&events->waits);
}

/* @return the last record of a number whose Enter is not behind `time`; NULL: none */
static const struct fm_event_record *find_record(const struct fm_accelerator_events *events,
                                                 uint64_t number, uint64_t time)
{
    size_t low = 0, high = events->records.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct fm_event_record *record = &events->records.items[middle];
        if (record->number < number || (record->number == number && record->time <= time)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 && events->records.items[low - 1].number == number
               ? &events->records.items[low - 1]
               : NULL;
}

const struct fm_event_record *fm_accelerator_event_of(const struct fm_trace *trace,
                                                      const struct fm_accelerator_events *events,
                                                      struct fm_call_ref call,
                                                      uint32_t first_record)
{
    const struct fm_location *location = &trace->locations[call.location];
    for (uint32_t r = first_record; r < location->threads.count &&
                                    location->threads.items[r].next_activity <= call.activity + 1;
         r++) {
        const struct fm_thread_record *record = &location->threads.items[r];
        if (record->type == FM_THREAD_EVENT && record->activity == call.activity) {
            return find_record(events, record->id, fm_call_enter(trace, call));
        }
    }
    return NULL;
}

/* ---- works that wait ---- */

/* When works were launched. Several threads may launch work of one stream, whose order need not be
 * that of the calls' Enters: the extremes are monotone, and can be searched. */
struct launch_times {
    uint64_t *latest;   /* [work]: of those of the stream up to it */
    uint64_t *earliest; /* ... from it on */
};

static void find_launch_times(const struct fm_trace *trace, const fm_stream_work_vector *work,
                              const fm_accelerator_stream_vector *streams,
                              struct launch_times *times)
{
    times->latest = fm_allocate(work->count, sizeof *times->latest);
    times->earliest = fm_allocate(work->count, sizeof *times->earliest);
    for (size_t s = 0; s < streams->count; s++) {
        const struct fm_accelerator_stream *stream = &streams->items[s];
        uint64_t latest = 0, earliest = UINT64_MAX;
        for (size_t i = stream->first; i < stream->end; i++) {
            const uint64_t time = fm_call_enter(trace, work->items[i].launch);
            latest = time > latest ? time : latest;
            times->latest[i] = latest;
        }
        for (size_t i = stream->end; i-- > stream->first;) {
            const uint64_t time = fm_call_enter(trace, work->items[i].launch);
            earliest = time < earliest ? time : earliest;
            times->earliest[i] = earliest;
        }
    }
}

/* @return the last work of a stream that was launched before `time`; `stream->end`: none */
static size_t last_before(const struct launch_times *times,
                          const struct fm_accelerator_stream *stream, uint64_t time)
{
    size_t low = stream->first, high = stream->end;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (times->earliest[middle] < time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > stream->first ? low - 1 : stream->end;
}

/* @return the first work of a stream that was launched behind `time`; `stream->end`: none */
static size_t first_behind(const struct launch_times *times,
                           const struct fm_accelerator_stream *stream, uint64_t time)
{
    size_t low = stream->first, high = stream->end;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (times->latest[middle] <= time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* @return a stream of the process by its location */
static const struct fm_accelerator_stream *stream_at(const fm_accelerator_stream_vector *streams,
                                                     uint32_t location)
{
    size_t low = 0, high = streams->count - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (streams->items[middle].location < location) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return &streams->items[low];
}

static int compare_found(const void *a, const void *b)
{
    const struct fm_awaited_work *left = a, *right = b;
    if (left->work != right->work) {
        return left->work < right->work ? -1 : 1;
    }
    return left->awaited < right->awaited ? -1 : left->awaited > right->awaited;
}

void fm_awaited_work_list(const struct fm_trace *trace, const struct fm_accelerator_events *events,
                          const fm_stream_work_vector *work,
                          const fm_accelerator_stream_vector *streams,
                          fm_awaited_work_vector *found)
{
    struct launch_times times;
    found->count = 0;
    if (events->waits.count == 0 || work->count == 0) {
        return;
    }
    find_launch_times(trace, work, streams, &times);
    for (size_t i = 0; i < events->waits.count; i++) {
        const struct fm_event_wait *wait = &events->waits.items[i];
        const uint64_t enter = fm_call_enter(trace, wait->call);
        const struct fm_event_record *record = find_record(events, wait->number, enter);
        if (record == NULL || record->stream == FM_NONE || record->stream == wait->stream) {
            continue;
        }
        const struct fm_accelerator_stream *waiting = stream_at(streams, wait->stream);
        const struct fm_accelerator_stream *other = stream_at(streams, record->stream);
        const size_t next = first_behind(&times, waiting, enter);
        const size_t last = last_before(&times, other, record->time);
        if (next < waiting->end && last < other->end && work->items[last].idle_after != FM_NONE) {
            fm_vector_push(found, ((struct fm_awaited_work){(uint32_t)next, (uint32_t)last}));
        }
    }
    fm_sort(found->items, found->count, sizeof *found->items, compare_found);
    fm_free(times.latest);
    fm_free(times.earliest);
}
