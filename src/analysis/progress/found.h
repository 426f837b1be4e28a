/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Reports waits for progress as findings, and needs as dependencies.
 */
#ifndef FERMATA_ANALYSIS_PROGRESS_FOUND_H
#define FERMATA_ANALYSIS_PROGRESS_FOUND_H

#include "analysis/model/finder.h"
#include "analysis/progress/progress_evidence.h"

/** Proposes a wait for progress with its lower bound. To be called by the owner of the process. */
void fm_found_progress(const struct fm_finder *finder, const struct fm_progress_wait *wait,
                       fm_metric_t metric, fm_metric_t lower);

/** States that a call depends on the calls in which its partners make progress, by the states of a
 * trial, if dependencies are wanted. To be called by the owner of the process. */
void fm_depend_on_progress(const struct fm_finder *finder, const struct fm_process_needs *needs,
                           const struct fm_need_trial *trial);

#endif
