/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/view/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fm_selection fm_selection_all(void)
{
    return (struct fm_selection){
        .metric = FM_METRIC_NONE,
        .callpath = FM_CUBE_NONE,
        .rank = FM_CUBE_NONE,
        .thread = FM_CUBE_NONE,
    };
}

bool fm_metric_is_within(fm_metric_t metric, fm_metric_t ancestor)
{
    while (metric != FM_METRIC_NONE && metric != ancestor)
        metric = fm_metric_info(metric)->parent;
    return metric == ancestor;
}

static void add(int64_t *sum, int64_t value)
{
    if (__builtin_add_overflow(*sum, value, sum))
        *sum = value < 0 ? INT64_MIN : INT64_MAX;
}

fm_status_t fm_view_prepare(struct fm_view *view, const struct fm_cube *cube,
                            const struct fm_selection *selection, struct fm_error *error)
{
    *view = (struct fm_view){.cube = cube, .selection = *selection};
    view->callpaths = calloc(cube->callpath_count + (size_t)1, sizeof *view->callpaths);
    view->locations = calloc(cube->location_count + (size_t)1, sizeof *view->locations);
    if (view->callpaths == NULL || view->locations == NULL) {
        fm_view_release(view);
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for a view of the report");
    }
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        uint32_t parent = cube->callpaths[i].parent;
        bool inherited = parent != FM_CUBE_NONE && view->callpaths[parent];
        view->callpaths[i] = selection->callpath == FM_CUBE_NONE || selection->callpath == i ||
                             (inherited && !selection->callpath_exclusive);
    }
    for (uint32_t i = 0; i < cube->location_count; i++) {
        const struct fm_cube_location *location = &cube->locations[i];
        view->locations[i] =
            (selection->rank == FM_CUBE_NONE || selection->rank == location->rank) &&
            (selection->thread == FM_CUBE_NONE || selection->thread == location->thread);
    }
    for (unsigned i = 0; i < FM_METRIC_COUNT; i++) {
        fm_metric_t metric = (fm_metric_t)i;
        view->metrics[i] =
            selection->metric == FM_METRIC_NONE || selection->metric == metric ||
            (!selection->metric_exclusive && fm_metric_is_within(metric, selection->metric));
    }
    return FM_OK;
}

void fm_view_release(struct fm_view *view)
{
    free(view->callpaths);
    free(view->locations);
    view->callpaths = NULL;
    view->locations = NULL;
}

bool fm_view_contains(const struct fm_view *view, const struct fm_cube_cell *cell)
{
    return view->metrics[cell->metric] && view->callpaths[cell->callpath] &&
           view->locations[cell->location];
}

/** Adds a value to its parent's. Called from the last index to the first: parents precede
 * their children, so every sum is complete when it is passed on. */
static void make_inclusive(int64_t *values, uint32_t index, uint32_t parent)
{
    if (parent != FM_CUBE_NONE)
        add(&values[parent], values[index]);
}

void fm_view_metrics(const struct fm_view *view, int64_t *exclusive, int64_t *inclusive)
{
    int64_t sums[FM_METRIC_COUNT] = {0};
    const struct fm_cube *cube = view->cube;
    for (size_t i = 0; i < cube->cell_count; i++) {
        if (fm_view_contains(view, &cube->cells[i]))
            add(&sums[cube->cells[i].metric], cube->cells[i].value);
    }
    if (exclusive != NULL)
        memcpy(exclusive, sums, sizeof sums);
    if (inclusive == NULL)
        return;
    for (uint32_t i = FM_METRIC_COUNT; i-- > 0;) {
        fm_metric_t parent = fm_metric_info((fm_metric_t)i)->parent;
        make_inclusive(sums, i, parent == FM_METRIC_NONE ? FM_CUBE_NONE : (uint32_t)parent);
    }
    memcpy(inclusive, sums, sizeof sums);
}

void fm_view_callpaths(const struct fm_view *view, int64_t *exclusive, int64_t *inclusive)
{
    const struct fm_cube *cube = view->cube;
    int64_t *sums = exclusive != NULL ? exclusive : inclusive;
    memset(sums, 0, cube->callpath_count * sizeof *sums);
    for (size_t i = 0; i < cube->cell_count; i++) {
        if (fm_view_contains(view, &cube->cells[i]))
            add(&sums[cube->cells[i].callpath], cube->cells[i].value);
    }
    if (inclusive == NULL)
        return;
    if (inclusive != sums)
        memcpy(inclusive, sums, cube->callpath_count * sizeof *sums);
    for (uint32_t i = cube->callpath_count; i-- > 0;)
        make_inclusive(inclusive, i, cube->callpaths[i].parent);
}

void fm_view_locations(const struct fm_view *view, int64_t *values)
{
    const struct fm_cube *cube = view->cube;
    memset(values, 0, cube->location_count * sizeof *values);
    for (size_t i = 0; i < cube->cell_count; i++) {
        if (fm_view_contains(view, &cube->cells[i]))
            add(&values[cube->cells[i].location], cube->cells[i].value);
    }
}

int64_t fm_view_total(const struct fm_view *view)
{
    int64_t sum = 0;
    for (size_t i = 0; i < view->cube->cell_count; i++) {
        if (fm_view_contains(view, &view->cube->cells[i]))
            add(&sum, view->cube->cells[i].value);
    }
    return sum;
}

double fm_cube_scaled(const struct fm_cube *cube, fm_metric_t metric, int64_t value)
{
    double number = (double)value;
    switch (fm_metric_info(metric)->unit) {
    case FM_UNIT_COST:
        return ldexp(number, -(int)cube->experiment.cost_shift) /
               (double)cube->experiment.ticks_per_second;
    case FM_UNIT_TICKS:
        return number / (double)cube->experiment.ticks_per_second;
    default:
        return number;
    }
}
