/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Finds the one-sided calls that wait for the progress of their targets, by the evidence: for Wait
 * for Progress and, since an owner that waits cannot pass on a lock, for Lock Contention.
 */
#ifndef FERMATA_ANALYSIS_ONE_SIDED_PROGRESS_WAITS_H
#define FERMATA_ANALYSIS_ONE_SIDED_PROGRESS_WAITS_H

#include "analysis/one_sided/epochs.h"

/** Weighs the evidence of `analysis->progress` into `analysis->evidence`, with the contentions that
 * the lock epochs have, and finds for the calls of lock epochs until when they would wait for
 * progress, behind a contention or without. Forgets these contentions, and all needs if no kind of
 * call waits. Runs stages; collective.
 * @return whether any kind of call waits for progress */
bool fm_progress_waits_weigh(struct fm_analysis *analysis);

/** Sorts the contentions that the lock epochs of a process have, for fm_progress_waits_trial(). */
void fm_progress_waits_sort(struct fm_lock_epochs *locks);

/** @return the trial of a call by these contentions: its needs begin where the latest of them ends.
 * To be called after fm_progress_waits_weigh() for calls of kinds that wait.
 * @param needing  number of the call among the needs of the process */
const struct fm_need_trial *fm_progress_waits_trial(const struct fm_analysis *analysis,
                                                    uint32_t process, uint32_t needing);

#endif
