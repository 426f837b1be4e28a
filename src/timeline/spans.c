/* SPDX-License-Identifier: BSD-3-Clause */
#include "timeline/spans.h"

static void close_down_to(struct fm_span_walk *walk, size_t depth, uint64_t time)
{
    while (walk->open.count > depth) {
        walk->sink->close(walk->sink->context, time);
        walk->open.count--;
    }
}

/* Closes and opens spans until the path to `visit` is open (FM_NONE: no open span).
 * @param activity  of the innermost span */
static void change_to(struct fm_span_walk *walk, uint64_t time, uint32_t visit, uint32_t activity)
{
    walk->path.count = 0;
    for (uint32_t node = visit; node != FM_NONE;
         node = walk->location->profile.items[node].parent) {
        fm_vector_push(&walk->path, node);
    }
    size_t depth = walk->path.count, common = 0;
    while (common < walk->open.count && common < depth &&
           walk->open.items[common] == walk->path.items[depth - 1 - common]) {
        common++;
    }
    /* Each call is a span of its own, even directly after another call of the same call path. */
    if (activity != FM_NONE && common == depth) {
        common--;
    }
    close_down_to(walk, common, time);
    for (; common < depth; common++) {
        uint32_t node = walk->path.items[depth - 1 - common];
        walk->sink->open(walk->sink->context, time, node, node == visit ? activity : FM_NONE);
        fm_vector_push(&walk->open, node);
    }
}

static uint64_t next_of(const uint64_t *times, size_t count, size_t next)
{
    return next < count ? times[next] : UINT64_MAX;
}

/* @return whether other calls or changes of state lie inside the call */
static bool contains_others(const struct fm_location *location, uint32_t activity, size_t state)
{
    uint64_t leave = location->leave.items[activity];
    return next_of(location->enter.items, location->enter.count, activity + (size_t)1) < leave ||
           next_of(location->state_since.items, location->state_since.count, state) < leave;
}

void fm_spans_begin(struct fm_span_walk *walk, const struct fm_location *location, uint64_t from,
                    uint64_t to, const struct fm_span_sink *sink)
{
    *walk = (struct fm_span_walk){
        .location = location,
        .sink = sink,
        .from = from,
        .to = to,
        .end = location->end < to ? location->end : to,
        .visit = FM_NONE,
        .over = location->begin > location->end || location->begin > to || location->end < from,
    };
}

static void enter_call(struct fm_span_walk *walk, uint64_t time)
{
    const struct fm_location *location = walk->location;
    uint32_t call = (uint32_t)walk->activity++;
    uint64_t leave = location->leave.items[call];
    if (contains_others(location, call, walk->state)) {
        /* The changes of state inside the call and at its end close its span. */
        walk->visit = location->visit.items[call];
    }
    if (leave < walk->from) {
        return;
    }
    walk->begun = true;
    change_to(walk, time > walk->from ? time : walk->from, location->visit.items[call], call);
    if (walk->visit != location->visit.items[call]) {
        change_to(walk, leave < walk->end ? leave : walk->end, walk->visit, FM_NONE);
    }
}

void fm_spans_advance(struct fm_span_walk *walk, uint64_t until)
{
    const struct fm_location *location = walk->location;
    while (!walk->over) {
        uint64_t next_state =
            next_of(location->state_since.items, location->state_since.count, walk->state);
        uint64_t next_call = next_of(location->enter.items, location->enter.count, walk->activity);
        uint64_t time = next_state < next_call ? next_state : next_call;
        if (!walk->begun && time > walk->from) {
            change_to(walk, walk->from, walk->visit, FM_NONE);
            walk->begun = true;
        }
        if (time == UINT64_MAX || time > walk->to) {
            walk->over = true;
        } else if (time >= until) {
            return;
        } else if (next_state <= next_call) {
            walk->visit = location->state_visit.items[walk->state++];
            if (walk->begun) {
                change_to(walk, time, walk->visit, FM_NONE);
            }
        } else {
            enter_call(walk, time);
        }
    }
}

void fm_spans_end(struct fm_span_walk *walk)
{
    fm_spans_advance(walk, UINT64_MAX);
    close_down_to(walk, 0, walk->end);
    fm_vector_free(&walk->open);
    fm_vector_free(&walk->path);
}

void fm_spans_walk(const struct fm_location *location, uint64_t from, uint64_t to,
                   const struct fm_span_sink *sink)
{
    struct fm_span_walk walk;
    fm_spans_begin(&walk, location, from, to, sink);
    fm_spans_end(&walk);
}

const struct fm_candidate *fm_span_wait(const struct fm_detail *detail, uint32_t location,
                                        uint32_t activity)
{
    if (activity == FM_NONE) {
        return NULL;
    }
    const struct fm_location *where = &detail->trace->locations[location];
    const struct fm_candidate *wait = fm_findings_wait(&detail->findings[location], activity);
    bool overlaps = wait != NULL && activity + (size_t)1 < where->enter.count &&
                    where->enter.items[activity + 1] < wait->t;
    /* The waiting of a polling loop may end before its last call. */
    bool is_before = wait != NULL && wait->t <= where->enter.items[activity];
    return overlaps || is_before ? NULL : wait;
}
