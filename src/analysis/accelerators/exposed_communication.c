/* SPDX-License-Identifier: BSD-3-Clause */
/* Communication of accelerators that no computation hides: of each kernel that communicates, the
 * time in which no stream of its process executes a kernel that computes. The kernels that compute
 * are united to intervals that are apart; each kernel that communicates is cut by them. O(n log n)
 * for n kernels of a process. */
#include "analysis/model/own_metric.h"
#include "analysis/pattern.h"
#include "base/containers/search.h"
#include "base/containers/sort.h"

/* An interval in which kernels compute. */
struct busy {
    uint64_t begin, end;
    uint64_t before; /* length of the intervals in front of it */
};

typedef FM_VECTOR(struct busy) busy_vector;

static int compare_busy(const void *a, const void *b)
{
    const struct busy *left = a, *right = b;
    return fm_compare_numbers(left->begin, right->begin);
}

/* Lists the kernels of a stream that compute. */
static void list_kernels(const struct fm_location *stream, const bool *computes, busy_vector *list)
{
    for (size_t i = 0; i < stream->state_since.count; i++) {
        const uint32_t visit = stream->state_visit.items[i];
        const uint64_t begin = stream->state_since.items[i];
        const uint64_t end =
            i + 1 < stream->state_since.count ? stream->state_since.items[i + 1] : stream->end;
        if (visit != FM_NONE && begin < end && computes[stream->profile.items[visit].region]) {
            fm_vector_push(list, ((struct busy){begin, end, 0}));
        }
    }
}

static void unite(busy_vector *list)
{
    size_t kept = 0;
    fm_sort(list->items, list->count, sizeof *list->items, compare_busy);
    for (size_t i = 0; i < list->count; i++) {
        struct busy *last = kept > 0 ? &list->items[kept - 1] : NULL;
        const struct busy *next = &list->items[i];
        if (last != NULL && next->begin <= last->end) {
            last->end = next->end > last->end ? next->end : last->end;
        } else {
            list->items[kept++] = *next;
        }
    }
    list->count = kept;
    for (size_t i = 1; i < kept; i++) {
        const struct busy *last = &list->items[i - 1];
        list->items[i].before = last->before + (last->end - last->begin);
    }
}

/* @return for how long kernels compute up to a time */
static uint64_t busy_until(const busy_vector *list, uint64_t t)
{
    const size_t begun =
        list->count == 0 ? 0
                         : fm_count_below(&list->items->begin, list->count, sizeof *list->items, t);
    if (begun == 0) {
        return 0;
    }
    const struct busy *last = &list->items[begun - 1];
    return last->before + ((t < last->end ? t : last->end) - last->begin);
}

static void find_exposed(const struct fm_finder *finder, uint32_t stream, const busy_vector *list)
{
    const struct fm_trace *trace = finder->analysis->trace;
    const struct fm_location *location = &trace->locations[stream];
    for (uint32_t a = 0; a < location->enter.count; a++) {
        if (fm_trace_called(trace, location, a)->paradigm != FM_PARADIGM_C10D) {
            continue;
        }
        const uint64_t enter = location->enter.items[a], leave = location->leave.items[a];
        const uint64_t hidden = busy_until(list, leave) - busy_until(list, enter);
        fm_found_count(finder, (struct fm_call_ref){stream, a}, FM_METRIC_C10D_EXPOSED,
                       leave - enter - hidden);
    }
}

static void find(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_finder finder = *(const struct fm_finder *)context;
    const struct fm_trace *trace = finder.analysis->trace;
    bool *computes = fm_allocate(trace->region_count, sizeof *computes);
    busy_vector list = {0};
    finder.worker = worker;
    for (uint32_t r = 0; r < trace->region_count; r++) {
        computes[r] = fm_own_metric(&trace->regions[r]) == FM_METRIC_COMP;
    }
    for (uint32_t process = first; process < last; process++) {
        const uint32_t begin = fm_trace_first_location(trace, process);
        const uint32_t end = fm_trace_first_location(trace, process + 1);
        list.count = 0;
        for (uint32_t l = begin; l < end; l++) {
            if (trace->locations[l].is_stream) {
                list_kernels(&trace->locations[l], computes, &list);
            }
        }
        unite(&list);
        for (uint32_t l = begin; l < end; l++) {
            if (trace->locations[l].is_stream) {
                find_exposed(&finder, l, &list);
            }
        }
    }
    fm_vector_free(&list);
    fm_free(computes);
}

static void detect(const struct fm_finder *finder)
{
    const struct fm_trace *trace = finder->analysis->trace;
    bool communicates = false;
    for (uint32_t r = 0; r < trace->region_count && trace->idle_region != FM_NONE; r++) {
        communicates = communicates || trace->regions[r].paradigm == FM_PARADIGM_C10D;
    }
    if (communicates) {
        struct fm_finder own = *finder;
        fm_engine_run(finder->analysis->engine, find, &own);
    }
}

const struct fm_pattern fm_pattern_exposed_communication = {
    .name = "Exposed communication",
    .detect = detect,
};
