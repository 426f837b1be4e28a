/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/threads/thread_starts.h"

#include "base/containers/search.h"
#include "base/containers/sort.h"

typedef FM_VECTOR(struct fm_thread_start) start_vector;

struct fm_thread_starts {
    uint32_t location_count;
    start_vector *of; /* by location, ascending by time */
};

struct fm_thread_starts *fm_thread_starts_create(uint32_t location_count)
{
    struct fm_thread_starts *starts = fm_allocate(1, sizeof *starts);
    *starts =
        (struct fm_thread_starts){location_count, fm_allocate(location_count, sizeof *starts->of)};
    return starts;
}

void fm_thread_starts_free(struct fm_thread_starts *starts)
{
    if (starts == NULL) {
        return;
    }
    for (uint32_t l = 0; l < starts->location_count; l++) {
        fm_vector_free(&starts->of[l]);
    }
    fm_free(starts->of);
    fm_free(starts);
}

static void add(struct fm_thread_starts *starts, const struct fm_trace *trace,
                struct fm_thread_record_ref begin, struct fm_thread_start start)
{
    const struct fm_thread_record *own = &trace->locations[begin.location].threads.items[begin.row];
    start.begin = own->time;
    start.row = begin.row;
    start.first_activity = own->next_activity;
    fm_vector_push(&starts->of[begin.location], start);
}

void fm_thread_starts_add(struct fm_thread_starts *starts, const struct fm_trace *trace,
                          struct fm_thread_record_ref origin, struct fm_thread_record_ref begin)
{
    add(starts, trace, begin,
        (struct fm_thread_start){
            .time = trace->locations[origin.location].threads.items[origin.row].time,
            .origin = {FM_NONE, origin.row},
            .origin_location = origin.location,
        });
}

void fm_thread_starts_add_call(struct fm_thread_starts *starts, const struct fm_trace *trace,
                               struct fm_call_ref origin, struct fm_thread_record_ref begin)
{
    add(starts, trace, begin,
        (struct fm_thread_start){
            .time = fm_call_enter(trace, origin),
            .origin = {origin.activity, FM_NONE},
            .origin_location = origin.location,
        });
}

void fm_thread_starts_add_unrecorded(struct fm_thread_starts *starts, const struct fm_trace *trace,
                                     struct fm_call_ref origin, uint32_t stream, uint64_t begin)
{
    fm_vector_push(&starts->of[stream], ((struct fm_thread_start){
                                            .time = fm_call_enter(trace, origin),
                                            .begin = begin,
                                            .origin = {origin.activity, FM_NONE},
                                            .origin_location = origin.location,
                                        }));
}

static int compare_starts(const void *a, const void *b)
{
    const struct fm_thread_start *left = a, *right = b;
    return left->row < right->row ? -1 : left->row > right->row;
}

void fm_thread_starts_sort(struct fm_thread_starts *starts)
{
    for (uint32_t l = 0; l < starts->location_count; l++) {
        start_vector *of = &starts->of[l];
        fm_sort(of->items, of->count, sizeof *of->items, compare_starts);
    }
}

const struct fm_thread_start *fm_thread_starts_before(const struct fm_thread_starts *starts,
                                                      uint32_t location, uint64_t time,
                                                      struct fm_path_position position)
{
    const start_vector *of = &starts->of[location];
    if (of->count == 0) {
        return NULL;
    }
    size_t behind = time == UINT64_MAX
                        ? of->count
                        : fm_count_below(&of->items->begin, of->count, sizeof *of->items, time + 1);
    /* At the begin the thread may have been behind `time` already. */
    behind += behind < of->count;
    while (behind > 0) {
        const struct fm_thread_start *start = &of->items[--behind];
        if (start->time <= time &&
            (position.activity == FM_NONE || start->first_activity <= position.activity) &&
            (position.row == FM_NONE || start->row < position.row)) {
            return start;
        }
    }
    return NULL;
}
