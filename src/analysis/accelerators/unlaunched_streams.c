/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/accelerators/unlaunched_streams.h"

#include "analysis/accelerators/stream_meetings.h"
#include "analysis/threads/thread_starts.h"
#include "base/containers/search.h"
#include "base/containers/sort.h"
#include "functions/function_kind.h"

/* A call of a thread that gives streams work. */
struct launch {
    uint64_t enter;
    struct fm_call_ref call;
};

/* A process. */
struct process {
    uint32_t first, end;            /* locations */
    FM_VECTOR(struct launch) calls; /* ascending by time */
};

static int compare_launches(const void *a, const void *b)
{
    const struct launch *left = a, *right = b;
    if (left->enter != right->enter) {
        return left->enter < right->enter ? -1 : 1;
    }
    return left->call.location < right->call.location ? -1
                                                      : left->call.location > right->call.location;
}

/* @return how many launches of a process were entered before `t` */
static size_t launches_before(const struct process *of, uint64_t t)
{
    return of->calls.count == 0 ? 0
                                : fm_count_below(&of->calls.items->enter, of->calls.count,
                                                 sizeof *of->calls.items, t);
}

/* ---- threads that wait ---- */

/* @return the idle call of a stream behind the last work that ends in a call; activity FM_NONE:
 * none ends in it */
static struct fm_call_ref last_end_in(const struct fm_trace *trace, struct fm_call_ref call,
                                      uint32_t stream)
{
    const struct fm_location *location = &trace->locations[stream];
    const size_t until =
        location->enter.count == 0
            ? 0
            : fm_count_below(location->enter.items, location->enter.count,
                             sizeof *location->enter.items, fm_call_leave(trace, call) + 1);
    for (size_t i = until; i-- > 0 && location->enter.items[i] > fm_call_enter(trace, call);) {
        if (fm_trace_called(trace, location, (uint32_t)i)->call == FM_CALL_STREAM_IDLE) {
            return (struct fm_call_ref){stream, (uint32_t)i};
        }
    }
    return (struct fm_call_ref){stream, FM_NONE};
}

static void find_wait(const struct fm_finder *finder, const struct process *of,
                      struct fm_call_ref call)
{
    const struct fm_trace *trace = finder->analysis->trace;
    for (uint32_t l = of->first; l < of->end; l++) {
        const struct fm_call_ref idle = trace->locations[l].is_stream
                                            ? last_end_in(trace, call, l)
                                            : (struct fm_call_ref){l, FM_NONE};
        if (idle.activity == FM_NONE) {
            continue;
        }
        /* Of several streams, the arbitration chooses the one that ends last. */
        const uint64_t t = fm_call_enter(trace, idle);
        fm_found_wait(finder, call, t, idle, FM_METRIC_CUDA_STREAM_WAIT);
        fm_stream_depend(finder, call, idle, FM_DEPENDS_ON_STREAM);
        fm_stream_point(finder, call.location, l, t, FM_FIRST_STREAM_OBJECT, call.activity);
    }
}

/* Finds what a thread waits for, and lists its launches. */
static void read_thread(const struct fm_finder *finder, struct process *of, uint32_t l,
                        const bool *launches)
{
    const struct fm_trace *trace = finder->analysis->trace;
    const struct fm_location *location = &trace->locations[l];
    for (uint32_t a = 0; a < location->enter.count; a++) {
        const struct fm_region *called = fm_trace_called(trace, location, a);
        const struct fm_call_ref call = {l, a};
        if (called->call == FM_CALL_STREAM_WAIT) {
            find_wait(finder, of, call);
        }
        if (launches[called - trace->regions]) {
            fm_vector_push(&of->calls, ((struct launch){location->enter.items[a], call}));
        }
    }
}

/* ---- streams that wait ---- */

/* The first work of a stream comes from the last launch before it. */
static void add_begin(const struct fm_finder *finder, const struct process *of, uint32_t stream)
{
    const struct fm_trace *trace = finder->analysis->trace;
    const uint64_t begin = trace->locations[stream].begin;
    const size_t before = launches_before(of, begin + 1);
    if (before > 0) {
        const struct launch *launch = &of->calls.items[before - 1];
        fm_thread_starts_add_unrecorded(finder->analysis->thread_starts, trace, launch->call,
                                        stream, begin);
        fm_stream_point(finder, launch->call.location, stream, launch->enter,
                        FM_FIRST_STREAM_OBJECT, launch->call.activity);
    }
}

static void find_idle(const struct fm_finder *finder, const struct process *of, uint32_t stream)
{
    const struct fm_trace *trace = finder->analysis->trace;
    const struct fm_location *location = &trace->locations[stream];
    for (uint32_t a = 0; a < location->enter.count; a++) {
        const struct fm_call_ref idle = {stream, a};
        const uint64_t leave = location->leave.items[a];
        const size_t i = launches_before(of, location->enter.items[a]);
        if (fm_trace_called(trace, location, a)->call != FM_CALL_STREAM_IDLE ||
            leave == location->end || i == of->calls.count || of->calls.items[i].enter >= leave) {
            continue;
        }
        const struct launch *launch = &of->calls.items[i];
        fm_found_wait(finder, idle, launch->enter, launch->call, FM_METRIC_CUDA_LATE_LAUNCH);
        fm_stream_depend(finder, idle, launch->call, FM_DEPENDS_ON_LAUNCH);
        fm_stream_point(finder, launch->call.location, stream, launch->enter,
                        FM_FIRST_STREAM_OBJECT, launch->call.activity);
    }
}

bool *fm_launching_regions(const struct fm_trace *trace)
{
    bool *launches = fm_allocate(trace->region_count, sizeof *launches);
    for (uint32_t r = 0; r < trace->region_count; r++) {
        launches[r] = fm_function_launches(trace->regions[r].paradigm, trace->regions[r].name);
    }
    return launches;
}

void fm_unlaunched_streams_find(const struct fm_finder *finder, uint32_t process,
                                const bool *launches)
{
    const struct fm_trace *trace = finder->analysis->trace;
    struct process of = {.first = fm_trace_first_location(trace, process),
                         .end = fm_trace_first_location(trace, process + 1)};
    if (of.first == of.end || !trace->locations[of.end - 1].is_stream) {
        return; /* streams are behind the threads of their process */
    }
    for (uint32_t l = of.first; l < of.end && !trace->locations[l].is_stream; l++) {
        read_thread(finder, &of, l, launches);
    }
    fm_sort(of.calls.items, of.calls.count, sizeof *of.calls.items, compare_launches);
    for (uint32_t l = of.first; l < of.end; l++) {
        if (trace->locations[l].is_stream && trace->locations[l].begin != UINT64_MAX) {
            add_begin(finder, &of, l);
            find_idle(finder, &of, l);
        }
    }
    fm_vector_free(&of.calls);
}
