/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/model/cube.h"

#include <stdlib.h>
#include <string.h>

static void free_phase(struct fm_cube_phase *phase)
{
    free(phase->rows);
    free(phase->kinds);
    free(phase->waiting);
    free(phase->errors);
}

void fm_cube_free_time(struct fm_cube *cube)
{
    for (uint32_t i = 0; i < cube->phase_count; i++)
        free_phase(&cube->phases[i]);
    free(cube->phases);
    free(cube->bins.cells);
    cube->phases = NULL;
    cube->phase_count = 0;
    cube->bins = (struct fm_cube_bins){0};
}

static bool is_wait_state(uint32_t metric)
{
    return metric < FM_METRIC_COUNT && fm_metric_info((fm_metric_t)metric)->is_wait_state;
}

static bool is_valid_phase(const struct fm_cube *cube, const struct fm_cube_phase *phase)
{
    if (phase->region >= cube->region_count || phase->row_count > FM_CUBE_ITERATIONS)
        return false;
    bool seen[FM_METRIC_COUNT] = {false};
    for (uint32_t i = 0; i < phase->kind_count; i++) {
        if (!is_wait_state(phase->kinds[i]) || seen[phase->kinds[i]])
            return false;
        seen[phase->kinds[i]] = true;
    }
    uint64_t next = 0;
    for (uint32_t i = 0; i < phase->row_count; i++) {
        const struct fm_cube_iteration *row = &phase->rows[i];
        if (row->first != next || row->count == 0 || row->count > UINT64_MAX - next ||
            row->end < row->begin || row->locations == 0 ||
            (row->slowest >= cube->location_count && row->slowest != FM_CUBE_NONE))
            return false;
        next += row->count;
    }
    return next == phase->iteration_count;
}

/** @return a copy of an array; NULL only if memory is exhausted. */
static void *copy_array(const void *array, size_t count, size_t size)
{
    void *copy = calloc(count + 1, size);
    if (copy != NULL && count > 0)
        memcpy(copy, array, count * size);
    return copy;
}

fm_status_t fm_cube_add_phase(struct fm_cube *cube, const struct fm_cube_phase *phase,
                              struct fm_error *error)
{
    if (!is_valid_phase(cube, phase))
        return fm_fail(error, FM_ERR_FAILED, "phase %u is malformed", cube->phase_count);
    struct fm_cube_phase *phases =
        reallocarray(cube->phases, cube->phase_count + (size_t)1, sizeof *phases);
    if (phases == NULL)
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for phases");
    cube->phases = phases;
    struct fm_cube_phase copy = *phase;
    copy.rows = copy_array(phase->rows, phase->row_count, sizeof *copy.rows);
    copy.kinds = copy_array(phase->kinds, phase->kind_count, sizeof *copy.kinds);
    copy.waiting = copy_array(phase->waiting, (size_t)phase->row_count * phase->kind_count,
                              sizeof *copy.waiting);
    copy.errors = phase->errors == NULL
                      ? NULL
                      : copy_array(phase->errors, (size_t)phase->row_count * phase->kind_count,
                                   sizeof *copy.errors);
    if (copy.rows == NULL || copy.kinds == NULL || copy.waiting == NULL ||
        (phase->errors != NULL && copy.errors == NULL)) {
        free_phase(&copy);
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for phases");
    }
    phases[cube->phase_count++] = copy;
    return FM_OK;
}

/** @return the sum, or the largest number if it exceeds 64 bits. */
static uint64_t sum_of(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void fm_cube_iteration_add(struct fm_cube_iteration *total, const struct fm_cube_iteration *row)
{
    total->count = sum_of(total->count, row->count);
    total->begin = row->begin < total->begin ? row->begin : total->begin;
    total->end = row->end > total->end ? row->end : total->end;
    total->duration = sum_of(total->duration, row->duration);
    total->time = sum_of(total->time, row->time);
    total->capacity = sum_of(total->capacity, row->capacity);
    total->computation = sum_of(total->computation, row->computation);
    total->longest_computation = sum_of(total->longest_computation, row->longest_computation);
    total->computation_capacity = sum_of(total->computation_capacity, row->computation_capacity);
    total->waiting = sum_of(total->waiting, row->waiting);
    total->error = sum_of(total->error, row->error);
    total->locations = row->locations > total->locations ? row->locations : total->locations;
    if (row->slowest != total->slowest)
        total->slowest = FM_CUBE_NONE;
}

/** Sums [row][kind] values over the rows; NULL: all are 0. @param sums  out; may be NULL */
static void add_up_kinds(const struct fm_cube_phase *phase, const uint64_t *values, uint64_t *sums)
{
    if (sums == NULL)
        return;
    memset(sums, 0, phase->kind_count * sizeof *sums);
    for (uint32_t i = 0; values != NULL && i < phase->row_count; i++) {
        for (uint32_t k = 0; k < phase->kind_count; k++)
            sums[k] = sum_of(sums[k], values[(size_t)i * phase->kind_count + k]);
    }
}

void fm_cube_phase_total(const struct fm_cube_phase *phase, struct fm_cube_iteration *total,
                         uint64_t *waiting, uint64_t *errors)
{
    *total = (struct fm_cube_iteration){.slowest = FM_CUBE_NONE};
    for (uint32_t i = 0; i < phase->row_count; i++) {
        if (i == 0)
            *total = phase->rows[0];
        else
            fm_cube_iteration_add(total, &phase->rows[i]);
    }
    add_up_kinds(phase, phase->waiting, waiting);
    add_up_kinds(phase, phase->errors, errors);
}

double fm_cube_iteration_imbalance(const struct fm_cube_iteration *iteration)
{
    return iteration->locations == 0
               ? 0
               : ((double)iteration->computation_capacity - (double)iteration->computation) /
                     (double)iteration->locations;
}

static bool are_valid_bins(const struct fm_cube *cube, const struct fm_cube_bins *bins)
{
    if (bins->bin_count == 0 || bins->bin_count > FM_CUBE_TIME_BINS || bins->locations_per_row == 0)
        return false;
    for (size_t i = 0; i < bins->cell_count; i++) {
        const struct fm_cube_bin *cell = &bins->cells[i];
        const struct fm_cube_bin *last = i > 0 ? cell - 1 : NULL;
        if (!is_wait_state(cell->metric) || cell->bin >= bins->bin_count || cell->ticks == 0 ||
            (uint64_t)cell->row * bins->locations_per_row >= cube->location_count)
            return false;
        if (last != NULL && (cell->metric != last->metric ? cell->metric < last->metric
                             : cell->row != last->row     ? cell->row < last->row
                                                          : cell->bin <= last->bin))
            return false;
    }
    return true;
}

fm_status_t fm_cube_set_bins(struct fm_cube *cube, const struct fm_cube_bins *bins,
                             struct fm_error *error)
{
    if (!are_valid_bins(cube, bins))
        return fm_fail(error, FM_ERR_FAILED, "the waiting by parts of the run is malformed");
    struct fm_cube_bins copy = *bins;
    copy.cells = copy_array(bins->cells, bins->cell_count, sizeof *copy.cells);
    if (copy.cells == NULL)
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for the waiting by parts of the run");
    free(cube->bins.cells);
    cube->bins = copy;
    return FM_OK;
}

uint64_t fm_cube_bin_edge(uint64_t run_time, uint32_t bin_count, uint32_t bin)
{
    /* floor(time * bin / count), without a product that exceeds 64 bits */
    return run_time / bin_count * bin + run_time % bin_count * bin / bin_count;
}
