/** @file
 * The parts of the one-sided patterns, which share the epochs of the processes. */
#ifndef FERMATA_ANALYSIS_ONE_SIDED_ONE_SIDED_H
#define FERMATA_ANALYSIS_ONE_SIDED_ONE_SIDED_H

#include "analysis/one_sided/epochs.h"

/** Wait at Create, Fence and Free, Early Fence, and what fences synchronize. Runs phases. */
void fm_detect_window_collectives(struct fm_analysis *analysis, const struct fm_epochs *epochs);

/** Late Post, Early Wait, Late Complete, and what start/complete/post/wait synchronize.
 * Runs phases. */
void fm_detect_general_active_target(struct fm_analysis *analysis, const struct fm_epochs *epochs);

/** Wait for Progress, with its lower bound, from the answers, which are freed. Notes in the epochs
 * who waited until when. Runs a phase. */
void fm_detect_wait_for_progress(struct fm_analysis *analysis, struct fm_progress *progress,
                                 struct fm_epochs *epochs);

/** Lock Contention; after fm_detect_wait_for_progress(), if that is called at all. Runs phases. */
void fm_detect_lock_contention(struct fm_analysis *analysis, const struct fm_epochs *epochs);

#endif
