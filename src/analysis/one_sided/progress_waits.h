/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Finds the calls of lock epochs that waited for the progress of their targets: for Wait for
 * Progress and, since an owner that waits cannot pass on a lock, for Lock Contention.
 */
#ifndef FERMATA_ANALYSIS_ONE_SIDED_PROGRESS_WAITS_H
#define FERMATA_ANALYSIS_ONE_SIDED_PROGRESS_WAITS_H

#include "analysis/one_sided/epochs.h"

/** Fills `locks.progress` of the epochs from the answers, which are freed. Runs a stage. */
void fm_progress_waits_find(struct fm_analysis *analysis, struct fm_progress *progress,
                            struct fm_epochs *epochs);

#endif
