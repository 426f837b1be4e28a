/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Which functions were called, and which kinds of records their calls have. */
#ifndef FERMATA_ANALYSIS_RESULTS_COVERAGE_H
#define FERMATA_ANALYSIS_RESULTS_COVERAGE_H

#include "analysis/model/run.h"

/** Counts the calls of each region and finds the kinds of records in them, before the records are
 * freed. Runs a stage; collective.
 * @return by region, for fm_silent_calls_report(); to be freed with fm_free(). The names belong to
 * the trace. */
struct fm_called_function *fm_coverage_find(struct fm_analysis *analysis);

#endif
