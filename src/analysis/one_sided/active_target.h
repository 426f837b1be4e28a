/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * General active target synchronization: access epochs (MPI_Win_start to MPI_Win_complete) matched
 * with exposure epochs (MPI_Win_post to MPI_Win_wait), the input of patterns.
 */
#ifndef FERMATA_ANALYSIS_ONE_SIDED_ACTIVE_TARGET_H
#define FERMATA_ANALYSIS_ONE_SIDED_ACTIVE_TARGET_H

#include "analysis/one_sided/epochs.h"

/** The post of an exposure epoch. */
struct fm_target_post {
    uint64_t posted;         /**< Enter of the call */
    uint64_t left;           /**< Leave of it */
    struct fm_call_ref call; /**< MPI_Win_post; activity FM_NONE: the epoch was not found */
};

/** An access epoch with its exposure epochs. */
struct fm_access_match {
    const struct fm_epochs *epochs; /**< of the process: for the operations of a target */
    const struct fm_access_epoch *epoch;
    const struct fm_epoch_target *targets; /**< [epoch->target_count] */
    const struct fm_target_post *posts;    /**< [epoch->target_count]: of these targets */
    uint32_t posted;                       /**< number of posts that were found */
};

/** An exposure epoch with its access epochs. */
struct fm_exposure_match {
    const struct fm_exposure_epoch *epoch;
    uint64_t completed;          /**< Enter of the last MPI_Win_complete; of simultaneous ones, of
                                      the lowest location */
    struct fm_call_ref complete; /**< that call */
    uint32_t completes;          /**< number of MPI_Win_complete that were found; 0: no last one */
    uint32_t operating;          /**< number of origins with an operation on this process */
    uint64_t last_operation;     /**< Leave of the last of these operations; 0: none */
};

/** Matches the epochs and calls the patterns for them; counts epochs without partner as omissions.
 * Runs stages; collective. */
void fm_active_target_match(struct fm_analysis *analysis);

#endif
