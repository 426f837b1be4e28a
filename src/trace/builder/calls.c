/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls, pauses of the recording, phases and values of parameters: the tree of calls, the states
 * and the activities of a location. */
#include "trace/builder/builder_internal.h"

uint32_t fm_builder_call(struct fm_builder *builder, uint32_t region, uint32_t line)
{
    if (region == FM_NONE || line == FM_NONE) {
        return region;
    }
    uint32_t next = (uint32_t)builder->cache.count;
    uint32_t call = *fm_map_at(&builder->numbers, (uint64_t)line << 32 | region, next);
    if (call == next) {
        fm_vector_push(&builder->line_calls,
                       (struct fm_line_call){0, region, line, FM_CALLPATH_REGION});
        fm_vector_push(&builder->cache, (struct fm_visit_cache){0, 0, 0});
    }
    return call;
}

static inline struct fm_line_call line_call(const struct fm_builder *builder, uint32_t call)
{
    uint32_t regions = builder->trace->region_count;
    return call < regions ? (struct fm_line_call){0, call, FM_NONE, FM_CALLPATH_REGION}
                          : builder->line_calls.items[call - regions];
}

static __attribute__((noinline)) uint32_t add_visit(struct fm_builder *builder, uint32_t parent,
                                                    uint32_t call)
{
    struct fm_line_call called = line_call(builder, call);
    struct fm_location *location = builder->location;
    uint32_t next = (uint32_t)location->profile.count;
    uint32_t visit = *fm_map_at(&builder->visits, (uint64_t)parent << 32 | call, next);
    if (visit == next) {
        fm_vector_push(&location->profile, (struct fm_visit_profile){.value = called.value,
                                                                     .parent = parent,
                                                                     .region = called.region,
                                                                     .line = called.line,
                                                                     .kind = called.kind,
                                                                     .callpath = FM_NONE,
                                                                     .counts = FM_NONE});
    }
    builder->cache.items[call] = (struct fm_visit_cache){parent, visit, builder->generation};
    return visit;
}

static void change_state(struct fm_location *location, uint64_t since, uint32_t visit)
{
    fm_vector_push(&location->state_since, since);
    fm_vector_push(&location->state_visit, visit);
}

static inline uint32_t find_visit(struct fm_builder *builder, uint32_t parent, uint32_t call)
{
    const struct fm_visit_cache *cached = &builder->cache.items[call];
    return cached->owner == builder->generation && cached->parent == parent
               ? cached->visit
               : add_visit(builder, parent, call);
}

/* The three columns grow together: the capacity of one is that of all. */
static inline uint32_t add_activity(struct fm_location *location, uint64_t enter, uint32_t visit)
{
    size_t activity = location->enter.count;
    if (__builtin_expect(activity == location->enter.capacity, 0)) {
        fm_vector_reserve(&location->enter, 1);
        fm_vector_reserve(&location->leave, location->enter.capacity - activity);
        fm_vector_reserve(&location->visit, location->enter.capacity - activity);
    }
    location->enter.items[activity] = enter;
    location->leave.items[activity] = UINT64_MAX;
    location->visit.items[activity] = visit;
    location->enter.count = location->leave.count = location->visit.count = activity + 1;
    return (uint32_t)activity;
}

/* The recorder has read processor times before the call. */
static inline void note_reading(struct fm_builder *builder, uint32_t activity)
{
    if (__builtin_expect(builder->reading != 0, 0)) {
        fm_vector_push(&builder->location->readings,
                       (struct fm_reading_time){activity, builder->reading});
        builder->reading = 0;
    }
}

uint32_t fm_builder_visit(struct fm_builder *builder, uint32_t parent, uint32_t call)
{
    return find_visit(builder, parent, call);
}

uint32_t fm_builder_add_empty_activity(struct fm_builder *builder, uint32_t visit)
{
    uint32_t activity = add_activity(builder->location, builder->now, visit);
    note_reading(builder, activity);
    builder->location->leave.items[activity] = builder->now;
    return activity;
}

/* ---- stretches of calls ---- */

/* @return whether calls inside such a call do not belong to it: it waits, and what it executes
 * meanwhile is the program's work */
static bool has_stretches(fm_call_t call)
{
    return call == FM_CALL_TEAM_BARRIER || call == FM_CALL_CRITICAL || call == FM_CALL_ORDERED ||
           call == FM_CALL_TASK_WAIT;
}

/* Ends the current stretch of the innermost call. */
static void end_stretch(struct fm_builder *builder, struct fm_frame *frame)
{
    struct fm_location *location = builder->location;
    location->leave.items[frame->activity] = builder->now;
    if (frame->inner != frame->inner_before) {
        fm_vector_push(&location->nested, (struct fm_nested_time){
                                              frame->activity, frame->inner - frame->inner_before});
    }
}

/* A call begins inside a call that has stretches: its current one ends. */
static __attribute__((noinline)) void interrupt(struct fm_builder *builder, struct fm_frame *frame)
{
    end_stretch(builder, frame);
    change_state(builder->location, builder->now, frame->visit);
    frame->activity = FM_NONE;
    frame->contains_calls = true;
}

/* A call inside such a call has ended: another stretch begins. */
static __attribute__((noinline)) void resume(struct fm_builder *builder, struct fm_frame *frame)
{
    frame->activity = add_activity(builder->location, builder->now, frame->visit);
    frame->inner_before = frame->inner;
    fm_vector_push(&builder->location->continuations,
                   (struct fm_continuation){frame->activity, frame->first_stretch});
}

/* ---- pauses of the recording ---- */

/* Instead of the key of a call stack and of a call: stretches of computation begin and end there.
 */
enum { PAUSE = INT32_MAX };

/* Some recorders write calls during a pause. */
static inline void stay_paused(struct fm_builder *builder)
{
    if (__builtin_expect(builder->is_paused, 0)) {
        change_state(builder->location, builder->now, FM_NONE);
    }
}

void fm_builder_pause(struct fm_builder *builder)
{
    if (!builder->is_paused) {
        fm_builder_end_computation(builder, PAUSE, PAUSE, fm_builder_innermost(builder));
        builder->is_paused = true;
        builder->paused_since = builder->now;
        fm_vector_push(&builder->location->pauses, (struct fm_pause){builder->now, UINT64_MAX});
        change_state(builder->location, builder->now, FM_NONE);
        if (builder->frames.count != 0) {
            builder->frames.items[builder->frames.count - 1].contains_calls = true;
        }
    }
}

void fm_builder_resume(struct fm_builder *builder)
{
    if (builder->is_paused) {
        struct fm_location *location = builder->location;
        fm_builder_account_pause(builder);
        builder->is_paused = false;
        location->pauses.items[location->pauses.count - 1].end = builder->now;
        change_state(location, builder->now,
                     builder->frames.count == 0
                         ? FM_NONE
                         : builder->frames.items[builder->frames.count - 1].visit);
        fm_builder_begin_computation(builder, PAUSE, PAUSE);
    }
}

void fm_builder_unrecorded(struct fm_builder *builder, fm_series_t series, uint32_t reference,
                           uint32_t peer, uint32_t tag, uint64_t count)
{
    if (reference == FM_NONE) {
        ++builder->defects->unusable_records;
        return;
    }
    fm_vector_push(&builder->location->unrecorded,
                   (struct fm_unrecorded){.time = builder->now,
                                          .count = count,
                                          .reference = reference,
                                          .peer = peer,
                                          .tag = tag,
                                          .series = (uint8_t)series});
}

/* ---- phases ---- */

/* While a phase is open, its `computation` is the computation of the location before it. */
static __attribute__((noinline)) uint32_t begin_phase(struct fm_builder *builder, uint32_t visit)
{
    fm_vector_push(&builder->location->phases,
                   (struct fm_phase){builder->now, builder->now, builder->computed, visit});
    return (uint32_t)builder->location->phases.count - 1;
}

static void end_phase(struct fm_builder *builder, uint32_t row)
{
    struct fm_phase *phase = &builder->location->phases.items[row];
    phase->end = builder->now;
    phase->computation = builder->computed - phase->computation;
}

/* ---- calls ---- */

/* Tell the end of a frame from its begin, in the keys and the calls of stretches. */
#define LEAVE UINT64_C(0x5bd1e9955bd1e995)
#define LEFT  (UINT32_C(1) << 31)

static void leave_innermost(struct fm_builder *builder);

/* A stream of an accelerator gets work. */
static void end_idle_time(struct fm_builder *builder)
{
    fm_builder_end_copy(builder);
    if (builder->frames.count == 1 &&
        builder->frames.items[0].call == builder->trace->idle_region) {
        leave_innermost(builder);
    }
}

/* The key of the call stack with a call. */
static uint64_t key_below(struct fm_builder *builder, uint32_t call)
{
    const uint64_t key =
        builder->frames.count == 0 ? 0 : builder->frames.items[builder->frames.count - 1].key;
    const uint32_t site = builder->site == FM_NONE ? call : builder->site;
    builder->site = FM_NONE;
    return fm_hash(key * 3 + site);
}

/* @return whether the polling search needs to know of the Enter of a region */
static inline bool is_polling(const struct fm_builder *builder, const struct fm_region *called)
{
    return called->polling.part == FM_POLLING_TEST || builder->polling.is_open ||
           builder->polling.current != FM_NONE;
}

void fm_builder_enter(struct fm_builder *builder, uint32_t call)
{
    if (call == FM_NONE) {
        ++builder->defects->unusable_records;
        return;
    }
    struct fm_location *location = builder->location;
    fm_builder_account_pause(builder);
    if (__builtin_expect(location->is_stream, 0)) {
        end_idle_time(builder);
    }
    uint32_t parent = builder->frames.count == 0
                          ? builder->base
                          : builder->frames.items[builder->frames.count - 1].visit;
    uint32_t visit = find_visit(builder, parent, call);
    uint32_t activity = FM_NONE;
    if (builder->frames.count != 0) {
        struct fm_frame *outer = &builder->frames.items[builder->frames.count - 1];
        if (__builtin_expect(outer->has_stretches, 0)) {
            interrupt(builder, outer);
        } else if (outer->activity != FM_NONE) {
            /* A call that contains others is a state like any other code. */
            if (!outer->contains_calls) {
                change_state(location, outer->enter, outer->visit);
            }
            /* After the new call, the enclosing call continues. */
            change_state(location, builder->now, parent);
        }
        outer->contains_calls = true;
    }
    const struct fm_region *called = &builder->trace->regions[line_call(builder, call).region];
    const uint64_t key = builder->is_sampled ? key_below(builder, call) : 0;
    const bool is_call = called->call != FM_CALL_USER;
    const bool is_in = called->is_estimated ? fm_builder_is_in_call(builder) : is_call;
    const uint32_t recorded = called->is_estimated ? fm_builder_recorded(builder) : visit;
    uint32_t phase = FM_NONE;
    if (builder->is_sampled && !called->is_estimated) {
        fm_builder_end_computation(builder, key, call, fm_builder_innermost(builder));
    }
    if (called->call != FM_CALL_USER) {
        activity = add_activity(location, builder->now, visit);
        note_reading(builder, activity);
        if (__builtin_expect(called->starts_collective, 0)) {
            fm_vector_push(
                &builder->silent_starts,
                ((struct fm_silent_start){builder->now, builder->location_index, activity}));
        }
    } else {
        change_state(location, builder->now, visit);
        phase = called->is_phase ? begin_phase(builder, visit) : FM_NONE;
    }
    fm_vector_push(&builder->frames,
                   ((struct fm_frame){.enter = builder->now,
                                      .visit = visit,
                                      .activity = activity,
                                      .phase = phase,
                                      .call = call,
                                      .is_computation = called->is_computation,
                                      .has_stretches = has_stretches(called->call),
                                      .first_stretch = activity,
                                      .key = key,
                                      .recorded = recorded,
                                      .is_estimated = called->is_estimated,
                                      .is_in_call = is_in}));
    builder->current_activity = activity;
    if (__builtin_expect(is_polling(builder, called), 0)) {
        fm_polling_enter(builder, called);
    }
    if (builder->is_sampled && called->is_estimated) {
        fm_builder_note_estimate(builder, visit, true);
    } else if (builder->is_sampled && !is_call) {
        fm_builder_begin_computation(builder, key, call);
    }
    stay_paused(builder);
}

/* Books a call that stands for several ones. @return the ticks of the gaps between these, which
 * belong to the caller; 0 if there is none */
static __attribute__((noinline)) uint64_t take_merged(struct fm_builder *builder,
                                                      struct fm_frame *frame)
{
    struct fm_merged_call *merged = &builder->merged;
    const uint64_t most = builder->now - frame->enter - frame->inner;
    if (frame->contains_calls) {
        merged->calls = 1;
    }
    merged->gaps = merged->calls == 1 ? 0 : merged->gaps < most ? merged->gaps : most;
    builder->location->profile.items[frame->visit].visits += merged->calls - 1;
    if (merged->gaps == 0 || builder->frames.count == 0) {
        return 0;
    }
    fm_vector_push(&builder->location->merged, *merged);
    frame->inner += merged->gaps;
    return merged->gaps;
}

static void leave_innermost(struct fm_builder *builder)
{
    struct fm_location *location = builder->location;
    if (builder->is_sampled) {
        const struct fm_frame *left = &builder->frames.items[builder->frames.count - 1];
        if (left->is_estimated) {
            fm_builder_note_estimate(builder, left->visit, false);
        } else {
            fm_builder_end_computation(builder, left->key ^ LEAVE, left->call | LEFT, left->visit);
        }
    }
    struct fm_frame frame = builder->frames.items[--builder->frames.count];
    builder->last_left = frame.visit;
    if (__builtin_expect(builder->awaited.count != 0, 0)) {
        fm_builder_forget_awaited(builder, frame.first_stretch);
    }
    uint64_t duration = builder->now - frame.enter, gaps = 0;
    if (__builtin_expect(builder->merged.activity != FM_NONE, 0) &&
        builder->merged.activity == frame.activity) {
        gaps = take_merged(builder, &frame);
    }
    struct fm_visit_profile *profile = &location->profile.items[frame.visit];
    profile->time += duration - frame.inner;
    ++profile->visits;
    if (frame.is_computation) {
        builder->computed += duration - frame.inner;
    }
    if (__builtin_expect(frame.phase != FM_NONE, 0)) {
        end_phase(builder, frame.phase);
    }
    if (__builtin_expect(frame.has_stretches, 0)) {
        end_stretch(builder, &frame);
    } else if (frame.activity != FM_NONE) {
        location->leave.items[frame.activity] = builder->now;
        if (frame.inner != 0) {
            fm_vector_push(&location->nested, (struct fm_nested_time){frame.activity, frame.inner});
        }
    }
    if (frame.activity == FM_NONE || frame.contains_calls) {
        change_state(location, builder->now,
                     builder->frames.count == 0
                         ? FM_NONE
                         : builder->frames.items[builder->frames.count - 1].visit);
    }
    if (builder->frames.count != 0) {
        struct fm_frame *outer = &builder->frames.items[builder->frames.count - 1];
        outer->inner += duration - gaps;
        if (__builtin_expect(outer->has_stretches, 0)) {
            resume(builder, outer);
        }
        builder->current_activity = outer->activity;
    } else {
        builder->current_activity = FM_NONE;
        fm_builder_end_kernel(builder, frame.visit, duration - frame.inner);
    }
    if (__builtin_expect(builder->polling.is_open || builder->polling.current != FM_NONE, 0)) {
        fm_polling_leave(
            builder, &builder->trace->regions[location->profile.items[frame.visit].region], &frame);
    }
    builder->merged.activity = FM_NONE;
    if (builder->is_sampled && !frame.is_estimated) {
        fm_builder_begin_computation(builder, frame.key ^ LEAVE, frame.call | LEFT);
    }
}

static bool is_parameter(const struct fm_builder *builder, const struct fm_frame *frame)
{
    return builder->location->profile.items[frame->visit].kind != FM_CALLPATH_REGION;
}

/** @return the number of open regions from `depth` on; values of parameters are none. */
static size_t open_regions(const struct fm_builder *builder, size_t depth)
{
    size_t count = 0;
    for (; depth < builder->frames.count; ++depth) {
        count += !is_parameter(builder, &builder->frames.items[depth]);
    }
    return count;
}

void fm_builder_leave(struct fm_builder *builder, uint32_t region)
{
    fm_builder_account_pause(builder);
    size_t depth = builder->frames.count;
    /* Leave events may be missing (exceptions, longjmp): leave all calls inside the named one, too.
     * Values of parameters end with their region. */
    while (depth > 0) {
        const struct fm_frame *frame = &builder->frames.items[depth - 1];
        if (!is_parameter(builder, frame) &&
            (region == FM_NONE ||
             builder->location->profile.items[frame->visit].region == region)) {
            break;
        }
        --depth;
    }
    if (depth == 0) {
        ++builder->defects->unmatched_leaves;
        return;
    }
    builder->defects->open_calls += open_regions(builder, depth);
    while (builder->frames.count >= depth) {
        leave_innermost(builder);
    }
    stay_paused(builder);
    if (__builtin_expect(builder->location->is_stream, 0) && builder->frames.count == 0) {
        fm_builder_enter(builder, builder->trace->idle_region);
    }
}

void fm_builder_program_begin(struct fm_builder *builder, uint32_t region)
{
    builder->has_program = true;
    fm_builder_enter(builder, region);
}

void fm_builder_program_end(struct fm_builder *builder, uint32_t region)
{
    if (builder->has_program) {
        fm_builder_leave(builder, region);
        builder->has_program = false;
    }
}

void fm_builder_leave_all(struct fm_builder *builder)
{
    struct fm_location *location = builder->location;
    if (location->is_stream) {
        end_idle_time(builder);
    }
    const size_t open = open_regions(builder, builder->has_program && builder->frames.count == 1);
    if (location->is_incomplete) {
        builder->defects->open_calls += open;
    } else {
        builder->defects->open_ends += open != 0;
    }
    fm_builder_note_open(builder);
    if (location->open.count != 0) {
        fm_builder_end_last_computation(builder);
    }
    const size_t states = location->state_since.count;
    while (builder->frames.count != 0) {
        leave_innermost(builder);
    }
    location->open_states = (uint32_t)(location->state_since.count - states);
}

/* ---- values of parameters ---- */

/** @return the call with this key in `numbers`, which is added if it is new. */
static uint32_t parameter_call(struct fm_builder *builder, uint32_t detail,
                               struct fm_line_call called)
{
    uint32_t next = (uint32_t)builder->cache.count;
    uint32_t call = *fm_map_at(&builder->numbers, (uint64_t)detail << 32 | called.region, next);
    if (call == next) {
        fm_vector_push(&builder->line_calls, called);
        fm_vector_push(&builder->cache, (struct fm_visit_cache){0, 0, 0});
    }
    return call;
}

/** @return the call that stands for a value of a parameter. In a location, the first
 * FM_PARAMETER_LIMIT values of a parameter have calls of their own: the others are not among the
 * first of all locations either. */
static uint32_t value_call(struct fm_builder *builder, uint32_t region, uint64_t value)
{
    uint32_t number = fm_map_get(&builder->values, value);
    uint32_t call = number == FM_MAP_ABSENT
                        ? FM_MAP_ABSENT
                        : fm_map_get(&builder->numbers, (uint64_t)number << 32 | region);
    if (call != FM_MAP_ABSENT && fm_map_get(&builder->location_values, call) != FM_MAP_ABSENT) {
        return call;
    }
    uint32_t *count = fm_map_at(&builder->value_counts, region, 0);
    if (*count == FM_PARAMETER_LIMIT) {
        return parameter_call(builder, FM_NONE,
                              (struct fm_line_call){0, region, FM_NONE, FM_CALLPATH_OTHERS});
    }
    ++*count;
    number = *fm_map_at(&builder->values, value, (uint32_t)builder->values.count);
    call = parameter_call(builder, number,
                          (struct fm_line_call){value, region, FM_NONE, FM_CALLPATH_VALUE});
    fm_map_at(&builder->location_values, call, 0);
    return call;
}

void fm_builder_parameter(struct fm_builder *builder, uint32_t region, uint64_t value)
{
    if (region == FM_NONE) {
        ++builder->defects->unusable_records;
        return;
    }
    size_t depth = builder->frames.count;
    if (depth == 0 || builder->is_paused || builder->frames.items[depth - 1].activity != FM_NONE) {
        return;
    }
    /* An earlier value of the parameter in the same visit of the region ends here, and with it the
     * values that were set after it. */
    for (size_t d = depth; d > 0 && is_parameter(builder, &builder->frames.items[d - 1]); --d) {
        if (builder->location->profile.items[builder->frames.items[d - 1].visit].region == region) {
            depth = d - 1;
        }
    }
    fm_builder_account_pause(builder);
    fm_polling_break(builder);
    while (builder->frames.count > depth) {
        leave_innermost(builder);
    }
    fm_builder_enter(builder, value_call(builder, region, value));
}

void fm_builder_merged(struct fm_builder *builder, uint32_t region, uint64_t value)
{
    if (builder->current_activity == FM_NONE) {
        fm_builder_parameter(builder, region, value);
        return;
    }
    struct fm_merged_call *merged = &builder->merged;
    fm_polling_ignore(builder);
    if (merged->activity != builder->current_activity) {
        *merged = (struct fm_merged_call){builder->current_activity, 1, 0};
    }
    if (builder->trace->regions[region].parameter == FM_PARAMETER_MERGED_GAPS) {
        merged->gaps = value;
    } else {
        merged->calls = value == 0 ? 1 : value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
    }
}

void fm_builder_merged_visits(struct fm_builder *builder, fm_parameter_t parameter, uint64_t value)
{
    fm_polling_ignore(builder);
    if (builder->frames.count == 0) {
        ++builder->defects->unusable_records;
        return;
    }
    const struct fm_frame *frame = &builder->frames.items[builder->frames.count - 1];
    struct fm_visit_profile *profile = &builder->location->profile.items[frame->visit];
    switch (parameter) {
    case FM_PARAMETER_MERGED_VISITS: /* the Leave counts one */
        profile->visits += value - 1;
        if (profile->merged == 0) {
            profile->merged_since = frame->enter;
        }
        profile->merged += value;
        break;
    case FM_PARAMETER_MERGED_SHORTEST:
        profile->shortest =
            profile->longest == 0 || value < profile->shortest ? value : profile->shortest;
        break;
    default: /* FM_PARAMETER_MERGED_LONGEST */
        profile->longest = value > profile->longest ? value : profile->longest;
        break;
    }
}

/* ---- flushes of the recorder ---- */

void fm_builder_flush(struct fm_builder *builder, uint64_t end)
{
    uint64_t begin = builder->now;
    builder->now = end > begin ? end : begin;
    if (builder->polling.is_open || builder->polling.current != FM_NONE) {
        fm_polling_flush(builder, begin);
    }
    if (end <= begin) {
        return;
    }
    builder->has_stretch = false; /* it is not known what the flush interrupted */
    if (builder->frames.count != 0) {
        struct fm_frame *frame = &builder->frames.items[builder->frames.count - 1];
        frame->inner += end - begin;
        builder->location->profile.items[frame->visit].overhead += end - begin;
    }
    fm_builder_note_overhead(builder, end - begin);
}
