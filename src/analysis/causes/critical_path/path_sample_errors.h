/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * By how much the times of call paths on the critical path may be wrong because only samples tell
 * them.
 */
#ifndef FERMATA_ANALYSIS_CAUSES_CRITICAL_PATH_PATH_SAMPLE_ERRORS_H
#define FERMATA_ANALYSIS_CAUSES_CRITICAL_PATH_PATH_SAMPLE_ERRORS_H

#include "analysis/causes/critical_path/critical_path.h"

/** Finds the errors of the times of the path (samples/sample_errors.h): two standard errors, those
 * of locations added in quadrature. Runs a stage; collective. To be called before the segments are
 * joined at process 0.
 * @return [call path]: ticks, to be freed with fm_free(); NULL: samples tell of no function */
uint64_t *fm_path_sample_errors(const struct fm_critical_path *path,
                                const struct fm_formation *formation);

#endif
