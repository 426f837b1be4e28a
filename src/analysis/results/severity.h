/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Fills the severity cube from the tables and findings of the analysis. */
#ifndef FERMATA_ANALYSIS_RESULTS_SEVERITY_H
#define FERMATA_ANALYSIS_RESULTS_SEVERITY_H

#include "analysis/model/run.h"
#include "cube/model/cube.h"

/** Fills the dimensions of the cube from the trace: regions, call paths, locations. */
fm_status_t fm_severity_dimensions(const struct fm_trace *trace, struct fm_cube *cube,
                                   struct fm_error *error);

/** Adds all severities of the locations that this process owns, after the arbitration. Runs a
 * stage. */
fm_status_t fm_severity_fill(struct fm_analysis *analysis, struct fm_cube *cube,
                             struct fm_error *error);

/** Verifies the sealed cube of the locations that this process owns against the trace: no value is
 * negative, and for each (call path, location) the metrics of the time tree add up to exactly the
 * time spent there.
 * @return FM_ERR_FAILED with the first violation */
fm_status_t fm_severity_check(const struct fm_trace *trace, const struct fm_cube *cube,
                              struct fm_error *error);

#endif
