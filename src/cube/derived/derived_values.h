/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The values of a derived metric (expression.h) for a report: of the whole selection, of each call
 * path and of each location.
 */
#ifndef FERMATA_CUBE_DERIVED_DERIVED_VALUES_H
#define FERMATA_CUBE_DERIVED_DERIVED_VALUES_H

#include "cube/derived/expression.h"
#include "cube/view/view.h"

struct fm_derived_values {
    double total;      /**< of all that is selected */
    double *callpaths; /**< [call path]: of it and what it calls, over the selected locations; 0
                          outside of the selection */
    double *locations; /**< [location]: over the selected call paths; 0 outside of the selection */
};

/** Evaluates the expression with sums of the selected cells. The metric of the selection is
 * ignored.
 * @param values  out: to be freed with fm_derived_values_free(); set only on success */
fm_status_t fm_derived_values_make(const struct fm_cube *cube, const struct fm_selection *selection,
                                   const struct fm_expression *expression,
                                   struct fm_derived_values *values, struct fm_error *error);

void fm_derived_values_free(struct fm_derived_values *values);

#endif
