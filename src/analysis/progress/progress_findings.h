/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Findings of the report that state the evidence by which calls wait for progress, or do not.
 */
#ifndef FERMATA_ANALYSIS_PROGRESS_PROGRESS_FINDINGS_H
#define FERMATA_ANALYSIS_PROGRESS_PROGRESS_FINDINGS_H

#include "analysis/model/run.h"

/** Adds a finding for each of the kinds of calls with the most evidence: how many calls ended while
 * their partners computed, and how many only when these called the library. None if the user has
 * stated who makes progress. */
void fm_progress_findings_add(const struct fm_analysis *analysis, struct fm_cube *cube);

#endif
