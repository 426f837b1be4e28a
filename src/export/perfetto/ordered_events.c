/* SPDX-License-Identifier: BSD-3-Clause */
/* Each location has an incremental walk through its spans. For each window of time, all walks
 * advance to its end and append their events to one buffer, which is sorted and passed on. Events
 * that lie beyond the window (a walk may run ahead by a call) stay in the buffer for the next one.
 */
#include "export/perfetto/ordered_events.h"

#include "timeline/spans.h"

#include <stdlib.h>

/** An event, or the arrival of an arrow; `order` breaks ties of time. */
struct entry {
    struct fm_ordered_event event;
    size_t order;
};

typedef FM_VECTOR(struct entry) entries;

struct walker {
    const struct fm_event_source *events;
    entries buffer;
    uint32_t location; /**< whose walk advances */
};

static void push(struct walker *walker, const struct fm_ordered_event *event)
{
    const struct entry entry = {*event, walker->buffer.count};
    fm_vector_push(&walker->buffer, entry);
}

static void push_wait(struct walker *walker, uint64_t begin, uint32_t activity)
{
    const struct fm_candidate *wait =
        fm_span_wait(walker->events->detail, walker->location, activity);
    if (wait == NULL) {
        return;
    }
    uint64_t end = wait->t < walker->events->to ? wait->t : walker->events->to;
    if (end <= begin) {
        return;
    }
    struct fm_ordered_event event = {.time = begin,
                                     .location = walker->location,
                                     .kind = FM_ORDERED_WAIT_OPEN,
                                     .visit = FM_NONE,
                                     .activity = activity};
    push(walker, &event);
    event.time = end;
    event.kind = FM_ORDERED_WAIT_CLOSE;
    push(walker, &event);
}

static void open_span(void *context, uint64_t time, uint32_t visit, uint32_t activity)
{
    struct walker *walker = context;
    push(walker, &(struct fm_ordered_event){.time = time,
                                            .location = walker->location,
                                            .kind = FM_ORDERED_OPEN,
                                            .visit = visit,
                                            .activity = activity});
    push_wait(walker, time, activity);
}

static void close_span(void *context, uint64_t time)
{
    struct walker *walker = context;
    push(walker, &(struct fm_ordered_event){.time = time,
                                            .location = walker->location,
                                            .kind = FM_ORDERED_CLOSE,
                                            .visit = FM_NONE,
                                            .activity = FM_NONE});
}

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->event.time != b->event.time) {
        return a->event.time < b->event.time ? -1 : 1;
    }
    return (a->order > b->order) - (a->order < b->order);
}

static void sort(entries *list)
{
    if (list->count > 1) {
        qsort(list->items, list->count, sizeof *list->items, compare_entries);
    }
}

/** Collects the arrivals of all arrows, sorted by time: the heads, and the tails that are no span's
 * begin. */
static entries arrivals_of(const struct fm_event_source *events)
{
    entries arrivals = {0};
    for (size_t i = 0; i < events->arrows.count; i++) {
        const struct fm_arrow *arrow = &events->arrows.items[i];
        const struct fm_arrow_end *const ends[] = {&arrow->tail, &arrow->head};
        for (unsigned e = arrow->tail.activity == FM_NONE ? 0 : 1; e < 2; e++) {
            const struct entry entry = {{.time = ends[e]->time,
                                         .location = ends[e]->location,
                                         .kind = FM_ORDERED_ARRIVAL,
                                         .visit = FM_NONE,
                                         .activity = FM_NONE,
                                         .arrow = i},
                                        arrivals.count};
            fm_vector_push(&arrivals, entry);
        }
    }
    sort(&arrivals);
    return arrivals;
}

/** @return number of windows of time. */
static uint64_t window_count(const struct fm_event_source *events, size_t arrivals,
                             uint64_t window_events)
{
    uint64_t count = arrivals;
    for (uint32_t l = events->first_location; l < events->end_location; l++) {
        const struct fm_location *location = &events->detail->trace->locations[l];
        count += 2 * (location->enter.count + location->state_since.count);
    }
    return count / window_events + 1;
}

/** Passes the events before `end` on, in order, and keeps the others. */
static void flush(struct walker *walker, uint64_t end,
                  void (*put)(void *context, const struct fm_ordered_event *event), void *context)
{
    size_t passed = 0;
    sort(&walker->buffer);
    while (passed < walker->buffer.count && walker->buffer.items[passed].event.time < end) {
        put(context, &walker->buffer.items[passed++].event);
    }
    size_t kept = walker->buffer.count - passed;
    for (size_t i = 0; i < kept; i++) {
        walker->buffer.items[i] = walker->buffer.items[passed + i];
        walker->buffer.items[i].order = i;
    }
    walker->buffer.count = kept;
}

void fm_ordered_events_walk(const struct fm_event_source *events, uint64_t window_events,
                            void (*put)(void *context, const struct fm_ordered_event *event),
                            void *context)
{
    struct walker walker = {.events = events};
    const struct fm_span_sink sink = {open_span, close_span, &walker};
    entries arrivals = arrivals_of(events);
    uint64_t windows = window_count(events, arrivals.count, window_events), from = events->from;
    uint64_t last =
        events->cube->experiment.end < events->to ? events->cube->experiment.end : events->to;
    uint64_t length = (last > from ? last - from : 0) / windows + 1;
    uint32_t count = events->end_location > events->first_location
                         ? events->end_location - events->first_location
                         : 0;
    struct fm_span_walk *walks = fm_allocate(count, sizeof *walks);
    size_t arrived = 0;
    for (uint32_t l = 0; l < count; l++) {
        fm_spans_begin(&walks[l], &events->detail->trace->locations[events->first_location + l],
                       from, events->to, &sink);
    }
    for (uint64_t window = 0; window < windows; window++) {
        bool is_last = window + 1 == windows;
        uint64_t end = is_last ? UINT64_MAX : from + (window + 1) * length;
        for (uint32_t l = 0; l < count; l++) {
            walker.location = events->first_location + l;
            if (is_last) {
                fm_spans_end(&walks[l]);
            } else {
                fm_spans_advance(&walks[l], end);
            }
        }
        for (; arrived < arrivals.count && arrivals.items[arrived].event.time < end; arrived++) {
            push(&walker, &arrivals.items[arrived].event);
        }
        flush(&walker, end, put, context);
    }
    fm_free(walks);
    fm_vector_free(&arrivals);
    fm_vector_free(&walker.buffer);
}
