/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/merge/merge_views.h"

#include <stdlib.h>
#include <string.h>

/** @return the frame's region for a region of the cube; FM_CUBE_NONE if it occurs in no call path
 */
static uint32_t map_region(const struct fm_cube *cube, const struct fm_cube_union *united, size_t c,
                           uint32_t region)
{
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        if (cube->callpaths[i].region == region)
            return united->frame->callpaths[united->callpaths[c][i]].region;
    }
    return FM_CUBE_NONE;
}

static void convert_row(struct fm_cube_iteration *row, const struct fm_conversion *conversion,
                        const uint32_t *locations)
{
    uint64_t *const times[] = {&row->begin,
                               &row->end,
                               &row->duration,
                               &row->time,
                               &row->capacity,
                               &row->computation,
                               &row->longest_computation,
                               &row->computation_capacity,
                               &row->waiting,
                               &row->error};
    for (size_t t = 0; t < sizeof times / sizeof times[0]; t++)
        *times[t] = fm_convert_ticks(*times[t], conversion);
    if (row->slowest != FM_CUBE_NONE)
        row->slowest = locations[row->slowest];
}

static fm_status_t add_phase(const struct fm_combination *combination, size_t c,
                             const struct fm_cube_phase *phase, struct fm_error *error)
{
    const struct fm_cube_union *united = &combination->united;
    const struct fm_conversion *conversion = &combination->conversions[c];
    size_t values = (size_t)phase->row_count * phase->kind_count;
    struct fm_cube_phase copy = *phase;
    copy.region = map_region(combination->cubes[c], united, c, phase->region);
    copy.rows = calloc(phase->row_count + (size_t)1, sizeof *copy.rows);
    copy.waiting = calloc(values + 1, sizeof *copy.waiting);
    copy.errors = calloc(values + 1, sizeof *copy.errors);
    fm_status_t status = copy.rows != NULL && copy.waiting != NULL && copy.errors != NULL
                             ? FM_OK
                             : fm_fail(error, FM_ERR_SYSTEM, "out of memory for phases");
    for (uint32_t i = 0; i < phase->row_count && status == FM_OK; i++) {
        copy.rows[i] = phase->rows[i];
        convert_row(&copy.rows[i], conversion, united->locations[c]);
    }
    for (size_t i = 0; i < values && status == FM_OK; i++) {
        copy.waiting[i] = fm_convert_ticks(phase->waiting[i], conversion);
        if (phase->errors != NULL)
            copy.errors[i] = fm_convert_ticks(phase->errors[i], conversion);
    }
    if (status == FM_OK && copy.region != FM_CUBE_NONE)
        status = fm_cube_add_phase(united->frame, &copy, error);
    free(copy.rows);
    free(copy.waiting);
    free(copy.errors);
    return status;
}

/** @return whether cube and frame have the same locations with the same indices */
static bool has_same_locations(const struct fm_cube *cube, const struct fm_cube_union *united,
                               size_t c)
{
    for (uint32_t l = 0; l < cube->location_count; l++) {
        if (united->locations[c][l] != l)
            return false;
    }
    return cube->location_count == united->frame->location_count;
}

static fm_status_t add_bins(const struct fm_combination *combination, size_t c,
                            struct fm_error *error)
{
    const struct fm_cube *cube = combination->cubes[c];
    struct fm_cube_bins copy = cube->bins;
    if (copy.bin_count == 0 || !has_same_locations(cube, &combination->united, c))
        return FM_OK;
    copy.cells = calloc(copy.cell_count + 1, sizeof *copy.cells);
    if (copy.cells == NULL)
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for the waiting by parts of the run");
    for (size_t i = 0; i < copy.cell_count; i++) {
        copy.cells[i] = cube->bins.cells[i];
        copy.cells[i].ticks = fm_convert_ticks(copy.cells[i].ticks, &combination->conversions[c]);
    }
    fm_status_t status = fm_cube_set_bins(combination->united.frame, &copy, error);
    free(copy.cells);
    return status;
}

static int compare_links(const void *left, const void *right)
{
    const struct fm_cube_link *a = left;
    const struct fm_cube_link *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->metric > b->metric) - (a->metric < b->metric);
}

static fm_status_t add_matrix(const struct fm_combination *combination, size_t c,
                              enum fm_cube_matrix_kind kind, struct fm_error *error)
{
    const uint32_t *locations = combination->united.locations[c];
    const struct fm_conversion *conversion = &combination->conversions[c];
    struct fm_cube_matrix copy = combination->cubes[c]->matrices[kind];
    const struct fm_cube_link *links = copy.links;
    copy.links = calloc(copy.link_count + 1, sizeof *copy.links);
    if (copy.links == NULL)
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for matrices");
    for (size_t i = 0; i < copy.link_count; i++) {
        copy.links[i] = links[i];
        copy.links[i].from = locations[links[i].from];
        copy.links[i].to = locations[links[i].to];
        if (fm_cube_matrix_is_time(kind))
            copy.links[i].amount = fm_convert_ticks(links[i].amount, conversion);
        copy.links[i].error = fm_convert_ticks(links[i].error, conversion);
    }
    if (fm_cube_matrix_is_time(kind))
        copy.omitted_amount = fm_convert_ticks(copy.omitted_amount, conversion);
    if (copy.link_count > 1)
        qsort(copy.links, copy.link_count, sizeof *copy.links, compare_links);
    fm_status_t status = fm_cube_set_matrix(combination->united.frame, kind, &copy, error);
    free(copy.links);
    return status;
}

/* Of several runs: the worst clock. */
static void add_clock(struct fm_cube_clock *all, const struct fm_cube_clock *one, bool is_first)
{
    all->mode = is_first || all->mode < one->mode ? one->mode : all->mode;
    all->is_estimated |= one->is_estimated;
    all->error = one->error > all->error ? one->error : all->error;
    all->unbounded = one->unbounded > all->unbounded ? one->unbounded : all->unbounded;
    all->violations_before += one->violations_before;
    all->violations_after += one->violations_after;
}

static void add_errors(struct fm_cube_errors *all, const struct fm_cube_errors *one, bool is_first)
{
    all->are_known = (is_first || all->are_known) && one->are_known;
    all->call = one->call > all->call ? one->call : all->call;
    all->clock = one->clock > all->clock ? one->clock : all->clock;
    all->computation = one->computation > all->computation ? one->computation : all->computation;
    all->longest_computation = one->longest_computation > all->longest_computation
                                   ? one->longest_computation
                                   : all->longest_computation;
}

/* What is known of the messages of locations is that of the first report that has it. */
static void add_messages(struct fm_cube *frame, const struct fm_cube *cube,
                         const uint32_t *locations)
{
    for (uint32_t l = 0; l < cube->location_count; l++) {
        struct fm_cube_location *location = &frame->locations[locations[l]];
        if (location->last_partition.messages == 0) {
            location->last_partition = cube->locations[l].last_partition;
        }
        if (location->unexpected.messages == 0) {
            location->unexpected = cube->locations[l].unexpected;
        }
    }
}

static fm_status_t add_options(const struct fm_combination *combination, size_t c,
                               struct fm_error *error)
{
    const struct fm_cube *cube = combination->cubes[c];
    struct fm_cube *frame = combination->united.frame;
    frame->path_from_init_to_finalize |= cube->path_from_init_to_finalize;
    add_clock(&frame->clock, &cube->clock, c == 0);
    add_errors(&frame->errors, &cube->errors, c == 0);
    add_messages(frame, cube, combination->united.locations[c]);
    if (cube->partition_count == 0 || frame->partition_count > 0)
        return FM_OK;
    uint32_t *of_location = calloc(frame->location_count + (size_t)1, sizeof *of_location);
    if (of_location == NULL)
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for partitions");
    memset(of_location, 0xff, frame->location_count * sizeof *of_location);
    for (uint32_t l = 0; l < cube->location_count; l++)
        of_location[combination->united.locations[c][l]] = cube->partition_of[l];
    fm_status_t status = fm_cube_set_partitions(frame, cube->partition_names, cube->partition_count,
                                                of_location, error);
    free(of_location);
    return status;
}

fm_status_t fm_merge_views(struct fm_combination *combination, size_t c, struct fm_error *error)
{
    const struct fm_cube *cube = combination->cubes[c];
    const struct fm_cube *frame = combination->united.frame;
    fm_status_t status = FM_OK;
    bool has_phases = frame->phase_count > 0;
    for (uint32_t i = 0; i < cube->phase_count && !has_phases && status == FM_OK; i++)
        status = add_phase(combination, c, &cube->phases[i], error);
    if (status == FM_OK && frame->bins.bin_count == 0)
        status = add_bins(combination, c, error);
    for (int kind = 0; kind < FM_MATRIX_COUNT && status == FM_OK; kind++) {
        if (frame->matrices[kind].link_count == 0)
            status = add_matrix(combination, c, (enum fm_cube_matrix_kind)kind, error);
    }
    return status == FM_OK ? add_options(combination, c, error) : status;
}
