/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/locks/lock_gaps.h"

#include "analysis/model/own_metric.h"

#include "base/containers/sort.h"
#include "base/containers/vector.h"

/* A progressing call. */
struct progressing {
    uint64_t enter, leave;
    uint64_t latest_leave; /* of this call and those before */
    uint32_t location;
};

/* The calls of a process in one library. */
struct calls {
    FM_VECTOR(struct progressing) items; /* ascending by (Enter, location) */
    uint32_t paradigm;                   /* FM_NONE: not listed yet */
};

struct fm_lock_gaps {
    const struct fm_analysis *analysis;
    struct calls *calls; /* by process */
};

struct fm_lock_gaps *fm_lock_gaps_create(const struct fm_analysis *analysis)
{
    struct fm_lock_gaps *gaps = fm_allocate(1, sizeof *gaps);
    gaps->analysis = analysis;
    gaps->calls = fm_allocate(analysis->trace->process_count, sizeof *gaps->calls);
    for (uint32_t p = 0; p < analysis->trace->process_count; p++) {
        gaps->calls[p].paradigm = FM_NONE;
    }
    return gaps;
}

void fm_lock_gaps_free(struct fm_lock_gaps *gaps)
{
    if (gaps == NULL) {
        return;
    }
    for (uint32_t p = 0; p < gaps->analysis->trace->process_count; p++) {
        fm_vector_free(&gaps->calls[p].items);
    }
    fm_free(gaps->calls);
    fm_free(gaps);
}

static int compare_calls(const void *a, const void *b)
{
    const struct progressing *left = a, *right = b;
    if (left->enter != right->enter) {
        return left->enter < right->enter ? -1 : 1;
    }
    return left->location < right->location ? -1 : left->location > right->location;
}

static void list_calls(const struct fm_trace *trace, uint32_t process, uint32_t paradigm,
                       struct calls *calls)
{
    calls->paradigm = paradigm;
    calls->items.count = 0;
    for (uint32_t l = fm_trace_first_location(trace, process);
         l < fm_trace_first_location(trace, process + 1); l++) {
        const struct fm_location *location = &trace->locations[l];
        for (uint32_t a = 0; a < location->enter.count; a++) {
            const struct fm_region *region = fm_trace_called(trace, location, a);
            if ((uint32_t)region->paradigm == paradigm && fm_makes_progress(region)) {
                fm_vector_push(&calls->items,
                               (struct progressing){.enter = location->enter.items[a],
                                                    .leave = location->leave.items[a],
                                                    .location = l});
            }
        }
    }
    fm_sort(calls->items.items, calls->items.count, sizeof *calls->items.items, compare_calls);
    uint64_t latest = 0;
    for (size_t i = 0; i < calls->items.count; i++) {
        struct progressing *call = &calls->items.items[i];
        latest = call->leave > latest ? call->leave : latest;
        call->latest_leave = latest;
    }
}

/* @return the number of calls that are over at a time, as are all calls before them */
static size_t count_over(const struct calls *calls, uint64_t time)
{
    size_t low = 0, high = calls->items.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (calls->items.items[middle].latest_leave <= time &&
            calls->items.items[middle].enter < time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* @return the first thread of a process that has events; FM_NONE: none has */
static uint32_t main_thread(const struct fm_trace *trace, uint32_t process)
{
    const uint32_t end = fm_trace_first_location(trace, process + 1);
    uint32_t location = fm_trace_first_location(trace, process);
    while (location < end && trace->locations[location].profile.count == 0) {
        location++;
    }
    return location < end ? location : FM_NONE;
}

void fm_lock_gap_divide(struct fm_lock_gaps *gaps, const struct fm_lock_gap *gap,
                        void (*take)(void *context, uint32_t location, uint64_t from, uint64_t to),
                        void *context)
{
    const struct fm_trace *trace = gaps->analysis->trace;
    struct calls *calls = &gaps->calls[gap->target];
    if (calls->paradigm != gap->paradigm) {
        list_calls(trace, gap->target, gap->paradigm, calls);
    }
    uint64_t time = gap->from;
    for (size_t i = count_over(calls, time); time < gap->to; i++) {
        const bool has_next = i < calls->items.count;
        const struct progressing *call = has_next ? &calls->items.items[i] : NULL;
        const uint64_t begin = has_next && call->enter < gap->to ? call->enter : gap->to;
        if (begin > time) {
            take(context, has_next ? call->location : main_thread(trace, gap->target), time, begin);
            time = begin;
        }
        if (has_next && call->leave > time && call->enter < gap->to) {
            const uint64_t end = call->leave < gap->to ? call->leave : gap->to;
            take(context, FM_NONE, time, end);
            time = end;
        }
    }
}
