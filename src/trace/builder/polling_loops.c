/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of failed tests is judged gap by gap: a gap that cannot be part of a loop lets the next
 * failed test begin another run. So the run that reaches its end is the longest one. Whether
 * something else was recorded in between is told by the number of events of the location.
 * Cost: O(1) for each event, O(depth) for each sample. */
#include "trace/builder/builder_internal.h"

/* Shorter gaps are short; so are shorter ones than the latter that last no longer than the failed
 * call before them. */
#define SHORT_NANOSECONDS   2000
#define LONGEST_NANOSECONDS 100000

/* Number of short gaps in front of each long one, in which the thread had no processor, and the
 * number for which they count at most: interrupts come in groups. */
#define MANY_GAPS 100
#define MOST_GAPS 1000

void fm_polling_begin(struct fm_polling_search *search)
{
    const struct fm_polling_search before = *search;
    *search = (struct fm_polling_search){
        .current = FM_NONE, .probe = FM_NONE, .gap_begin = UINT64_MAX, .names = before.names};
    fm_map_clear(&search->names);
    search->samples.items = before.samples.items;
    search->samples.capacity = before.samples.capacity;
    search->untold.items = before.untold.items;
    search->untold.capacity = before.untold.capacity;
}

void fm_polling_free(struct fm_polling_search *search)
{
    fm_map_free(&search->names);
    fm_vector_free(&search->samples);
    fm_vector_free(&search->untold);
}

/* ---- the end of a run ---- */

static void close_run(struct fm_polling_search *search)
{
    search->is_open = search->restarts = search->is_lost = false;
    search->probe = FM_NONE;
    search->gap_begin = UINT64_MAX;
    search->samples.count = 0;
}

/* The run ends without a call that is known to have found what was tested. */
static void abandon(struct fm_polling_search *search)
{
    if (search->probe != FM_NONE) {
        fm_vector_push(&search->untold,
                       ((struct fm_polling_loop){search->probe_first, search->probe}));
    }
    close_run(search);
}

/* The call ends the run, which is a loop unless a gap in front of the call has ended it. */
static void end_loop(struct fm_builder *builder, uint32_t activity)
{
    struct fm_polling_search *search = &builder->polling;
    if (search->is_open && !search->restarts) {
        fm_vector_push(&builder->location->loops,
                       ((struct fm_polling_loop){search->first, activity}));
    }
    close_run(search);
}

/* ---- gaps ---- */

/* Judges `count` gaps in a row. */
static void judge_gaps(struct fm_polling_search *search, bool are_short, uint64_t count)
{
    if (search->restarts || !search->is_open) {
        return;
    }
    if (are_short) {
        const uint64_t more = MOST_GAPS - search->short_gaps;
        search->short_gaps += (uint32_t)(count < more ? count : more);
    } else if (count <= search->short_gaps / MANY_GAPS) {
        search->short_gaps -= (uint32_t)count * MANY_GAPS;
    } else {
        search->restarts = true;
        search->short_gaps = 0;
    }
}

/* @return whether `count` gaps of `ticks` in total are short */
static bool are_short(const struct fm_builder *builder, uint64_t ticks, uint64_t count)
{
    const struct fm_polling_search *search = &builder->polling;
    const unsigned __int128 time = (unsigned __int128)ticks * 1000000000;
    const unsigned __int128 unit =
        (unsigned __int128)builder->trace->ticks_per_second * count; /* 1 ns a gap */
    return time < unit * SHORT_NANOSECONDS ||
           (time < unit * LONGEST_NANOSECONDS && (unsigned __int128)ticks * search->test_calls <=
                                                     (unsigned __int128)search->test_ticks * count);
}

/* Ends the current gap, if there is one. */
static void close_gap(struct fm_builder *builder, uint64_t end)
{
    struct fm_polling_search *search = &builder->polling;
    if (search->gap_begin != UINT64_MAX) {
        judge_gaps(search, search->is_lost || are_short(builder, end - search->gap_begin, 1), 1);
        search->gap_begin = UINT64_MAX;
    }
    search->is_lost = false;
}

static void open_gap(struct fm_builder *builder)
{
    if (builder->polling.is_open) {
        builder->polling.gap_begin = builder->now;
    }
}

/* @return whether a node is one of a call path */
static bool is_above(const struct fm_location *location, uint32_t node, uint32_t visit)
{
    while (visit != FM_NONE && visit != node) {
        visit = location->profile.items[visit].parent;
    }
    return visit != FM_NONE;
}

/* Samples of functions that lead neither to the test before nor to this call end the run. */
static void judge_samples(struct fm_builder *builder, uint32_t visit)
{
    struct fm_polling_search *search = &builder->polling;
    for (size_t i = 0; i < search->samples.count; i++) {
        search->restarts |= !is_above(builder->location, search->samples.items[i], visit);
    }
    search->samples.count = 0;
}

void fm_polling_sample(struct fm_builder *builder, uint32_t visit)
{
    struct fm_polling_search *search = &builder->polling;
    if (search->is_open && search->gap_begin != UINT64_MAX && search->pause_depth == 0) {
        const uint32_t function = fm_trace_function_visit(builder->trace, builder->location, visit);
        if (function != FM_NONE && !is_above(builder->location, function, search->test_visit)) {
            fm_vector_push(&search->samples, function);
        }
    }
}

void fm_polling_lost(struct fm_builder *builder)
{
    fm_polling_ignore(builder);
    builder->polling.is_lost |= builder->polling.gap_begin != UINT64_MAX;
}

/* ---- events ---- */

/* @return whether events came between that are no part of a run, before the current one */
static bool has_others(const struct fm_builder *builder)
{
    /* The end of the location has no event of its own. */
    return builder->location->event_count > builder->polling.known + !builder->is_ending;
}

void fm_polling_ignore(struct fm_builder *builder)
{
    if (!has_others(builder)) {
        builder->polling.known = builder->location->event_count;
    }
}

void fm_polling_flush(struct fm_builder *builder, uint64_t begin)
{
    struct fm_polling_search *search = &builder->polling;
    if (search->gap_begin != UINT64_MAX && search->pause_depth == 0) {
        close_gap(builder, begin);
        search->gap_begin = builder->now;
    }
    fm_polling_ignore(builder);
    fm_vector_push(&builder->location->loop_flushes,
                   ((struct fm_loop_flush){begin, builder->now, fm_builder_innermost(builder)}));
}

static void enter_call(struct fm_builder *builder, const struct fm_region *region)
{
    struct fm_polling_search *search = &builder->polling;
    const struct fm_frame *frame = &builder->frames.items[builder->frames.count - 1];
    search->calls++;
    if (search->current != FM_NONE || region->polling.part == FM_POLLING_OTHER) {
        search->current = FM_NONE;
        abandon(search);
        return;
    }
    if (region->polling.part != FM_POLLING_LOCAL) {
        judge_samples(builder, frame->visit);
    }
    close_gap(builder, builder->now);
    search->current = frame->activity;
    search->has_name = search->is_awaited = false;
}

void fm_polling_enter(struct fm_builder *builder, const struct fm_region *region)
{
    struct fm_polling_search *search = &builder->polling;
    struct fm_frame *frame = &builder->frames.items[builder->frames.count - 1];
    if (search->pause_depth != 0) {
        return;
    }
    if (search->current == FM_NONE && search->is_open && has_others(builder)) {
        abandon(search);
    }
    if (region->call != FM_CALL_USER) {
        enter_call(builder, region);
    } else if (search->current != FM_NONE) {
        search->current = FM_NONE; /* a call that contains others */
        abandon(search);
    } else if (region->polling.part == FM_POLLING_PAUSE && !region->is_estimated &&
               search->is_open) {
        search->calls++;
        close_gap(builder, builder->now);
        search->pause_depth = (uint32_t)builder->frames.count;
    }
    frame->polling_calls = search->calls;
    search->known = builder->location->event_count;
}

static uint32_t calls_of(const struct fm_builder *builder, uint32_t activity)
{
    return builder->merged.activity == activity ? builder->merged.calls : 1;
}

static uint64_t gaps_of(const struct fm_builder *builder, uint32_t activity)
{
    return builder->merged.activity == activity ? builder->merged.gaps : 0;
}

/* Adds a failed test to the run, or begins a run with it. */
static void add_test(struct fm_builder *builder, const struct fm_region *region,
                     const struct fm_frame *frame)
{
    struct fm_polling_search *search = &builder->polling;
    const uint32_t calls = calls_of(builder, frame->activity);
    const uint64_t gaps = gaps_of(builder, frame->activity);
    const bool begins = !search->is_open || search->restarts;
    if (begins) {
        search->is_open = true;
        search->restarts = false;
        search->first = frame->activity;
        search->short_gaps = 0;
    }
    search->test_visit = frame->visit;
    search->test_calls = calls;
    search->test_ticks = builder->now - frame->enter - gaps;
    search->tested[region->polling.polled] = frame->activity + 1;
    if (!search->has_name) {
        search->unnamed[region->polling.polled] = frame->activity + 1;
    }
    if (calls > 1) {
        judge_gaps(search, are_short(builder, gaps, calls - 1), calls - 1);
    }
    if (region->polling.polled == FM_POLLED_PROBE) {
        search->probe = begins || search->restarts ? FM_NONE : frame->activity;
        search->probe_first = search->first;
    }
}

/* @return whether the run tests what a call waits for */
static bool is_awaited(const struct fm_polling_search *search, fm_polled_t polled)
{
    if (!search->is_open || search->restarts || search->tested[polled] <= search->first) {
        return false;
    }
    const bool has_names = polled == FM_POLLED_REQUEST || polled == FM_POLLED_OPERATION;
    return !has_names || search->unnamed[polled] > search->first || search->is_awaited;
}

static void leave_call(struct fm_builder *builder, const struct fm_region *region,
                       const struct fm_frame *frame)
{
    struct fm_polling_search *search = &builder->polling;
    const bool has_records = has_others(builder);
    search->current = FM_NONE;
    switch ((fm_polling_part_t)region->polling.part) {
    case FM_POLLING_TEST:
        if (has_records) {
            end_loop(builder, frame->activity);
        } else {
            add_test(builder, region, frame);
        }
        break;
    case FM_POLLING_WAIT:
        if (is_awaited(search, (fm_polled_t)region->polling.polled)) {
            end_loop(builder, frame->activity);
        } else {
            abandon(search);
        }
        break;
    default: { /* a local call */
        const uint32_t calls = calls_of(builder, frame->activity);
        if (has_records) {
            abandon(search);
        } else if (calls > 1) {
            const uint64_t gaps = gaps_of(builder, frame->activity);
            judge_gaps(search, are_short(builder, gaps, calls - 1), calls - 1);
        }
    }
    }
    open_gap(builder);
}

void fm_polling_leave(struct fm_builder *builder, const struct fm_region *region,
                      const struct fm_frame *frame)
{
    struct fm_polling_search *search = &builder->polling;
    if (search->pause_depth != 0) {
        if (builder->frames.count + 1 > search->pause_depth) {
            return;
        }
        search->pause_depth = 0;
        open_gap(builder);
    } else if (search->current != FM_NONE && frame->activity == search->current) {
        leave_call(builder, region, frame);
    } else if (search->current == FM_NONE && search->is_open &&
               (has_others(builder) || frame->activity != FM_NONE ||
                (!region->is_estimated && frame->polling_calls == search->calls))) {
        abandon(search); /* something else was recorded, or a function without a test */
    }
    if (builder->frames.count == 0) {
        abandon(search); /* the time behind it belongs to no call path */
    }
    search->known = builder->location->event_count;
}

void fm_polling_failed(struct fm_builder *builder, uint64_t id)
{
    struct fm_polling_search *search = &builder->polling;
    if (builder->current_activity != FM_NONE && search->current == builder->current_activity) {
        fm_polling_ignore(builder);
        search->has_name = true;
        *fm_map_at(&search->names, id, 0) = search->current + 1;
    }
}

void fm_polling_completed(struct fm_builder *builder, uint64_t id)
{
    struct fm_polling_search *search = &builder->polling;
    if (search->is_open && search->current != FM_NONE &&
        search->current == builder->current_activity) {
        const uint32_t test = fm_map_get(&search->names, id);
        search->is_awaited |= test != FM_MAP_ABSENT && test > search->first;
    }
}

void fm_polling_break(struct fm_builder *builder)
{
    abandon(&builder->polling);
}

/* ---- the end ---- */

void fm_polling_end(struct fm_builder *builder)
{
    struct fm_polling_search *search = &builder->polling;
    struct fm_location *location = builder->location;
    abandon(search);
    if (location->probes.count != 0 || search->untold.count == 0) {
        return;
    }
    for (size_t i = 0; i < search->untold.count; i++) {
        const struct fm_polling_loop loop = search->untold.items[i];
        size_t place = location->loops.count;
        fm_vector_push(&location->loops, loop);
        for (; place > 0 && location->loops.items[place - 1].first > loop.first; place--) {
            location->loops.items[place] = location->loops.items[place - 1];
        }
        location->loops.items[place] = loop;
    }
}
