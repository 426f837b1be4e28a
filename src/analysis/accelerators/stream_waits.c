/* Waiting between threads and streams of accelerators: a stream has no work because the host
 * launches it late; the host waits for a stream, in a synchronization or before a copy. Each wait
 * ends where a call of the other side begins: a stream's idle call begins when its work ends. */
#include "analysis/accelerators/stream_work.h"
#include "analysis/dependencies/dependencies.h"
#include "analysis/pattern.h"
#include "analysis/threads/thread_starts.h"

/* Numbers of the objects of POSIX threads in a process are below. */
#define FIRST_STREAM_OBJECT ((uint32_t)1 << 24)

/* The thread and the stream have nothing to do for each other before `t`. */
static void add_point(const struct fm_finder *finder, uint32_t host, uint32_t stream, uint64_t t,
                      uint32_t meeting)
{
    const struct fm_group_point point = {
        .t = t,
        .communicator = fm_object_community(finder->analysis->trace, FIRST_STREAM_OBJECT + stream),
        .meeting = meeting & INT32_MAX,
    };
    fm_found_group_point(finder, host, &point);
    fm_found_group_point(finder, stream, &point);
}

/* A call depends on the Enter of another one, whether it waits for it or not. */
static void depend(const struct fm_finder *finder, struct fm_call_ref call,
                   struct fm_call_ref cause, fm_dependency_rule_t rule)
{
    if (finder->analysis->dependencies != NULL) {
        fm_depend(finder->analysis, finder->worker, call, fm_awaited_enter(cause), rule);
    }
}

/* ---- late launches ---- */

/* The critical path on a stream comes from the launch of its first work. */
static void add_begin(const struct fm_finder *finder, const struct fm_stream_work *work)
{
    const struct fm_trace *trace = finder->analysis->trace;
    const struct fm_thread_record_ref origin = {work->launch.location, work->launch_record};
    fm_thread_starts_add(finder->analysis->thread_starts, trace, origin,
                         (struct fm_thread_record_ref){work->stream, work->record});
    add_point(finder, work->launch.location, work->stream,
              trace->locations[origin.location].threads.items[origin.row].time,
              work->launch.activity);
    if (finder->analysis->dependencies != NULL) {
        fm_depend_start(finder->analysis, work->stream, work->record, origin.location, origin.row,
                        FM_DEPENDS_ON_START);
    }
}

static void find_late_launches(const struct fm_finder *finder, const fm_stream_work_vector *work)
{
    const struct fm_trace *trace = finder->analysis->trace;
    for (size_t i = 0; i < work->count; i++) {
        const struct fm_stream_work *item = &work->items[i];
        const struct fm_thread_record *record =
            &trace->locations[item->stream].threads.items[item->record];
        if (record->next_activity == 0) {
            if (i == 0 || work->items[i - 1].stream != item->stream) {
                add_begin(finder, item);
            }
            continue;
        }
        const struct fm_call_ref idle = {item->stream, record->next_activity - 1};
        fm_found_wait(finder, idle, fm_call_enter(trace, item->launch), item->launch,
                      FM_METRIC_CUDA_LATE_LAUNCH);
        depend(finder, idle, item->launch, FM_DEPENDS_ON_LAUNCH);
    }
}

/* ---- threads that wait ---- */

/* The work of a stream of a process. */
struct stream {
    uint32_t location;
    size_t first, end; /* in the list of the process's work */
};

typedef FM_VECTOR(struct stream) stream_vector;

static void list_streams(const struct fm_trace *trace, uint32_t process,
                         const fm_stream_work_vector *work, stream_vector *streams)
{
    size_t next = 0;
    const uint32_t end = fm_trace_first_location(trace, process + 1);
    streams->count = 0;
    for (uint32_t l = fm_trace_first_location(trace, process); l < end; l++) {
        if (trace->locations[l].is_stream) {
            struct stream stream = {l, next, next};
            while (stream.end < work->count && work->items[stream.end].stream == l) {
                stream.end++;
            }
            next = stream.end;
            fm_vector_push(streams, stream);
        }
    }
}

/* @return the last work of a stream that was launched before a call and ended until its Leave;
 * NULL: none */
static const struct fm_stream_work *last_work(const struct fm_trace *trace,
                                              const fm_stream_work_vector *work,
                                              const struct stream *stream, struct fm_call_ref call)
{
    const uint64_t enter = fm_call_enter(trace, call), leave = fm_call_leave(trace, call);
    size_t low = stream->first, high = stream->end;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (fm_stream_work_end(trace, &work->items[middle]) <= leave) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    while (low > stream->first && fm_call_enter(trace, work->items[low - 1].launch) >= enter) {
        low--;
    }
    return low > stream->first ? &work->items[low - 1] : NULL;
}

/* @return whether a call waits for a stream: it names the stream, or none at all */
static bool waits_for(const struct fm_trace *trace, struct fm_call_ref call,
                      const struct stream *stream, uint32_t first_record)
{
    const struct fm_location *location = &trace->locations[call.location];
    bool names_one = false;
    for (uint32_t r = first_record; r < location->threads.count &&
                                    location->threads.items[r].next_activity <= call.activity + 1;
         r++) {
        const struct fm_thread_record *record = &location->threads.items[r];
        if (record->type == FM_THREAD_STREAM && record->activity == call.activity) {
            if (record->id == trace->locations[stream->location].id) {
                return true;
            }
            names_one = true;
        }
    }
    return !names_one;
}

/* A call waits for the streams that it names; the last work of all of them ends the wait. */
static void find_stream_wait(const struct fm_finder *finder, const fm_stream_work_vector *work,
                             const stream_vector *streams, struct fm_call_ref call,
                             uint32_t first_record)
{
    const struct fm_trace *trace = finder->analysis->trace;
    const uint64_t enter = fm_call_enter(trace, call);
    for (size_t i = 0; i < streams->count; i++) {
        const struct fm_stream_work *last = waits_for(trace, call, &streams->items[i], first_record)
                                                ? last_work(trace, work, &streams->items[i], call)
                                                : NULL;
        if (last == NULL) {
            continue;
        }
        const uint64_t end = fm_stream_work_end(trace, last);
        /* Of several streams, the arbitration chooses the one that ends last. */
        const struct fm_call_ref idle = {last->stream, last->idle_after};
        fm_found_wait(finder, call, end, idle, FM_METRIC_CUDA_STREAM_WAIT);
        depend(finder, call, idle, FM_DEPENDS_ON_STREAM);
        if (trace->locations[last->stream].leave.items[last->idle_after] >= enter) {
            add_point(finder, call.location, last->stream, end > enter ? end : enter,
                      call.activity);
        }
    }
}

static void find_stream_waits(const struct fm_finder *finder, uint32_t process,
                              const fm_stream_work_vector *work, const stream_vector *streams)
{
    const struct fm_trace *trace = finder->analysis->trace;
    const uint32_t end = fm_trace_first_location(trace, process + 1);
    for (uint32_t l = fm_trace_first_location(trace, process); l < end; l++) {
        const struct fm_location *location = &trace->locations[l];
        uint32_t record = 0;
        for (uint32_t a = 0; a < location->enter.count && !location->is_stream; a++) {
            while (record < location->threads.count &&
                   location->threads.items[record].next_activity <= a) {
                record++;
            }
            if (fm_trace_called(trace, location, a)->call == FM_CALL_STREAM_WAIT) {
                find_stream_wait(finder, work, streams, (struct fm_call_ref){l, a}, record);
            }
        }
    }
}

/* A call that copies waits for the work in front of its copy. */
static void find_copy_waits(const struct fm_finder *finder, const fm_stream_work_vector *work)
{
    const struct fm_trace *trace = finder->analysis->trace;
    for (size_t i = 0; i < work->count; i++) {
        const struct fm_stream_work *copy = &work->items[i];
        const struct fm_call_ref call = copy->launch;
        const struct fm_location *stream = &trace->locations[copy->stream];
        const uint32_t next = stream->threads.items[copy->record].next_activity;
        if (fm_trace_called(trace, &trace->locations[call.location], call.activity)->call !=
            FM_CALL_STREAM_COPY) {
            continue;
        }
        if (next > 0) {
            fm_found_wait(finder, call, stream->enter.items[next - 1],
                          (struct fm_call_ref){copy->stream, next - 1}, FM_METRIC_CUDA_COPY_WAIT);
        }
        const uint64_t end = fm_stream_work_end(trace, copy);
        if (end <= fm_call_leave(trace, call)) {
            depend(finder, call, (struct fm_call_ref){copy->stream, copy->idle_after},
                   FM_DEPENDS_ON_STREAM);
            add_point(finder, call.location, copy->stream, end, call.activity);
        }
    }
}

/* ---- the pattern ---- */

static void find(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_finder finder = *(const struct fm_finder *)context;
    const struct fm_trace *trace = finder.analysis->trace;
    fm_stream_work_vector work = {0};
    stream_vector streams = {0};
    finder.worker = worker;
    for (uint32_t process = first; process < last; process++) {
        fm_stream_work_list(trace, process, &work);
        list_streams(trace, process, &work, &streams);
        if (work.count > 0) {
            find_late_launches(&finder, &work);
            find_stream_waits(&finder, process, &work, &streams);
            find_copy_waits(&finder, &work);
        }
    }
    fm_vector_free(&work);
    fm_vector_free(&streams);
}

static void detect(const struct fm_finder *finder)
{
    if (finder->analysis->trace->idle_region != FM_NONE) {
        struct fm_finder own = *finder;
        fm_engine_run(finder->analysis->engine, find, &own);
    }
}

const struct fm_pattern fm_pattern_stream_waits = {
    .name = "Late Launch, Wait for stream",
    .detect = detect,
};
