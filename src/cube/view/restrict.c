/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/view/view.h"

#include <stdlib.h>

static fm_status_t copy_experiment(struct fm_cube *to, const struct fm_cube *from,
                                   struct fm_error *error)
{
    struct fm_cube_experiment *copy = &to->experiment;
    const struct fm_cube_experiment *original = &from->experiment;
    *copy = *original;
    copy->title = copy->command = copy->creator = copy->machine = NULL;
    fm_status_t status = fm_cube_set_text(&copy->title, original->title, error);
    if (status == FM_OK)
        status = fm_cube_set_text(&copy->command, original->command, error);
    if (status == FM_OK)
        status = fm_cube_set_text(&copy->creator, original->creator, error);
    if (status == FM_OK)
        status = fm_cube_set_text(&copy->machine, original->machine, error);
    return status;
}

/** Copies regions, locations and the selected call paths.
 * @param map  out: for each call path of `view->cube`, its index in `to`, or FM_CUBE_NONE */
static fm_status_t copy_definitions(struct fm_cube *to, const struct fm_view *view, uint32_t *map,
                                    struct fm_error *error)
{
    const struct fm_cube *from = view->cube;
    bool failed = false;
    for (uint32_t i = 0; i < from->site_count; i++) {
        failed |= fm_cube_add_site(to, from->sites[i].file, from->sites[i].line) == FM_CUBE_NONE;
    }
    for (uint32_t i = 0; i < from->region_count; i++) {
        const struct fm_cube_region *region = &from->regions[i];
        const uint32_t added =
            fm_cube_add_region(to, region->name, region->paradigm, region->file, region->line);
        failed |= added == FM_CUBE_NONE;
        if (added != FM_CUBE_NONE) {
            to->regions[added].is_estimated = region->is_estimated;
        }
    }
    for (uint32_t i = 0; i < from->location_count; i++) {
        const struct fm_cube_location *location = &from->locations[i];
        const uint32_t added = fm_cube_add_location(
            to, location->id, location->rank, location->thread, location->node, location->name);
        failed |= added == FM_CUBE_NONE;
        if (added != FM_CUBE_NONE) {
            to->locations[added].is_stream = location->is_stream;
            to->locations[added].last_partition = location->last_partition;
            to->locations[added].unexpected = location->unexpected;
            to->locations[added].world = location->world;
            to->locations[added].world_rank = location->world_rank;
        }
    }
    for (uint32_t i = 0; i < from->callpath_count; i++) {
        map[i] = FM_CUBE_NONE;
        if (!view->callpaths[i])
            continue;
        const struct fm_cube_callpath *callpath = &from->callpaths[i];
        uint32_t parent = i == view->selection.callpath ? FM_CUBE_NONE : map[callpath->parent];
        map[i] = fm_cube_add_callpath(to, parent, callpath->region);
        failed |= map[i] == FM_CUBE_NONE;
        if (map[i] != FM_CUBE_NONE)
            to->callpaths[map[i]].site = callpath->site;
    }
    return failed ? fm_fail(error, FM_ERR_SYSTEM, "out of memory for a part of the report") : FM_OK;
}

/** Counts the cells of a metric and its descendants in the subtree and outside it. */
static void count_cells(const struct fm_cube *cube, const uint32_t *map, fm_metric_t metric,
                        size_t *inside, size_t *outside)
{
    *inside = *outside = 0;
    for (unsigned i = 0; i < FM_METRIC_COUNT; i++) {
        if (!fm_metric_is_within((fm_metric_t)i, metric))
            continue;
        size_t count;
        const struct fm_cube_cell *cells = fm_cube_metric_cells(cube, (fm_metric_t)i, &count);
        for (size_t j = 0; j < count; j++)
            ++*(map[cells[j].callpath] != FM_CUBE_NONE ? inside : outside);
    }
}

/** Replaces the call paths of the worst instances by those of the new cube. */
static void map_instances(struct fm_cube_statistics *record, const uint32_t *map)
{
    for (uint32_t i = 0; i < record->worst_count; i++) {
        struct fm_cube_instance *instance = &record->worst[i];
        instance->callpath = map[instance->callpath];
        if (instance->cause_callpath != FM_CUBE_NONE)
            instance->cause_callpath = map[instance->cause_callpath];
        if (instance->blamed.callpath != FM_CUBE_NONE) {
            instance->blamed.callpath = map[instance->blamed.callpath];
            if (instance->blamed.callpath == FM_CUBE_NONE) /* outside of the subtree */
                instance->blamed = (struct fm_cube_blamed){FM_CUBE_NONE, FM_CUBE_NONE, 0};
        }
        /* A chain ends where it leaves the subtree. */
        for (uint32_t j = 0; j < instance->chain_length; j++) {
            instance->chain[j].callpath = map[instance->chain[j].callpath];
            if (instance->chain[j].callpath == FM_CUBE_NONE)
                instance->chain_length = j;
        }
        /* Only in a damaged report: a wait state on a call path where its metric has no value. */
        if (instance->callpath == FM_CUBE_NONE)
            record->worst_count = i;
    }
}

/** Copies the statistics of metrics that have no value outside the subtree. */
static fm_status_t copy_statistics(struct fm_cube *to, const struct fm_cube *from,
                                   const uint32_t *map, struct fm_error *error)
{
    for (uint32_t i = 0; i < from->statistics_count; i++) {
        struct fm_cube_statistics record = from->statistics[i];
        size_t inside;
        size_t outside;
        count_cells(from, map, (fm_metric_t)record.metric, &inside, &outside);
        fm_status_t status = FM_OK;
        if (inside > 0 && outside == 0) {
            map_instances(&record, map);
            status = fm_cube_add_statistics(to, &record, error);
        } else if (inside > 0) {
            status = fm_cube_warn(to, error,
                                  "The distribution of %s covers the whole run and is not shown "
                                  "for a part of it.",
                                  fm_metric_info((fm_metric_t)record.metric)->name);
        }
        if (status != FM_OK)
            return status;
    }
    return FM_OK;
}

/** Copies the errors of the subtree's time on the critical path. Its switches are those of the run.
 */
static fm_status_t copy_path_errors(struct fm_cube *to, const struct fm_cube *from,
                                    const uint32_t *map, struct fm_error *error)
{
    if (from->path_errors.of_callpath == NULL)
        return FM_OK;
    struct fm_cube_path_errors errors = from->path_errors;
    errors.of_callpath = calloc(to->callpath_count + (size_t)1, sizeof *errors.of_callpath);
    if (errors.of_callpath == NULL)
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for a part of the report");
    for (uint32_t i = 0; i < from->callpath_count; i++) {
        if (map[i] != FM_CUBE_NONE)
            errors.of_callpath[map[i]] = from->path_errors.of_callpath[i];
    }
    const fm_status_t status = fm_cube_set_path_errors(to, &errors, error);
    free(errors.of_callpath);
    return status;
}

static bool has_links(const struct fm_cube *cube)
{
    for (int kind = 0; kind < FM_MATRIX_COUNT; kind++) {
        if (cube->matrices[kind].link_count > 0)
            return true;
    }
    return false;
}

static fm_status_t copy_topologies(struct fm_cube *to, const struct fm_cube *from,
                                   struct fm_error *error)
{
    fm_status_t status = FM_OK;
    for (uint32_t i = 0; i < from->topology_count && status == FM_OK; i++)
        status = fm_cube_add_topology(to, &from->topologies[i], error);
    return status;
}

/** Copies the problems whose cause lies in the subtree. */
static fm_status_t copy_problems(struct fm_cube *to, const struct fm_cube *from,
                                 const uint32_t *map, struct fm_error *error)
{
    const struct fm_cube_problem_map new_indices = {.callpaths = map};
    bool is_complete = true;
    for (uint32_t i = 0; i < from->problem_count; i++) {
        bool is_kept = false;
        if (from->problems[i].callpath != FM_CUBE_NONE) {
            fm_status_t status =
                fm_cube_copy_problem(to, &from->problems[i], &new_indices, &is_kept, error);
            if (status != FM_OK) {
                return status;
            }
        }
        is_complete &= is_kept;
    }
    return is_complete ? FM_OK
                       : fm_cube_warn(to, error,
                                      "Problems whose cause lies outside of this part of the run "
                                      "are not shown, although their waiting may lie inside.");
}

fm_status_t fm_cube_restrict(const struct fm_cube *cube, uint32_t root, struct fm_cube **restricted,
                             struct fm_error *error)
{
    struct fm_view view;
    struct fm_selection selection = fm_selection_all();
    selection.callpath = root;
    fm_status_t status = fm_view_prepare(&view, cube, &selection, error);
    if (status != FM_OK)
        return status;
    struct fm_cube *copy = fm_cube_create();
    uint32_t *map = calloc(cube->callpath_count + (size_t)1, sizeof *map);
    if (copy == NULL || map == NULL)
        status = fm_fail(error, FM_ERR_SYSTEM, "out of memory for a part of the report");
    if (status == FM_OK)
        status = copy_experiment(copy, cube, error);
    if (status == FM_OK)
        status = copy_definitions(copy, &view, map, error);
    for (size_t i = 0; status == FM_OK && i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        if (fm_view_contains(&view, cell))
            status = fm_cube_add(copy, (fm_metric_t)cell->metric, map[cell->callpath],
                                 cell->location, cell->value, error);
    }
    if (status == FM_OK)
        status = copy_statistics(copy, cube, map, error);
    if (status == FM_OK) {
        copy->path_from_init_to_finalize = cube->path_from_init_to_finalize;
        copy->is_profile = cube->is_profile;
        copy->clock = cube->clock;
        copy->errors = cube->errors;
    }
    if (status == FM_OK)
        status = copy_path_errors(copy, cube, map, error);
    for (uint32_t i = 0; status == FM_OK && i < cube->switched_off_count; i++)
        fm_cube_switch_off(copy, cube->switched_off[i]);
    if (status == FM_OK && cube->partition_count > 0)
        status = fm_cube_set_partitions(copy, cube->partition_names, cube->partition_count,
                                        cube->partition_of, error);
    if (status == FM_OK)
        status = copy_topologies(copy, cube, error);
    if (status == FM_OK && cube->lock_count > 0)
        status = fm_cube_warn(copy, error,
                              "The queues of the locks cover the whole run and are not shown for a "
                              "part of it.");
    if (status == FM_OK && (cube->phase_count > 0 || has_links(cube)))
        status = fm_cube_warn(copy, error,
                              "Phases and matrices cover the whole run and are not shown for a "
                              "part of it.");
    if (status == FM_OK)
        status = copy_problems(copy, cube, map, error);
    for (uint32_t i = 0; status == FM_OK && i < cube->warning_count; i++)
        status = fm_cube_warn(copy, error, "%s", cube->warnings[i]);
    if (status == FM_OK)
        status = fm_cube_seal(copy, error);
    free(map);
    fm_view_release(&view);
    if (status != FM_OK) {
        fm_cube_free(copy);
        return status;
    }
    *restricted = copy;
    return FM_OK;
}
