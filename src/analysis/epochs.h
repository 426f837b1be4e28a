/** @file
 * The epochs of one-sided communication of each process: what lies between two fences, between
 * start and complete, between post and wait, and between lock and unlock.
 */
#ifndef FERMATA_ANALYSIS_EPOCHS_H
#define FERMATA_ANALYSIS_EPOCHS_H

#include "analysis/lock_epochs.h"

/** A process that is accessed in an epoch. */
struct fm_accessed {
    uint32_t process;
    uint32_t ordinal; /**< of access epochs: k-th one on the window that names this process */
    uint32_t operations;
    uint64_t last_operation; /**< Leave of the last operation, if there is one */
};

/** Creation, freeing or fence of a window. */
struct fm_window_collective {
    uint32_t window;
    uint32_t ordinal; /**< k-th collective on the window */
    struct fm_call_ref call;
    uint32_t first_accessed, accessed_count; /**< of fences: in the epoch it closes; ascending */
};

/** Win_start .. Win_complete. */
struct fm_access_epoch {
    uint32_t window;
    struct fm_call_ref start, complete;
    uint32_t first_target, target_count; /**< in `accessed`; ascending by process */
    uint32_t last_operation;             /**< in `operations`; FM_NONE: none */
};

/** An operation of an access epoch. */
struct fm_epoch_operation {
    struct fm_call_ref call;
    uint32_t target;   /**< position among the epoch's targets */
    uint32_t previous; /**< operation of the same epoch; FM_NONE: none */
};

/** An origin of an exposure epoch. */
struct fm_epoch_origin {
    uint32_t process;
    uint32_t ordinal; /**< k-th exposure epoch on the window that names this process */
};

/** Win_post .. Win_wait. */
struct fm_exposure_epoch {
    uint32_t window;
    struct fm_call_ref post, wait;
    uint32_t first_origin, origin_count;
};

/** Epochs of one process, each list in the order of their begin. */
struct fm_epochs {
    FM_VECTOR(struct fm_window_collective) collectives;
    FM_VECTOR(struct fm_access_epoch) accesses;
    FM_VECTOR(struct fm_exposure_epoch) exposures;
    FM_VECTOR(struct fm_accessed) accessed;
    FM_VECTOR(struct fm_epoch_operation) operations;
    FM_VECTOR(struct fm_epoch_origin) origins;
    struct fm_lock_epochs locks;
};

/** Builds the epochs of all processes and tallies the pair-wise synchronizations of lock epochs.
 * Runs a phase.
 * @return [process], to be freed with fm_epochs_free() */
struct fm_epochs *fm_epochs_build(struct fm_analysis *analysis);

/** Frees the epochs of `count` processes. NULL is allowed. */
void fm_epochs_free(struct fm_epochs *epochs, uint32_t count);

#endif
