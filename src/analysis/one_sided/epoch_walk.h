/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Walks over the one-sided records of a process and builds its epochs. Private to epochs.c and
 * active_epochs.c.
 */
#ifndef FERMATA_ANALYSIS_ONE_SIDED_EPOCH_WALK_H
#define FERMATA_ANALYSIS_ONE_SIDED_EPOCH_WALK_H

#include "analysis/model/group_members.h"
#include "analysis/one_sided/epochs.h"

/** A process that was accessed since the last fence. */
struct fm_fence_access {
    uint32_t process;
    uint64_t last_operation;
};

/** The open epochs of a process on a window. */
struct fm_window_epochs {
    uint32_t window;
    uint32_t collectives;
    uint32_t access;   /* open access epoch; FM_NONE: none */
    uint32_t exposure; /**< open exposure epoch; FM_NONE: none */
    FM_VECTOR(struct fm_fence_access) fence_epoch;
};

struct fm_epoch_walk {
    struct fm_analysis *analysis;
    struct fm_epochs epochs; /**< of the current process so far; the memory is reused */
    uint32_t process;
    struct fm_map state_of_window;
    FM_VECTOR(struct fm_window_epochs) states;
    uint32_t recent;              /* in `states` */
    struct fm_map fence_accessed; /**< (window state, process) -> position in fence_epoch */
    struct fm_lock_walk *locks;
    struct fm_library_walk *libraries; /**< outside of MPI */
    struct fm_group_members members;
    FM_VECTOR(uint32_t) last_origins; /**< by stream of exposure epochs: the last origin so far */
};

/** A collective on window `state` (a position in `walk->states`); a fence ends an epoch. */
void fm_epoch_walk_collective(struct fm_epoch_walk *walk, uint32_t state, struct fm_call_ref call);

/** An operation on `process` outside of all other epochs: it belongs to the fence epoch.
 * @param leave  of the operation */
void fm_epoch_walk_access_in_fence_epoch(struct fm_epoch_walk *walk, uint32_t state,
                                         uint32_t process, uint64_t leave);

/** MPI_Win_start with a group of targets. */
void fm_epoch_walk_start(struct fm_epoch_walk *walk, uint32_t state, struct fm_call_ref call,
                         uint32_t group);

/** MPI_Win_complete: counts its pair-wise synchronizations. */
void fm_epoch_walk_complete(struct fm_epoch_walk *walk, struct fm_window_epochs *state,
                            struct fm_call_ref call);

/** An operation on `process`, added to the open access epoch if that names the process.
 * @return whether it was added */
bool fm_epoch_walk_access_in_epoch(struct fm_epoch_walk *walk, struct fm_window_epochs *state,
                                   struct fm_call_ref call, uint32_t process, uint64_t leave);

/** MPI_Win_post with a group of origins. */
void fm_epoch_walk_post(struct fm_epoch_walk *walk, uint32_t state, struct fm_call_ref call,
                        uint32_t group);

/** MPI_Win_wait. */
void fm_epoch_walk_wait(struct fm_epoch_walk *walk, struct fm_window_epochs *state,
                        struct fm_call_ref call);

#endif
