#include "trace/tables/builder.h"

#include "base/containers/sort.h"

#include <otf2/otf2.h>
#include <stdlib.h>

void fm_builder_open(struct fm_builder *builder, struct fm_trace *trace,
                     struct fm_trace_defects *defects)
{
    *builder = (struct fm_builder){.trace = trace, .defects = defects};
    fm_vector_reserve(&builder->cache, trace->region_count);
    for (uint32_t i = 0; i < trace->region_count; ++i) {
        fm_vector_push(&builder->cache, (struct fm_visit_cache){0, 0, 0});
    }
}

void fm_builder_close(struct fm_builder *builder)
{
    fm_vector_free(&builder->cache);
    fm_vector_free(&builder->line_calls);
    fm_map_free(&builder->numbers);
    fm_map_free(&builder->values);
    fm_map_free(&builder->location_values);
    fm_map_free(&builder->value_counts);
    fm_vector_free(&builder->frames);
    fm_map_free(&builder->visits);
    fm_requests_free(&builder->requests);
    fm_traffic_free(&builder->traffic);
}

/* The state at the begin of a location, when its events are read first and when they are read
 * again. */
static void reset(struct fm_builder *builder)
{
    ++builder->generation;
    builder->now = 0;
    builder->computed = 0;
    builder->stretch = 0;
    builder->current_activity = FM_NONE;
    builder->is_paused = false;
    builder->frames.count = 0;
    /* Locks with MPI_MODE_NOCHECK leave no record; another thread may have used requests earlier.
     */
    builder->completions_matter =
        builder->trace->has_passive_target ||
        builder->trace->processes[builder->location->process].location_count > 1;
    fm_map_clear(&builder->visits);
    fm_map_clear(&builder->location_values);
    fm_map_clear(&builder->value_counts);
}

void fm_builder_begin_location(struct fm_builder *builder, uint32_t location)
{
    builder->location = &builder->trace->locations[location];
    builder->location_index = location;
    fm_requests_open_location(&builder->requests, location);
    builder->defects_before = *builder->defects;
    builder->left_open_before = builder->requests.left_open.count;
    builder->foreign_before = builder->requests.foreign.count;
    reset(builder);
    fm_tables_reserve(builder->location, &builder->sizes);
}

void fm_builder_restart_location(struct fm_builder *builder)
{
    *builder->defects = builder->defects_before;
    fm_requests_reopen_location(&builder->requests, builder->left_open_before,
                                builder->foreign_before);
    fm_traffic_clear(&builder->traffic);
    fm_tables_clear(builder->location);
    fm_counters_free(&builder->location->counters);
    builder->location->event_count = builder->location->paused = 0;
    builder->location->begin = UINT64_MAX;
    reset(builder);
}

/* ---- calls ---- */

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

/* ---- pauses of the recording ---- */

/* The time of a pause up to now belongs to no call. */
static inline void account_pause(struct fm_builder *builder)
{
    if (__builtin_expect(builder->is_paused, 0)) {
        uint64_t ticks = builder->now - builder->paused_since;
        builder->location->paused += ticks;
        builder->paused_since = builder->now;
        if (builder->frames.count != 0) {
            builder->frames.items[builder->frames.count - 1].inner += ticks;
        }
    }
}

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
        account_pause(builder);
        builder->is_paused = false;
        location->pauses.items[location->pauses.count - 1].end = builder->now;
        change_state(location, builder->now,
                     builder->frames.count == 0
                         ? FM_NONE
                         : builder->frames.items[builder->frames.count - 1].visit);
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

void fm_builder_enter(struct fm_builder *builder, uint32_t call)
{
    if (call == FM_NONE) {
        ++builder->defects->unusable_records;
        return;
    }
    struct fm_location *location = builder->location;
    account_pause(builder);
    uint32_t parent = builder->frames.count == 0
                          ? FM_NONE
                          : builder->frames.items[builder->frames.count - 1].visit;
    uint32_t visit = find_visit(builder, parent, call);
    uint32_t activity = FM_NONE;
    if (builder->frames.count != 0) {
        struct fm_frame *outer = &builder->frames.items[builder->frames.count - 1];
        if (outer->activity != FM_NONE) {
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
    uint32_t phase = FM_NONE;
    if (called->call != FM_CALL_USER) {
        activity = add_activity(location, builder->now, visit);
    } else {
        change_state(location, builder->now, visit);
        phase = called->is_phase ? begin_phase(builder, visit) : FM_NONE;
    }
    fm_vector_push(&builder->frames, (struct fm_frame){builder->now, 0, visit, activity, phase,
                                                       false, called->is_computation});
    builder->current_activity = activity;
    stay_paused(builder);
}

static void leave_innermost(struct fm_builder *builder)
{
    struct fm_location *location = builder->location;
    struct fm_frame frame = builder->frames.items[--builder->frames.count];
    uint64_t duration = builder->now - frame.enter;
    struct fm_visit_profile *profile = &location->profile.items[frame.visit];
    profile->time += duration - frame.inner;
    ++profile->visits;
    if (frame.is_computation) {
        builder->computed += duration - frame.inner;
    }
    if (__builtin_expect(frame.phase != FM_NONE, 0)) {
        end_phase(builder, frame.phase);
    }
    if (frame.activity != FM_NONE) {
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
        outer->inner += duration;
        builder->current_activity = outer->activity;
    } else {
        builder->current_activity = FM_NONE;
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
    account_pause(builder);
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
}

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
    account_pause(builder);
    while (builder->frames.count > depth) {
        leave_innermost(builder);
    }
    fm_builder_enter(builder, value_call(builder, region, value));
}

void fm_builder_flush(struct fm_builder *builder, uint64_t end)
{
    uint64_t begin = builder->now;
    if (end <= begin) {
        return;
    }
    builder->now = end;
    if (builder->frames.count != 0) {
        struct fm_frame *frame = &builder->frames.items[builder->frames.count - 1];
        frame->inner += end - begin;
        builder->location->profile.items[frame->visit].overhead += end - begin;
    }
}

static int compare_nested(const void *a, const void *b)
{
    const struct fm_nested_time *left = a, *right = b;
    return left->activity < right->activity ? -1 : left->activity > right->activity;
}

static int compare_matched(const void *a, const void *b)
{
    const struct fm_matched_receive *left = a, *right = b;
    return left->receive < right->receive ? -1 : left->receive > right->receive;
}

void fm_builder_end_location(struct fm_builder *builder)
{
    struct fm_location *location = builder->location;
    location->end = builder->now;
    account_pause(builder);
    builder->defects->pauses += location->pauses.count;
    builder->defects->paused += location->paused;
    for (size_t i = 0; i < builder->frames.count; ++i) {
        uint32_t activity = builder->frames.items[i].activity;
        if (activity != FM_NONE && location->truncated_at == FM_NONE) {
            location->truncated_at = activity;
        }
    }
    builder->defects->open_calls += open_regions(builder, 0);
    while (builder->frames.count != 0) {
        leave_innermost(builder);
    }
    fm_sort(location->nested.items, location->nested.count, sizeof *location->nested.items,
            compare_nested);
    fm_sort(location->matched.items, location->matched.count, sizeof *location->matched.items,
            compare_matched);
    fm_requests_close_location(&builder->requests);
    fm_traffic_finish(&builder->traffic, builder->trace, location);
    fm_tables_trim(location, &builder->sizes);
    fm_counters_finish(&location->counters, builder->trace->counters, location->end);
}

/* ---- counters ---- */

/* Adds a time to the call paths that the location was in during the last `stretch` ticks, in
 * proportion to the time in them. The shares add up to exactly `ticks`. */
static void spread(struct fm_builder *builder, fm_processor_time_t which, uint64_t ticks)
{
    struct fm_location *location = builder->location;
    uint64_t end = builder->now, whole = builder->stretch;
    uint64_t begin = end - whole, upper = end, shared = 0;
    for (size_t i = location->state_since.count; i-- > 0 && upper > begin;) {
        uint64_t since = location->state_since.items[i];
        uint32_t visit = location->state_visit.items[i];
        since = since < begin ? begin : since;
        if (since >= upper) {
            continue;
        }
        upper = since;
        uint64_t sum = (uint64_t)((unsigned __int128)ticks * (end - upper) / whole);
        if (visit != FM_NONE) {
            location->profile.items[visit].processor_times[which] += sum - shared;
        }
        shared = sum;
    }
}

static void add_processor_time(struct fm_builder *builder, fm_processor_time_t which, double value)
{
    if (!(value > 0 && value < 0x1p62)) {
        return;
    }
    uint64_t ticks =
        (uint64_t)((unsigned __int128)value * builder->trace->ticks_per_second / 1000000000u);
    if (which == FM_MEASURED_TIME || which == FM_DELAY_MEASURED_TIME) {
        uint64_t most = builder->now - builder->location->begin;
        builder->stretch = ticks < most ? ticks : most;
    }
    ticks = ticks < builder->stretch ? ticks : builder->stretch;
    spread(builder, which, ticks);
}

void fm_builder_counter(struct fm_builder *builder, uint32_t counter, double value)
{
    const struct fm_trace *trace = builder->trace;
    if (counter == FM_COUNTER_OF_SAMPLES) {
        if (builder->frames.count != 0) {
            size_t visit = builder->frames.items[builder->frames.count - 1].visit;
            builder->location->profile.items[visit].samples++;
        }
    } else if (counter >= FM_COUNTER_OF_PROCESSOR_TIME &&
               counter < FM_COUNTER_OF_PROCESSOR_TIME + FM_PROCESSOR_TIME_COUNT) {
        add_processor_time(builder, (fm_processor_time_t)(counter - FM_COUNTER_OF_PROCESSOR_TIME),
                           value);
    } else if (counter != FM_NONE && trace->in_detail) {
        fm_counters_add(&builder->location->counters, &builder->next_counter,
                        &trace->counters[counter], counter, builder->now, value);
    }
}

/* ---- records ---- */

/* @return the counters of the innermost call, NULL outside of all calls */
static uint64_t *counts(struct fm_builder *builder)
{
    if (builder->frames.count == 0) {
        ++builder->defects->unusable_records;
        return NULL;
    }
    struct fm_location *location = builder->location;
    struct fm_visit_profile *profile =
        &location->profile.items[builder->frames.items[builder->frames.count - 1].visit];
    if (profile->counts == FM_NONE) {
        profile->counts = (uint32_t)location->counts.count;
        fm_vector_push(&location->counts, (struct fm_count_row){{0}});
    }
    return location->counts.items[profile->counts].values;
}

/* @return whether the record lies in a communication call and its references are defined */
static bool usable(struct fm_builder *builder, uint32_t reference)
{
    if (builder->current_activity == FM_NONE || reference == FM_NONE) {
        ++builder->defects->unusable_records;
        return false;
    }
    return true;
}

/* @return the size of a message as it is stored */
static uint32_t size_of_message(uint64_t bytes)
{
    return bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

void fm_builder_send(struct fm_builder *builder, uint32_t communicator, uint32_t peer, uint32_t tag,
                     uint64_t bytes, const uint64_t *request)
{
    uint64_t *values = counts(builder);
    if (values != NULL) {
        ++values[bytes == 0 ? FM_COUNT_EMPTY_SENDS : FM_COUNT_SENDS];
        values[FM_COUNT_BYTES_SENT] += bytes;
    }
    if (!usable(builder, communicator)) {
        return;
    }
    fm_traffic_count(&builder->traffic, FM_TRAFFIC_MESSAGES, communicator, peer, bytes);
    struct fm_location *location = builder->location;
    if (request != NULL) {
        fm_requests_start(&builder->requests, FM_REQUEST_SEND, *request,
                          (uint32_t)location->sends.count);
    }
    fm_vector_push(&location->sends,
                   (struct fm_message_end){
                       .start = builder->current_activity,
                       .complete = request == NULL ? builder->current_activity : FM_NONE,
                       .complete_location = builder->location_index,
                       .communicator = communicator,
                       .peer = peer,
                       .tag = tag,
                       .bytes = size_of_message(bytes),
                   });
}

static void note_foreign(struct fm_builder *builder, struct fm_foreign_completion completion)
{
    completion.time = builder->now;
    completion.location = builder->location_index;
    completion.activity = builder->current_activity;
    fm_vector_push(&builder->requests.foreign, completion);
}

void fm_builder_send_complete(struct fm_builder *builder, uint64_t request)
{
    if (builder->current_activity == FM_NONE) {
        ++builder->defects->unusable_records;
        return;
    }
    uint32_t row = fm_requests_take(&builder->requests, FM_REQUEST_SEND, request);
    if (row != FM_MAP_ABSENT) {
        builder->location->sends.items[row].complete = builder->current_activity;
    } else {
        note_foreign(builder,
                     (struct fm_foreign_completion){.id = request, .kind = FM_REQUEST_SEND});
    }
}

void fm_builder_receive_request(struct fm_builder *builder, uint64_t request)
{
    if (builder->current_activity == FM_NONE) {
        ++builder->defects->unusable_records;
        return;
    }
    struct fm_location *location = builder->location;
    uint32_t open = fm_requests_find(&builder->requests, FM_REQUEST_RECEIVE, request);
    if (open != FM_MAP_ABSENT &&
        fm_trace_called(builder->trace, location, location->receives.items[open].start)->call ==
            FM_CALL_MATCHED_PROBE) {
        /* The matched probe determines the place in the matching order, the Imrecv the time of the
         * post. */
        fm_vector_push(&location->matched,
                       (struct fm_matched_receive){open, builder->current_activity});
        return;
    }
    location->has_matched_probes |=
        fm_trace_called(builder->trace, location, builder->current_activity)->call ==
        FM_CALL_MATCHED_PROBE;
    fm_requests_start(&builder->requests, FM_REQUEST_RECEIVE, request,
                      (uint32_t)location->receives.count);
    fm_vector_push(&location->receives, (struct fm_message_end){.start = builder->current_activity,
                                                                .complete = FM_NONE,
                                                                .communicator = FM_NONE});
}

void fm_builder_receive(struct fm_builder *builder, uint32_t communicator, uint32_t peer,
                        uint32_t tag, uint64_t bytes, const uint64_t *request)
{
    uint64_t *values = counts(builder);
    if (values != NULL) {
        ++values[bytes == 0 ? FM_COUNT_EMPTY_RECEIVES : FM_COUNT_RECEIVES];
        values[FM_COUNT_BYTES_RECEIVED] += bytes;
    }
    if (!usable(builder, communicator)) {
        return;
    }
    struct fm_location *location = builder->location;
    struct fm_message_end received = {
        .start = builder->current_activity,
        .complete = builder->current_activity,
        .complete_location = builder->location_index,
        .communicator = communicator,
        .peer = peer,
        .tag = tag,
        .bytes = size_of_message(bytes),
    };
    uint32_t row = request == NULL
                       ? FM_MAP_ABSENT
                       : fm_requests_take(&builder->requests, FM_REQUEST_RECEIVE, *request);
    if (row != FM_MAP_ABSENT) {
        received.start = location->receives.items[row].start;
        location->receives.items[row] = received;
    } else if (request != NULL && builder->trace->processes[location->process].location_count > 1) {
        note_foreign(builder, (struct fm_foreign_completion){.id = *request,
                                                             .kind = FM_REQUEST_RECEIVE,
                                                             .communicator = communicator,
                                                             .peer = peer,
                                                             .tag = tag,
                                                             .bytes = received.bytes});
    } else {
        fm_vector_push(&location->receives, received);
    }
}

void fm_builder_cancelled(struct fm_builder *builder, uint64_t request)
{
    uint32_t receive = fm_requests_take(&builder->requests, FM_REQUEST_RECEIVE, request);
    if (receive != FM_MAP_ABSENT) {
        builder->location->receives.items[receive].communicator = FM_NONE;
        return;
    }
    uint32_t send = fm_requests_take(&builder->requests, FM_REQUEST_SEND, request);
    if (send != FM_MAP_ABSENT) {
        builder->location->sends.items[send].communicator = FM_NONE;
        return;
    }
    note_foreign(builder, (struct fm_foreign_completion){.id = request, .cancelled = true});
}

void fm_builder_collective_request(struct fm_builder *builder, uint64_t request)
{
    if (builder->current_activity == FM_NONE) {
        ++builder->defects->unusable_records;
        return;
    }
    struct fm_location *location = builder->location;
    fm_requests_start(&builder->requests, FM_REQUEST_COLLECTIVE, request,
                      (uint32_t)location->collectives.count);
    fm_vector_push(&location->collectives,
                   (struct fm_collective){.start = builder->current_activity,
                                          .complete = FM_NONE,
                                          .communicator = FM_NONE,
                                          .window = FM_NONE,
                                          .non_blocking = true});
}

static void count_collective(struct fm_builder *builder, uint64_t sent, uint64_t received)
{
    uint64_t *values = counts(builder);
    if (values != NULL) {
        fm_count_t kind = FM_COUNT_EMPTY_COLLECTIVES;
        if (sent != 0) {
            kind = received != 0 ? FM_COUNT_COLLECTIVE_EXCHANGES : FM_COUNT_COLLECTIVE_SOURCES;
        } else if (received != 0) {
            kind = FM_COUNT_COLLECTIVE_DESTINATIONS;
        }
        ++values[kind];
        values[FM_COUNT_BYTES_COLLECTIVE_OUT] += sent;
        values[FM_COUNT_BYTES_COLLECTIVE_IN] += received;
    }
}

/* @return this call's part in the creation of a communicator, if it was noted already */
static struct fm_collective *detached_creation(struct fm_builder *builder)
{
    struct fm_location *location = builder->location;
    uint32_t activity = builder->current_activity;
    if (fm_trace_called(builder->trace, location, activity)->call ==
            FM_CALL_DETACHED_COMMUNICATOR &&
        location->collectives.count != 0) {
        struct fm_collective *last = &location->collectives.items[location->collectives.count - 1];
        return last->start == activity ? last : NULL;
    }
    return NULL;
}

void fm_builder_collective(struct fm_builder *builder, uint8_t operation, uint32_t communicator,
                           uint32_t root, uint64_t sent, uint64_t received, const uint64_t *request)
{
    count_collective(builder, sent, received);
    if (!usable(builder, communicator)) {
        return;
    }
    struct fm_collective part = {
        .start = builder->current_activity,
        .complete = builder->current_activity,
        .complete_location = builder->location_index,
        .communicator = communicator,
        .window = FM_NONE,
        .root = root,
        .operation = operation,
        .moved_bytes = sent != 0 || received != 0,
    };
    struct fm_location *location = builder->location;
    if (request == NULL) {
        if (detached_creation(builder) == NULL) {
            fm_vector_push(&location->collectives, part);
        }
        return;
    }
    uint32_t row = fm_requests_take(&builder->requests, FM_REQUEST_COLLECTIVE, *request);
    if (row != FM_MAP_ABSENT) {
        part.start = location->collectives.items[row].start;
        part.non_blocking = true;
        location->collectives.items[row] = part;
    } else if (builder->trace->processes[location->process].location_count > 1) {
        note_foreign(builder, (struct fm_foreign_completion){.id = *request,
                                                             .kind = FM_REQUEST_COLLECTIVE,
                                                             .communicator = communicator,
                                                             .peer = root,
                                                             .operation = operation,
                                                             .moved_bytes = part.moved_bytes});
    } else {
        part.non_blocking = true;
        fm_vector_push(&location->collectives, part);
    }
}

void fm_builder_communicator_created(struct fm_builder *builder, uint32_t communicator)
{
    if (builder->current_activity == FM_NONE || communicator == FM_NONE ||
        fm_trace_called(builder->trace, builder->location, builder->current_activity)->call !=
            FM_CALL_DETACHED_COMMUNICATOR) {
        return;
    }
    struct fm_collective *part = detached_creation(builder);
    if (part != NULL) {
        part->communicator = communicator;
    } else {
        fm_vector_push(&builder->location->collectives,
                       (struct fm_collective){
                           .start = builder->current_activity,
                           .complete = builder->current_activity,
                           .complete_location = builder->location_index,
                           .communicator = communicator,
                           .window = FM_NONE,
                           .root = OTF2_COLLECTIVE_ROOT_NONE,
                           .operation = OTF2_COLLECTIVE_OP_CREATE_HANDLE,
                       });
    }
}

/* @return whether the innermost call is one of MPI; unknown regions count as such, too */
static bool is_in_mpi(const struct fm_builder *builder)
{
    const fm_paradigm_t paradigm =
        fm_trace_called(builder->trace, builder->location, builder->current_activity)->paradigm;
    return paradigm != FM_PARADIGM_SHMEM && paradigm != FM_PARADIGM_ARMCI &&
           paradigm != FM_PARADIGM_CAF;
}

void fm_builder_rma_collective(struct fm_builder *builder, uint8_t operation, uint32_t window,
                               uint32_t root, uint64_t sent, uint64_t received)
{
    if (builder->current_activity == FM_NONE || window == FM_NONE || is_in_mpi(builder) ||
        builder->trace->windows[window].communicator == FM_NONE) {
        fm_builder_rma(builder, FM_RMA_COLLECTIVE, window, FM_NONE, false, 0, sent, received);
        return;
    }
    count_collective(builder, sent, received);
    fm_vector_push(&builder->location->collectives,
                   (struct fm_collective){
                       .start = builder->current_activity,
                       .complete = builder->current_activity,
                       .complete_location = builder->location_index,
                       .communicator = builder->trace->windows[window].communicator,
                       .window = window,
                       .root = root,
                       .operation = operation,
                       .moved_bytes = sent != 0 || received != 0,
                   });
}

void fm_builder_lock(struct fm_builder *builder, fm_rma_type_t step, uint32_t window,
                     uint32_t target, uint64_t lock, bool shared)
{
    if (builder->current_activity != FM_NONE && window != FM_NONE && !is_in_mpi(builder)) {
        fm_vector_push(&builder->location->rma,
                       (struct fm_rma){lock, builder->current_activity, window, target,
                                       FM_RMA_LOCK_NAME, false});
    }
    fm_builder_rma(builder, step, window, target, shared, 0, 0, 0);
}

static bool is_completion(fm_rma_type_t type)
{
    return type == FM_RMA_DONE_LOCALLY || type == FM_RMA_DONE_REMOTELY || type == FM_RMA_SYNC;
}

static bool is_in_flush(const struct fm_builder *builder)
{
    fm_call_t call =
        fm_trace_called(builder->trace, builder->location, builder->current_activity)->call;
    return call >= FM_CALL_FLUSH && call <= FM_CALL_FLUSH_LOCAL_ALL;
}

/* @return whether the record opens a lock epoch or is an operation with a request or outside of
 * MPI: completions of one-sided operations are kept from then on */
static bool opens_passive_use(const struct fm_builder *builder, fm_rma_type_t type)
{
    return type == FM_RMA_LOCK_REQUEST || type == FM_RMA_LOCK_ACQUIRE ||
           (type <= FM_RMA_ATOMIC &&
            (fm_trace_called(builder->trace, builder->location, builder->current_activity)->call ==
                 FM_CALL_REQUEST_OPERATION ||
             !is_in_mpi(builder)));
}

void fm_builder_rma(struct fm_builder *builder, fm_rma_type_t type, uint32_t window, uint32_t peer,
                    bool shared, uint64_t id, uint64_t bytes_out, uint64_t bytes_in)
{
    if (type <= FM_RMA_ATOMIC) {
        uint64_t *values = counts(builder);
        if (values != NULL) {
            ++values[FM_COUNT_PUTS + (type - FM_RMA_PUT)];
            values[FM_COUNT_BYTES_PUT] += bytes_out;
            values[FM_COUNT_BYTES_GET] += bytes_in;
        }
    }
    if (!usable(builder, window)) {
        return;
    }
    uint32_t communicator = builder->trace->windows[window].communicator;
    if (type <= FM_RMA_ATOMIC && communicator != FM_NONE) {
        fm_traffic_count(&builder->traffic, FM_TRAFFIC_PUTS + (type - FM_RMA_PUT), communicator,
                         peer, bytes_out + bytes_in);
    }
    builder->completions_matter |= opens_passive_use(builder, type);
    id = type == FM_RMA_LOCK_ACQUIRE ? builder->now : id;
    if (type == FM_RMA_SYNC && !is_in_flush(builder)) {
        return;
    }
    if (type <= FM_RMA_ATOMIC && builder->trace->in_detail) {
        fm_vector_push(&builder->location->operation_bytes, bytes_out + bytes_in);
    }
    if (builder->completions_matter || !is_completion(type)) {
        fm_vector_push(
            &builder->location->rma,
            (struct fm_rma){id, builder->current_activity, window, peer, (uint8_t)type, shared});
    }
}
