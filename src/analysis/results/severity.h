/** @file
 * Turns tables and findings into the severity cube. */
#ifndef FERMATA_ANALYSIS_RESULTS_SEVERITY_H
#define FERMATA_ANALYSIS_RESULTS_SEVERITY_H

#include "analysis/model/run.h"
#include "cube/model/cube.h"

/** Fills the dimensions of the cube from the trace: regions, call paths, locations. */
fm_status_t fm_severity_dimensions(const struct fm_trace *trace, struct fm_cube *cube,
                                   struct fm_error *error);

/** Adds all severities of the locations that are owned here, after the arbitration. Runs a stage.
 */
fm_status_t fm_severity_fill(struct fm_analysis *analysis, struct fm_cube *cube,
                             struct fm_error *error);

/** Verifies the sealed cube of the locations that are owned here against the trace: no negative
 * value, and for every (call path, location) the time tree adds up to exactly the time spent there.
 * @return FM_ERR_FAILED with the first violation */
fm_status_t fm_severity_check(const struct fm_trace *trace, const struct fm_cube *cube,
                              struct fm_error *error);

#endif
