/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What a report shows of the values of a parameter: time, waiting and derived metrics of each
 * value.
 */
#ifndef FERMATA_CUBE_DERIVED_PARAMETER_TABLE_H
#define FERMATA_CUBE_DERIVED_PARAMETER_TABLE_H

#include "cube/derived/expression.h"
#include "cube/derived/parameter_groups.h"

struct fm_parameter_table {
    struct fm_parameter_groups groups;
    int64_t *time;    /**< [group], and at groups.count that of call paths without a value: ticks */
    int64_t *waiting; /**< likewise: waiting within `time`, ticks */
    double *derived;  /**< [group * definitions + definition], likewise */
    uint32_t rows;    /**< groups.count, plus 1 if there is time without a value */
    uint32_t definitions;
};

/** Adds the selected cells up. The metric of the selection is ignored.
 * @param table  out: to be freed with fm_parameter_table_free(); set only on success
 * @return FM_ERR_USAGE: there is no such parameter */
fm_status_t fm_parameter_table_make(const struct fm_cube *cube,
                                    const struct fm_selection *selection, const char *name,
                                    const struct fm_expression *const *definitions, uint32_t count,
                                    struct fm_parameter_table *table, struct fm_error *error);

/** @return the value of a row, "(none)" for the time without one. */
const char *fm_parameter_table_value(const struct fm_parameter_table *table, uint32_t row);

void fm_parameter_table_free(struct fm_parameter_table *table);

#endif
