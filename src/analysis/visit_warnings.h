/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Visits that the recorder has merged, because there were more of them than its budget of events
 * allows (docs/merged-events.md): the report states which, and what is therefore not known.
 */
#ifndef FERMATA_ANALYSIS_VISIT_WARNINGS_H
#define FERMATA_ANALYSIS_VISIT_WARNINGS_H

#include "analysis/model/run.h"
#include "cube/model/cube.h"

/** Adds a warning to the report if visits are merged. */
fm_status_t fm_merged_visits_warn(const struct fm_analysis *analysis, struct fm_cube *cube,
                                  struct fm_error *error);

#endif
