/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/merge/merge_views.h"

#include <stdlib.h>

/** Marks the metric trees in which the cube has values and no previous cube had any. */
static void take_trees(const struct fm_cube *cube, bool *taken, bool *metrics)
{
    bool has[FM_METRIC_COUNT] = {false};
    for (size_t i = 0; i < cube->cell_count; i++)
        has[fm_metric_root((fm_metric_t)cube->cells[i].metric)] = true;
    for (unsigned m = 0; m < fm_metric_end(); m++) {
        fm_metric_t root = fm_metric_root((fm_metric_t)m);
        metrics[m] = has[root] && !taken[root];
    }
    for (unsigned m = 0; m < fm_metric_end(); m++)
        taken[m] = taken[m] || has[m];
}

static void map_instance(struct fm_cube_instance *instance, const struct fm_cube_union *united,
                         size_t c, const struct fm_conversion *conversion)
{
    const uint32_t *callpaths = united->callpaths[c], *locations = united->locations[c];
    instance->location = locations[instance->location];
    instance->callpath = callpaths[instance->callpath];
    instance->enter = fm_convert_ticks(instance->enter, conversion);
    instance->wait = fm_convert_ticks(instance->wait, conversion);
    if (instance->cause_location != FM_CUBE_NONE)
        instance->cause_location = locations[instance->cause_location];
    if (instance->cause_callpath != FM_CUBE_NONE)
        instance->cause_callpath = callpaths[instance->cause_callpath];
    struct fm_cube_blamed *blamed = &instance->blamed;
    blamed->location =
        blamed->location == FM_CUBE_NONE ? FM_CUBE_NONE : locations[blamed->location];
    blamed->callpath =
        blamed->callpath == FM_CUBE_NONE ? FM_CUBE_NONE : callpaths[blamed->callpath];
    blamed->ticks = fm_convert_ticks(blamed->ticks, conversion);
    for (uint32_t i = 0; i < instance->chain_length; i++) {
        struct fm_cube_cause *cause = &instance->chain[i];
        cause->location = locations[cause->location];
        cause->callpath = callpaths[cause->callpath];
        cause->ticks = fm_convert_ticks(cause->ticks, conversion);
    }
}

static fm_status_t add_statistics(const struct fm_cube *const *cubes, size_t c,
                                  struct fm_cube_union *united, const bool *metrics,
                                  const struct fm_conversion *conversion, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    for (uint32_t i = 0; i < cubes[c]->statistics_count && status == FM_OK; i++) {
        struct fm_cube_statistics record = cubes[c]->statistics[i];
        if (!metrics[record.metric])
            continue;
        uint64_t *const times[] = {&record.sum,
                                   &record.min,
                                   &record.lower_quartile,
                                   &record.median,
                                   &record.upper_quartile,
                                   &record.max,
                                   &record.error,
                                   &record.insignificant_sum};
        for (size_t t = 0; t < sizeof times / sizeof times[0]; t++)
            *times[t] = fm_convert_ticks(*times[t], conversion);
        for (uint32_t w = 0; w < record.worst_count; w++)
            map_instance(&record.worst[w], united, c, conversion);
        status = fm_cube_add_statistics(united->frame, &record, error);
    }
    return status;
}

static fm_status_t add_segments(const struct fm_cube *cube, struct fm_cube_union *united, size_t c,
                                const struct fm_conversion *conversion, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    for (uint32_t i = 0; i < cube->segment_count && status == FM_OK; i++) {
        struct fm_cube_segment segment = cube->segments[i];
        segment.location = united->locations[c][segment.location];
        segment.begin = fm_convert_ticks(segment.begin, conversion);
        segment.end = fm_convert_ticks(segment.end, conversion);
        status = fm_cube_add_segment(united->frame, &segment, error);
    }
    return status;
}

/** Adds by how much the times of the critical path may be wrong. */
static fm_status_t add_path_errors(const struct fm_cube *cube, struct fm_cube_union *united,
                                   size_t c, const struct fm_conversion *conversion,
                                   struct fm_error *error)
{
    struct fm_cube_path_errors errors = cube->path_errors;
    if (errors.of_callpath == NULL)
        return FM_OK;
    errors.of_callpath =
        calloc(united->frame->callpath_count + (size_t)1, sizeof *errors.of_callpath);
    if (errors.of_callpath == NULL)
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for the critical path");
    for (uint32_t i = 0; i < cube->callpath_count; i++)
        errors.of_callpath[united->callpaths[c][i]] +=
            fm_convert_ticks(cube->path_errors.of_callpath[i], conversion);
    const fm_status_t status = fm_cube_set_path_errors(united->frame, &errors, error);
    free(errors.of_callpath);
    return status;
}

static void convert_parties(struct fm_cube_lock_party *parties, uint32_t count,
                            const uint32_t *locations, const struct fm_conversion *conversion)
{
    for (uint32_t i = 0; i < count; i++) {
        parties[i].location = locations[parties[i].location];
        parties[i].held = fm_convert_ticks(parties[i].held, conversion);
        parties[i].caused = fm_convert_ticks(parties[i].caused, conversion);
        parties[i].waiting = fm_convert_ticks(parties[i].waiting, conversion);
        parties[i].caused_error = fm_convert_ticks(parties[i].caused_error, conversion);
        parties[i].waiting_error = fm_convert_ticks(parties[i].waiting_error, conversion);
    }
}

static void convert_places(struct fm_cube_lock_place *places, uint32_t count,
                           const uint32_t *callpaths, const struct fm_conversion *conversion)
{
    for (uint32_t i = 0; i < count; i++) {
        places[i].callpath = callpaths[places[i].callpath];
        places[i].waiting = fm_convert_ticks(places[i].waiting, conversion);
    }
}

static fm_status_t add_locks(const struct fm_cube *cube, struct fm_cube_union *united, size_t c,
                             const struct fm_conversion *conversion, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    for (uint32_t i = 0; i < cube->lock_count && status == FM_OK; i++) {
        struct fm_cube_lock lock = cube->locks[i];
        uint64_t queue[FM_CUBE_LOCK_BINS];
        lock.held = fm_convert_ticks(lock.held, conversion);
        lock.waiting = fm_convert_ticks(lock.waiting, conversion);
        lock.error = fm_convert_ticks(lock.error, conversion);
        lock.begin = fm_convert_ticks(lock.begin, conversion);
        lock.end = fm_convert_ticks(lock.end, conversion);
        convert_parties(lock.holders, lock.holder_count, united->locations[c], conversion);
        convert_parties(lock.victims, lock.victim_count, united->locations[c], conversion);
        convert_places(lock.held_in, lock.held_in_count, united->callpaths[c], conversion);
        convert_places(lock.waited_in, lock.waited_in_count, united->callpaths[c], conversion);
        for (uint32_t k = 0; k < lock.chain_count; k++)
            lock.chain[k] = united->locations[c][lock.chain[k]];
        for (uint32_t b = 0; b < lock.bin_count; b++)
            queue[b] = fm_convert_ticks(lock.queue[b], conversion);
        lock.queue = queue;
        status = fm_cube_add_lock(united->frame, &lock, error);
    }
    united->frame->left_out_locks = cube->left_out_locks;
    united->frame->left_out_locks_waiting =
        fm_convert_ticks(cube->left_out_locks_waiting, conversion);
    return status;
}

/** Times of the critical path and of locks are relative to the begin of the run that they come
 * from. */
static void describe_merged(struct fm_cube *result, const struct fm_cube *first,
                            const struct fm_conversion *conversion)
{
    const struct fm_cube_experiment *experiment = &first->experiment;
    result->experiment.begin = 0;
    result->experiment.end = fm_convert_ticks(experiment->end - experiment->begin, conversion);
    result->experiment.event_count = experiment->event_count;
    result->experiment.process_count = experiment->process_count;
}

fm_status_t fm_cube_merge(const struct fm_cube *const *cubes, const char *const *names,
                          size_t count, struct fm_cube **merged, struct fm_error *error)
{
    struct fm_combination combination;
    bool taken[FM_METRIC_COUNT] = {false}, metrics[FM_METRIC_COUNT];
    fm_status_t status = fm_combination_begin(&combination, cubes, names, count, error);
    struct fm_cube_union *united = &combination.united;
    for (size_t c = 0; c < count && status == FM_OK; c++) {
        const struct fm_conversion *conversion = &combination.conversions[c];
        const struct fm_cube *frame = united->frame;
        bool takes_phases = frame->phase_count == 0, takes_locks = frame->lock_count == 0;
        take_trees(cubes[c], taken, metrics);
        status = fm_combination_add(&combination, c, metrics, error);
        if (status == FM_OK)
            status = add_statistics(cubes, c, united, metrics, conversion, error);
        if (status == FM_OK && united->frame->segment_count == 0) {
            status = add_segments(cubes[c], united, c, conversion, error);
            if (status == FM_OK)
                status = add_path_errors(cubes[c], united, c, conversion, error);
        }
        if (status == FM_OK && takes_locks)
            status = add_locks(cubes[c], united, c, conversion, error);
        if (status == FM_OK)
            status = fm_merge_views(&combination, c, error);
        if (status == FM_OK && frame->problem_count == 0)
            status = fm_merge_problems(&combination, c, takes_phases, takes_locks, error);
    }
    if (status == FM_OK) {
        describe_merged(united->frame, cubes[0], &combination.conversions[0]);
        status = fm_cube_seal(united->frame, error);
    }
    return fm_combination_end(&combination, status, merged);
}
