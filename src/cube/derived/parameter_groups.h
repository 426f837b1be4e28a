/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Call paths grouped by the values of a parameter that the program sets (fermata/fermata.h):
 * "level=3" wherever it occurs in the call tree, with all that is called meanwhile.
 */
#ifndef FERMATA_CUBE_DERIVED_PARAMETER_GROUPS_H
#define FERMATA_CUBE_DERIVED_PARAMETER_GROUPS_H

#include "cube/view/view.h"

struct fm_parameter_groups {
    uint32_t count;
    char **values; /**< [group]: ascending numbers, then texts, then "(others)" */
    uint32_t *of;  /**< [call path]: its group, of the innermost value; `count`: it has no value */
};

/** Groups the call paths of a report.
 * @param groups  out: to be freed with fm_parameter_groups_free(); set only on success
 * @return FM_ERR_USAGE: the report has no values of this parameter; the message names the
 * parameters that it has */
fm_status_t fm_parameter_groups_make(const struct fm_cube *cube, const char *name,
                                     struct fm_parameter_groups *groups, struct fm_error *error);

void fm_parameter_groups_free(struct fm_parameter_groups *groups);

/** Adds up the selected cells of each group.
 * @param view  its metric: FM_METRIC_NONE: all wait states within time
 * @param sums  out: groups->count + 1 values; the last one is that of call paths without a value */
void fm_parameter_groups_sum(const struct fm_parameter_groups *groups, const struct fm_view *view,
                             int64_t *sums);

#endif
