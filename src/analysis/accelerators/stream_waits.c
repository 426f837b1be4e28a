/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting between threads and streams of accelerators: a stream has no work because the host
 * launches it late, or waits for the work of another stream; the host waits for a stream, in a
 * synchronization or before a copy. Each wait ends where a call of the other side begins: a
 * stream's idle call begins when its work ends. */
#include "analysis/accelerators/accelerator_events.h"
#include "analysis/accelerators/stream_meetings.h"
#include "analysis/accelerators/stream_work.h"
#include "analysis/accelerators/unlaunched_streams.h"
#include "analysis/pattern.h"
#include "analysis/threads/thread_starts.h"
#include "base/containers/search.h"

/* The accelerators of a process. */
struct accelerators {
    fm_stream_work_vector work;
    fm_accelerator_stream_vector streams;
    struct fm_accelerator_events events;
    fm_awaited_work_vector awaited; /* by streams */
};

/* ---- streams that wait ---- */

/* @return the call that is entered when a work ends that another work waits for */
static struct fm_call_ref end_of_awaited(const struct accelerators *of,
                                         const struct fm_awaited_work *awaited)
{
    const struct fm_stream_work *work = &of->work.items[awaited->awaited];
    return (struct fm_call_ref){work->stream, work->idle_after};
}

/* The critical path on a stream comes from the launch of its first work, or from the work that this
 * has waited for after it was launched.
 * @param next  first of the works that it waits for */
static void add_begin(const struct fm_finder *finder, const struct accelerators *of, size_t number,
                      size_t next)
{
    const struct fm_trace *trace = finder->analysis->trace;
    const struct fm_stream_work *work = &of->work.items[number];
    const struct fm_thread_record_ref begin = {work->stream, work->record};
    const struct fm_thread_record_ref origin = {work->launch.location, work->launch_record};
    const uint64_t begun = trace->locations[begin.location].threads.items[begin.row].time;
    uint64_t latest = trace->locations[origin.location].threads.items[origin.row].time;
    struct fm_call_ref last = {FM_NONE, FM_NONE};
    fm_stream_point(finder, origin.location, work->stream, latest, FM_FIRST_STREAM_OBJECT,
                    work->launch.activity);
    if (finder->analysis->dependencies != NULL) {
        fm_depend_start(finder->analysis, begin.location, begin.row, origin.location, origin.row,
                        FM_DEPENDS_ON_START);
    }
    for (; next < of->awaited.count && of->awaited.items[next].work == number; next++) {
        const struct fm_call_ref end = end_of_awaited(of, &of->awaited.items[next]);
        const uint64_t t = fm_call_enter(trace, end);
        if (finder->analysis->dependencies != NULL) {
            fm_depend_start_on_call(finder->analysis, begin.location, begin.row, end,
                                    FM_DEPENDS_ON_STREAM);
        }
        if (t > latest && t <= begun) {
            latest = t;
            last = end;
        }
    }
    if (last.location == FM_NONE) {
        fm_thread_starts_add(finder->analysis->thread_starts, trace, origin, begin);
    } else {
        fm_thread_starts_add_call(finder->analysis->thread_starts, trace, last, begin);
        fm_stream_point(finder, last.location, work->stream, latest, FM_FIRST_WAITING_STREAM_OBJECT,
                        last.location);
    }
}

/* @return the latest moment up to the Enter of an idle call at which both its stream and another
 * one had no work, or one of them got some again; 0: none from `since` on. O(log calls + calls from
 * `since` on) */
static uint64_t last_idle_moment(const struct fm_trace *trace, struct fm_call_ref idle,
                                 const struct fm_location *other, uint64_t since)
{
    const struct fm_location *own = &trace->locations[idle.location];
    const uint64_t until = own->enter.items[idle.activity];
    size_t i = idle.activity + 1, j = other->enter.count;
    j = j == 0 ? 0 : fm_count_below(other->enter.items, j, sizeof *other->enter.items, until + 1);
    while (i > 0 && j > 0) {
        const uint64_t enter = own->enter.items[i - 1], leave = own->leave.items[i - 1];
        const uint64_t others_enter = other->enter.items[j - 1];
        const uint64_t others_leave = other->leave.items[j - 1];
        const uint64_t begin = enter > others_enter ? enter : others_enter;
        const uint64_t end = leave < others_leave ? leave : others_leave;
        const uint64_t t = end < until ? end : until;
        if (t < since) {
            return 0;
        }
        if (begin < end) {
            return t;
        }
        if (others_enter >= enter) {
            j--;
        } else {
            i--;
        }
    }
    return 0;
}

/* Until when streams of a process were searched for moments at which they and another one had no
 * work; further idle calls may begin at this time. */
struct compared {
    uint32_t stream;           /* location of the other one; FM_NONE */
    uint32_t first;            /* of the process's locations */
    FM_VECTOR(uint64_t) until; /* [location - first] */
};

/* A stream that waits for another one, and this, begin anew when both had no work. */
static void add_idle_point(const struct fm_finder *finder, struct fm_call_ref idle, uint32_t other,
                           struct compared *compared)
{
    const struct fm_trace *trace = finder->analysis->trace;
    uint64_t *until = &compared->until.items[other - compared->first];
    const uint64_t t = last_idle_moment(trace, idle, &trace->locations[other], *until);
    if (t != 0) {
        fm_stream_point(finder, other, idle.location, t, FM_FIRST_WAITING_STREAM_OBJECT, other);
    }
    *until = fm_call_enter(trace, idle);
}

static void compare_anew(struct compared *compared, uint32_t stream)
{
    compared->stream = stream;
    for (size_t i = 0; i < compared->until.count; i++) {
        compared->until.items[i] = 0;
    }
}

/* A stream waits for the launch of its next work, and for the work of other streams.
 * @param next  first of the works that it waits for */
static void find_idle(const struct fm_finder *finder, const struct accelerators *of, size_t number,
                      struct fm_call_ref idle, size_t next, struct compared *compared)
{
    const struct fm_trace *trace = finder->analysis->trace;
    const struct fm_call_ref launch = of->work.items[number].launch;
    fm_found_wait(finder, idle, fm_call_enter(trace, launch), launch, FM_METRIC_CUDA_LATE_LAUNCH);
    fm_stream_depend(finder, idle, launch, FM_DEPENDS_ON_LAUNCH);
    for (; next < of->awaited.count && of->awaited.items[next].work == number; next++) {
        const struct fm_call_ref end = end_of_awaited(of, &of->awaited.items[next]);
        /* Of several, the arbitration chooses the one that ends last. */
        fm_found_wait(finder, idle, fm_call_enter(trace, end), end, FM_METRIC_CUDA_EVENT_WAIT);
        fm_stream_depend(finder, idle, end, FM_DEPENDS_ON_STREAM);
        add_idle_point(finder, idle, end.location, compared);
    }
}

static void find_idle_streams(const struct fm_finder *finder, uint32_t process,
                              const struct accelerators *of)
{
    const struct fm_trace *trace = finder->analysis->trace;
    const uint32_t first = fm_trace_first_location(trace, process);
    struct compared compared = {.stream = FM_NONE, .first = first};
    size_t next = 0;
    for (uint32_t l = first; l < fm_trace_first_location(trace, process + 1); l++) {
        fm_vector_push(&compared.until, 0);
    }
    for (size_t i = 0; i < of->work.count; i++) {
        const struct fm_stream_work *item = &of->work.items[i];
        while (next < of->awaited.count && of->awaited.items[next].work < i) {
            next++;
        }
        if (compared.stream != item->stream) {
            compare_anew(&compared, item->stream);
        }
        if (item->idle_before != FM_NONE) {
            find_idle(finder, of, i, (struct fm_call_ref){item->stream, item->idle_before}, next,
                      &compared);
        } else if (i == 0 || of->work.items[i - 1].stream != item->stream) {
            add_begin(finder, of, i, next);
        }
    }
    fm_vector_free(&compared.until);
}

/* ---- threads that wait ---- */

/* @return the last work of a stream that was launched before `bound` and ended until the Leave of a
 * call; NULL: none */
static const struct fm_stream_work *last_work(const struct fm_trace *trace,
                                              const fm_stream_work_vector *work,
                                              const struct fm_accelerator_stream *stream,
                                              struct fm_call_ref call, uint64_t bound)
{
    const uint64_t leave = fm_call_leave(trace, call);
    size_t low = stream->first, high = stream->end;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (fm_stream_work_end(trace, &work->items[middle]) <= leave) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    while (low > stream->first && fm_call_enter(trace, work->items[low - 1].launch) >= bound) {
        low--;
    }
    return low > stream->first ? &work->items[low - 1] : NULL;
}

/* @return whether a call waits for a stream: it names the stream, or none at all */
static bool waits_for(const struct fm_trace *trace, struct fm_call_ref call,
                      const struct fm_accelerator_stream *stream, uint32_t first_record)
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

/* A call waits for the streams that it names, for their work until the event that it names; the
 * last work of all of them ends the wait. */
static void find_stream_wait(const struct fm_finder *finder, const struct accelerators *of,
                             struct fm_call_ref call, uint32_t first_record)
{
    const struct fm_trace *trace = finder->analysis->trace;
    const uint64_t enter = fm_call_enter(trace, call);
    const struct fm_event_record *event =
        fm_accelerator_event_of(trace, &of->events, call, first_record);
    const uint64_t bound = event != NULL ? event->time : enter;
    for (size_t i = 0; i < of->streams.count; i++) {
        const struct fm_accelerator_stream *stream = &of->streams.items[i];
        const struct fm_stream_work *last = waits_for(trace, call, stream, first_record)
                                                ? last_work(trace, &of->work, stream, call, bound)
                                                : NULL;
        if (last == NULL) {
            continue;
        }
        const uint64_t end = fm_stream_work_end(trace, last);
        /* Of several streams, the arbitration chooses the one that ends last. */
        const struct fm_call_ref idle = {last->stream, last->idle_after};
        fm_found_wait(finder, call, end, idle, FM_METRIC_CUDA_STREAM_WAIT);
        fm_stream_depend(finder, call, idle, FM_DEPENDS_ON_STREAM);
        if (trace->locations[last->stream].leave.items[last->idle_after] >= enter) {
            fm_stream_point(finder, call.location, last->stream, end > enter ? end : enter,
                            FM_FIRST_STREAM_OBJECT, call.activity);
        }
    }
}

static void find_stream_waits(const struct fm_finder *finder, uint32_t process,
                              const struct accelerators *of)
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
                find_stream_wait(finder, of, (struct fm_call_ref){l, a}, record);
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
        if (fm_trace_called(trace, &trace->locations[call.location], call.activity)->call !=
            FM_CALL_STREAM_COPY) {
            continue;
        }
        if (copy->idle_before != FM_NONE) {
            const struct fm_call_ref idle = {copy->stream, copy->idle_before};
            fm_found_wait(finder, call, stream->enter.items[idle.activity], idle,
                          FM_METRIC_CUDA_COPY_WAIT);
            fm_stream_depend(finder, call, idle, FM_DEPENDS_ON_STREAM);
        }
        const uint64_t end = fm_stream_work_end(trace, copy);
        if (end <= fm_call_leave(trace, call)) {
            fm_stream_depend(finder, call, (struct fm_call_ref){copy->stream, copy->idle_after},
                             FM_DEPENDS_ON_STREAM);
            fm_stream_point(finder, call.location, copy->stream, end, FM_FIRST_STREAM_OBJECT,
                            call.activity);
        }
    }
}

/* ---- the pattern ---- */

static void find(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_finder finder = *(const struct fm_finder *)context;
    const struct fm_trace *trace = finder.analysis->trace;
    struct accelerators of = {0};
    bool *launches = fm_launching_regions(trace);
    finder.worker = worker;
    for (uint32_t process = first; process < last; process++) {
        fm_stream_work_list(trace, process, &of.work);
        if (of.work.count > 0) {
            fm_accelerator_streams_list(trace, process, &of.work, &of.streams);
            fm_accelerator_events_list(trace, process, &of.events);
            fm_awaited_work_list(trace, &of.events, &of.work, &of.streams, &of.awaited);
            find_idle_streams(&finder, process, &of);
            find_stream_waits(&finder, process, &of);
            find_copy_waits(&finder, &of.work);
        } else {
            fm_unlaunched_streams_find(&finder, process, launches);
        }
    }
    fm_vector_free(&of.work);
    fm_vector_free(&of.streams);
    fm_vector_free(&of.awaited);
    fm_accelerator_events_free(&of.events);
    fm_free(launches);
}

static void detect(const struct fm_finder *finder)
{
    if (finder->analysis->trace->idle_region != FM_NONE) {
        struct fm_finder own = *finder;
        fm_engine_run(finder->analysis->engine, find, &own);
    }
}

const struct fm_pattern fm_pattern_stream_waits = {
    .name = "waits of and for streams",
    .detect = detect,
};
