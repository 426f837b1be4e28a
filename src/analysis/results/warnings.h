/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Warnings of the report about missing and ignored data.
 */
#ifndef FERMATA_ANALYSIS_RESULTS_WARNINGS_H
#define FERMATA_ANALYSIS_RESULTS_WARNINGS_H

#include "analysis/model/run.h"

#include "cube/model/cube.h"

/** Adds a sentence to the cube for each kind of defect of the trace and each kind of omission. */
fm_status_t fm_warnings_add(const struct fm_analysis *analysis, struct fm_cube *cube,
                            struct fm_error *error);

#endif
