/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/derived/parameter_table.h"

#include <stdlib.h>

/** Adds up one metric (FM_METRIC_NONE: all wait states) for each group. */
static fm_status_t sum(const struct fm_parameter_table *table, const struct fm_cube *cube,
                       const struct fm_selection *selection, fm_metric_t metric, int64_t *sums,
                       struct fm_error *error)
{
    struct fm_selection own = *selection;
    struct fm_view view;
    own.metric = metric;
    own.metric_exclusive = false;
    fm_status_t status = fm_view_prepare(&view, cube, &own, error);
    if (status == FM_OK) {
        fm_parameter_groups_sum(&table->groups, &view, sums);
        fm_view_release(&view);
    }
    return status;
}

/** Evaluates a definition for each group. @param sums  space for a value of each group */
static fm_status_t derive(struct fm_parameter_table *table, const struct fm_cube *cube,
                          const struct fm_selection *selection,
                          const struct fm_expression *expression, uint32_t number, int64_t *sums,
                          struct fm_error *error)
{
    uint32_t groups = table->groups.count + 1, operands = expression->metric_count;
    double *values = calloc((size_t)groups * operands + 1, sizeof *values);
    fm_status_t status =
        values == NULL ? fm_fail(error, FM_ERR_SYSTEM, "out of memory for parameters") : FM_OK;
    for (uint32_t o = 0; o < operands && status == FM_OK; o++) {
        fm_metric_t metric = expression->metrics[o];
        status = sum(table, cube, selection, metric, sums, error);
        for (uint32_t g = 0; g < groups && status == FM_OK; g++)
            values[(size_t)g * operands + o] = fm_cube_scaled(cube, metric, sums[g]);
    }
    for (uint32_t g = 0; g < groups && status == FM_OK; g++) {
        table->derived[(size_t)g * table->definitions + number] =
            fm_expression_value(expression, &values[(size_t)g * operands]);
    }
    free(values);
    return status;
}

fm_status_t fm_parameter_table_make(const struct fm_cube *cube,
                                    const struct fm_selection *selection, const char *name,
                                    const struct fm_expression *const *definitions, uint32_t count,
                                    struct fm_parameter_table *table, struct fm_error *error)
{
    struct fm_parameter_table made = {.definitions = count};
    fm_status_t status = fm_parameter_groups_make(cube, name, &made.groups, error);
    if (status != FM_OK)
        return status;
    size_t groups = made.groups.count + (size_t)1;
    int64_t *sums = calloc(groups, sizeof *sums);
    made.time = calloc(groups, sizeof *made.time);
    made.waiting = calloc(groups, sizeof *made.waiting);
    made.derived = calloc(groups * (count + (size_t)1), sizeof *made.derived);
    if (sums == NULL || made.time == NULL || made.waiting == NULL || made.derived == NULL)
        status = fm_fail(error, FM_ERR_SYSTEM, "out of memory for parameters");
    if (status == FM_OK)
        status = sum(&made, cube, selection, FM_METRIC_TIME, made.time, error);
    if (status == FM_OK)
        status = sum(&made, cube, selection, FM_METRIC_NONE, made.waiting, error);
    for (uint32_t i = 0; i < count && status == FM_OK; i++)
        status = derive(&made, cube, selection, definitions[i], i, sums, error);
    free(sums);
    if (status == FM_OK) {
        made.rows = made.groups.count + (made.time[made.groups.count] != 0);
        *table = made;
    } else {
        fm_parameter_table_free(&made);
    }
    return status;
}

const char *fm_parameter_table_value(const struct fm_parameter_table *table, uint32_t row)
{
    return row < table->groups.count ? table->groups.values[row] : "(none)";
}

void fm_parameter_table_free(struct fm_parameter_table *table)
{
    fm_parameter_groups_free(&table->groups);
    free(table->time);
    free(table->waiting);
    free(table->derived);
    *table = (struct fm_parameter_table){0};
}
