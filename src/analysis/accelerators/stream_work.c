/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/accelerators/stream_work.h"

#include "base/containers/sort.h"

/* A launch. */
struct launch {
    uint64_t id, time;
    struct fm_call_ref call;
    uint32_t record;
};

typedef FM_VECTOR(struct launch) launch_vector;

static int compare_launches(const void *a, const void *b)
{
    const struct launch *left = a, *right = b;
    if (left->id != right->id) {
        return left->id < right->id ? -1 : 1;
    }
    if (left->time != right->time) {
        return left->time < right->time ? -1 : 1;
    }
    return left->call.location < right->call.location ? -1
                                                      : left->call.location > right->call.location;
}

static void list_launches(const struct fm_trace *trace, uint32_t process, launch_vector *launches)
{
    const uint32_t end = fm_trace_first_location(trace, process + 1);
    for (uint32_t l = fm_trace_first_location(trace, process); l < end; l++) {
        const struct fm_location *location = &trace->locations[l];
        for (uint32_t r = 0; r < location->threads.count && !location->is_stream; r++) {
            const struct fm_thread_record *record = &location->threads.items[r];
            if (record->type == FM_THREAD_CORRELATION && record->activity != FM_NONE) {
                fm_vector_push(launches, ((struct launch){
                                             record->id, record->time, {l, record->activity}, r}));
            }
        }
    }
    fm_sort(launches->items, launches->count, sizeof *launches->items, compare_launches);
}

/* @return the last launch with a number that is not behind `time`; NULL: none */
static const struct launch *find_launch(const launch_vector *launches, uint64_t id, uint64_t time)
{
    size_t low = 0, high = launches->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct launch *launch = &launches->items[middle];
        if (launch->id < id || (launch->id == id && launch->time <= time)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 && launches->items[low - 1].id == id ? &launches->items[low - 1] : NULL;
}

/* @return the idle call in front of the work with a record. Work that communicates is an activity
 * itself, and lies between both. */
static uint32_t idle_before(const struct fm_trace *trace, const struct fm_location *stream,
                            const struct fm_thread_record *record)
{
    const uint32_t next = record->next_activity;
    const bool is_activity =
        next > 0 && fm_trace_called(trace, stream, next - 1)->call != FM_CALL_STREAM_IDLE;
    return next > is_activity ? next - is_activity - 1 : FM_NONE;
}

static void list_stream(const struct fm_trace *trace, uint32_t stream,
                        const launch_vector *launches, fm_stream_work_vector *work)
{
    const struct fm_location *location = &trace->locations[stream];
    for (uint32_t r = 0; r < location->threads.count; r++) {
        const struct fm_thread_record *record = &location->threads.items[r];
        const struct launch *launch =
            record->type == FM_THREAD_CORRELATION && record->visit != FM_NONE
                ? find_launch(launches, record->id, record->time)
                : NULL;
        if (launch != NULL) {
            const bool ends = record->next_activity < location->enter.count;
            fm_vector_push(work, ((struct fm_stream_work){
                                     .id = record->id,
                                     .stream = stream,
                                     .record = r,
                                     .idle_before = idle_before(trace, location, record),
                                     .idle_after = ends ? record->next_activity : FM_NONE,
                                     .launch_record = launch->record,
                                     .launch = launch->call,
                                 }));
        }
    }
}

void fm_stream_work_list(const struct fm_trace *trace, uint32_t process,
                         fm_stream_work_vector *work)
{
    launch_vector launches = {0};
    work->count = 0;
    list_launches(trace, process, &launches);
    const uint32_t end = fm_trace_first_location(trace, process + 1);
    for (uint32_t l = fm_trace_first_location(trace, process); l < end; l++) {
        if (trace->locations[l].is_stream) {
            list_stream(trace, l, &launches, work);
        }
    }
    fm_vector_free(&launches);
}

void fm_accelerator_streams_list(const struct fm_trace *trace, uint32_t process,
                                 const fm_stream_work_vector *work,
                                 fm_accelerator_stream_vector *streams)
{
    size_t next = 0;
    const uint32_t end = fm_trace_first_location(trace, process + 1);
    streams->count = 0;
    for (uint32_t l = fm_trace_first_location(trace, process); l < end; l++) {
        if (trace->locations[l].is_stream) {
            struct fm_accelerator_stream stream = {l, next, next};
            while (stream.end < work->count && work->items[stream.end].stream == l) {
                stream.end++;
            }
            next = stream.end;
            fm_vector_push(streams, stream);
        }
    }
}

uint64_t fm_stream_work_end(const struct fm_trace *trace, const struct fm_stream_work *work)
{
    return work->idle_after == FM_NONE
               ? UINT64_MAX
               : trace->locations[work->stream].enter.items[work->idle_after];
}
