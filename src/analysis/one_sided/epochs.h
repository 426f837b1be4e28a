/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The epochs of one-sided communication of each process: between two fences, from start to
 * complete, from post to wait, and from lock to unlock.
 */
#ifndef FERMATA_ANALYSIS_ONE_SIDED_EPOCHS_H
#define FERMATA_ANALYSIS_ONE_SIDED_EPOCHS_H

#include "analysis/one_sided/lock_epochs.h"

/** Creation, freeing or fence of a window. */
struct fm_window_collective {
    uint32_t window;
    uint32_t ordinal; /**< k-th collective on the window */
    struct fm_call_ref call;
    uint32_t first_accessed, accessed_count; /**< of a fence: processes accessed in the epoch that
                                                  it ends, in `fence_accesses` */
};

/** Processes that are accessed between two fences: ascending for each fence. */
struct fm_fence_accesses {
    FM_VECTOR(uint32_t) processes;
    FM_VECTOR(uint64_t) last_operations; /**< Leave of the last operation on each */
};

/** Win_start .. Win_complete. */
struct fm_access_epoch {
    uint32_t window;
    uint32_t unrecorded; /**< 0; else this stands for as many consecutive unrecorded epochs, of
                            which only the targets are known */
    struct fm_call_ref start, complete;
    uint32_t first_target, target_count; /**< in `targets`; ascending by process */
};

/** A target of an access epoch. */
struct fm_epoch_target {
    uint64_t last_operation; /**< Leave of the last operation on it, if there is one */
    uint32_t process;
    uint32_t operations; /**< the last operation on it, in `operations`; FM_NONE: none */
};

/** An operation of an access epoch. */
struct fm_epoch_operation {
    struct fm_call_ref call;
    uint32_t previous; /**< operation of the epoch on the same target; FM_NONE: none */
};

/** Win_post .. Win_wait. */
struct fm_exposure_epoch {
    uint32_t window;
    uint32_t unrecorded; /**< as in struct fm_access_epoch; only the origins are known */
    struct fm_call_ref post, wait;
    uint32_t origin_count;
};

/** An origin of an exposure epoch. */
struct fm_epoch_origin {
    uint32_t exposure; /**< in `exposures` */
    uint32_t next;     /**< next origin of the same stream, in `origins`; FM_NONE: none */
};

/** Epochs of one process, each list in the order of their begin. */
struct fm_epochs {
    FM_VECTOR(struct fm_window_collective) collectives;
    FM_VECTOR(struct fm_access_epoch) accesses;
    FM_VECTOR(struct fm_exposure_epoch) exposures;
    struct fm_fence_accesses fence_accesses;
    FM_VECTOR(struct fm_epoch_target) targets;
    FM_VECTOR(struct fm_epoch_operation) operations;
    FM_VECTOR(struct fm_epoch_origin) origins;
    FM_VECTOR(uint32_t)
    first_origins;                  /**< by stream: its first origin, in `origins`. A stream is the
                                         exposure epochs on one window that name one origin */
    struct fm_map stream_of_origin; /**< fm_origin_key() -> stream */
    struct fm_lock_epochs locks;
};

/** @return a key for exposure epochs on a window that name an origin (process). */
static inline uint64_t fm_origin_key(uint32_t window, uint32_t origin)
{
    return (uint64_t)window << 32 | origin;
}

/** Builds the epochs of all processes into `analysis->epochs`, lists the needs of their calls for
 * progress in `analysis->progress`, and counts the pair-wise synchronizations of access and lock
 * epochs. Reads the one-sided records. Runs stages; collective. */
void fm_epochs_build(struct fm_analysis *analysis);

/** Frees the access and exposure epochs of a process, which nothing needs once they are matched. */
void fm_epochs_forget_active(struct fm_epochs *epochs);

/** Frees the epochs of `count` processes. NULL is allowed. */
void fm_epochs_free(struct fm_epochs *epochs, uint32_t count);

#endif
