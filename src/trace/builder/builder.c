/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/builder/builder_internal.h"

#include "base/containers/sort.h"

void fm_builder_open(struct fm_builder *builder, struct fm_trace *trace,
                     struct fm_trace_defects *defects)
{
    *builder = (struct fm_builder){
        .trace = trace, .defects = defects, .is_sampled = trace->is_sampled, .site = FM_NONE};
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
    fm_vector_free(&builder->forks);
    fm_vector_free(&builder->silent_starts);
    fm_vector_free(&builder->completed);
    fm_vector_free(&builder->open_forks);
    fm_vector_free(&builder->fork_calls);
    fm_map_free(&builder->first_fork);
    fm_map_free(&builder->last_fork);
    fm_map_free(&builder->next_fork);
    fm_map_free(&builder->visits);
    fm_map_free(&builder->growth);
    fm_polling_free(&builder->polling);
    fm_vector_free(&builder->awaited);
    fm_free(builder->last_values);
    fm_stretches_free(&builder->stretches);
    fm_vector_free(&builder->amounts);
    fm_requests_free(&builder->requests);
    fm_vector_free(&builder->accesses);
    fm_map_free(&builder->access_by_id);
    fm_traffic_free(&builder->traffic);
}

/* The state at the begin of a location, when its events are read first and when they are read
 * again. */
static void reset(struct fm_builder *builder)
{
    ++builder->generation;
    builder->now = 0;
    builder->cursors = (struct fm_time_cursors){{0}};
    builder->computed = 0;
    builder->stretch = 0;
    builder->reading = 0;
    builder->has_kernel_activity = false;
    builder->is_copying = false;
    builder->current_activity = FM_NONE;
    builder->is_paused = false;
    builder->frames.count = 0;
    builder->has_program = false;
    builder->base = FM_NONE;
    builder->last_left = FM_NONE;
    builder->forked_at = UINT64_MAX;
    builder->open_forks.count = 0;
    fm_builder_forget_forks(builder, builder->forks_before);
    fm_map_clear(&builder->next_fork);
    /* Locks with MPI_MODE_NOCHECK leave no record; another thread may have used requests earlier.
     */
    builder->completions_matter =
        builder->trace->has_passive_target ||
        builder->trace->processes[builder->location->process].location_count > 1;
    fm_builder_reset_computation(builder);
    fm_polling_begin(&builder->polling);
    builder->awaited.count = 0;
    builder->is_ending = false;
    builder->merged.activity = FM_NONE;
    builder->completing = builder->creating = FM_NONE;
    builder->accesses.count = 0;
    fm_map_clear(&builder->access_by_id);
    fm_map_clear(&builder->visits);
    fm_map_clear(&builder->location_values);
    fm_map_clear(&builder->value_counts);
    fm_map_clear(&builder->growth);
    for (uint32_t i = 0; i < builder->trace->counter_count && builder->last_values != NULL; i++) {
        builder->last_values[i] = 0;
    }
}

void fm_builder_begin_location(struct fm_builder *builder, uint32_t location)
{
    builder->location = &builder->trace->locations[location];
    builder->location_index = location;
    fm_requests_open_location(&builder->requests, location);
    builder->defects_before = *builder->defects;
    builder->left_open_before = builder->requests.left_open.count;
    builder->foreign_before = builder->requests.foreign.count;
    builder->forks_before = builder->forks.count;
    builder->silent_starts_before = builder->silent_starts.count;
    builder->next_silent_start_before = builder->next_silent_start;
    reset(builder);
    fm_tables_reserve(builder->location, &builder->sizes);
}

void fm_builder_restart_location(struct fm_builder *builder)
{
    *builder->defects = builder->defects_before;
    fm_requests_reopen_location(&builder->requests, builder->left_open_before,
                                builder->foreign_before);
    builder->silent_starts.count = builder->silent_starts_before;
    builder->next_silent_start = builder->next_silent_start_before;
    fm_traffic_clear(&builder->traffic);
    fm_tables_clear(builder->location);
    fm_counters_free(&builder->location->counters);
    builder->location->event_count = builder->location->paused = 0;
    builder->location->begin = UINT64_MAX;
    reset(builder);
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
    location->end = location->last_event = builder->now;
    builder->is_ending = true;
    fm_builder_account_pause(builder);
    builder->defects->pauses += location->pauses.count;
    builder->defects->paused += location->paused;
    fm_builder_leave_all(builder);
    fm_polling_end(builder);
    fm_builder_end_last_computation(builder);
    fm_builder_compose(builder);
    fm_sort(location->nested.items, location->nested.count, sizeof *location->nested.items,
            compare_nested);
    fm_sort(location->matched.items, location->matched.count, sizeof *location->matched.items,
            compare_matched);
    fm_requests_close_location(&builder->requests);
    fm_traffic_finish(&builder->traffic, builder->trace, location);
    fm_tables_trim(location, &builder->sizes);
    fm_counters_finish(&location->counters, builder->trace->counters, location->end);
}
