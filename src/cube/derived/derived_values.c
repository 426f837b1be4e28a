/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/derived/derived_values.h"

#include <stdlib.h>

/** Sums of the operands: [operand][call path], [operand][location], [operand]. */
struct operands {
    double *callpaths, *locations;
    double totals[FM_EXPRESSION_STEPS];
};

/** Fills the sums of one operand. @param scratch  space for all call paths or all locations */
static fm_status_t sum_operand(const struct fm_cube *cube, const struct fm_selection *selection,
                               fm_metric_t metric, uint32_t number, int64_t *scratch,
                               struct operands *operands, struct fm_error *error)
{
    struct fm_selection own = *selection;
    struct fm_view view;
    own.metric = metric;
    own.metric_exclusive = false;
    fm_status_t status = fm_view_prepare(&view, cube, &own, error);
    if (status != FM_OK)
        return status;
    operands->totals[number] = fm_cube_scaled(cube, metric, fm_view_total(&view));
    fm_view_callpaths(&view, NULL, scratch);
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        operands->callpaths[(size_t)number * cube->callpath_count + i] =
            view.callpaths[i] ? fm_cube_scaled(cube, metric, scratch[i]) : 0;
    }
    fm_view_locations(&view, scratch);
    for (uint32_t i = 0; i < cube->location_count; i++) {
        operands->locations[(size_t)number * cube->location_count + i] =
            fm_cube_scaled(cube, metric, scratch[i]);
    }
    fm_view_release(&view);
    return FM_OK;
}

/** Evaluates the expression for each element. @param sums  [operand][element] */
static void evaluate(const struct fm_expression *expression, const double *sums, uint32_t count,
                     double *values)
{
    double own[FM_EXPRESSION_STEPS];
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t o = 0; o < expression->metric_count; o++)
            own[o] = sums[(size_t)o * count + i];
        values[i] = fm_expression_value(expression, own);
    }
}

fm_status_t fm_derived_values_make(const struct fm_cube *cube, const struct fm_selection *selection,
                                   const struct fm_expression *expression,
                                   struct fm_derived_values *values, struct fm_error *error)
{
    size_t callpaths = cube->callpath_count + (size_t)1;
    size_t locations = cube->location_count + (size_t)1;
    size_t count = expression->metric_count + (size_t)1;
    struct fm_derived_values made = {0, calloc(callpaths, sizeof(double)),
                                     calloc(locations, sizeof(double))};
    struct operands operands = {.callpaths = calloc(count * callpaths, sizeof(double)),
                                .locations = calloc(count * locations, sizeof(double))};
    int64_t *scratch = calloc(callpaths > locations ? callpaths : locations, sizeof *scratch);
    fm_status_t status = made.callpaths == NULL || made.locations == NULL ||
                                 operands.callpaths == NULL || operands.locations == NULL ||
                                 scratch == NULL
                             ? fm_fail(error, FM_ERR_SYSTEM, "out of memory for a derived metric")
                             : FM_OK;
    for (uint32_t o = 0; o < expression->metric_count && status == FM_OK; o++) {
        status = sum_operand(cube, selection, expression->metrics[o], o, scratch, &operands, error);
    }
    if (status == FM_OK) {
        made.total = fm_expression_value(expression, operands.totals);
        evaluate(expression, operands.callpaths, cube->callpath_count, made.callpaths);
        evaluate(expression, operands.locations, cube->location_count, made.locations);
        *values = made;
    } else {
        fm_derived_values_free(&made);
    }
    free(operands.callpaths);
    free(operands.locations);
    free(scratch);
    return status;
}

void fm_derived_values_free(struct fm_derived_values *values)
{
    free(values->callpaths);
    free(values->locations);
    *values = (struct fm_derived_values){0};
}
