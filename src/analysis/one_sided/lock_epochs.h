/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The lock epochs of a process, and the needs of its calls for the progress of targets.
 */
#ifndef FERMATA_ANALYSIS_ONE_SIDED_LOCK_EPOCHS_H
#define FERMATA_ANALYSIS_ONE_SIDED_LOCK_EPOCHS_H

#include "analysis/progress/progress_evidence.h"

#include "base/containers/map.h"

/** A call of a lock epoch, an element of a linked list. */
struct fm_lock_call {
    struct fm_call_ref call;
    uint32_t target;   /**< process an operation goes to; FM_NONE: not an operation */
    uint32_t previous; /**< call of the same epoch, in `calls`; FM_NONE: none */
};

/** From the request of a lock (or its acquisition) to its release. */
struct fm_lock_epoch {
    uint32_t window;
    uint32_t target;            /**< process; FM_NONE: all of the window */
    struct fm_call_ref request; /**< call that requested, or else acquired it */
    struct fm_call_ref release; /**< activity FM_NONE: never released */
    uint32_t acquisition;       /**< in `acquisitions`; FM_NONE: it was not recorded */
    uint32_t last_call;         /**< activity, if `in_row`; else in `calls`, FM_NONE: none */
    bool in_row;                /**< its calls are consecutive activities of the location of the
                                     request and are not listed. Only in epochs with one target. */
    bool exclusive;
    bool lies_nowhere; /**< the lock is one of no process: `target` is the first one */
    bool unrequested;  /**< it begins with its acquisition */
    uint8_t paradigm;  /**< fm_paradigm_t */
};

/** A recorded acquisition of a lock. */
struct fm_lock_acquisition {
    uint64_t time;
    uint64_t lock; /**< outside of MPI: which of the locks of its window and target; else 0 */
    struct fm_call_ref call;
};

/** How a process locks a window. */
struct fm_lock_use {
    uint32_t window;
    bool exclusively; /**< in some epoch */
    bool all_targets; /**< at once, in some epoch */
};

/** A call of an epoch that waits for progress if it waits for the lock of this epoch, too: when the
 * lock is passed on. */
struct fm_contended_progress {
    struct fm_call_ref call;
    uint32_t epoch;
    uint32_t cause_location; /**< the partner's */
    uint64_t until;          /**< end of the wait for progress */
};

/** A release that waits for progress, unless it waits for the lock, too. */
struct fm_release_progress {
    struct fm_call_ref call;
    uint64_t until;
};

/** A call of an epoch can wait for the lock until `t`; sent by the lock's home to the owner of the
 * epoch. */
struct fm_contention_note {
    uint64_t t;
    struct fm_call_ref call;
    uint32_t epoch;
    bool is_chosen; /**< it does wait */
};

/** A call that completes the request of an operation between start and complete. */
struct fm_access_completion {
    struct fm_call_ref call;
    uint32_t access; /**< number of the epoch in the process */
    uint32_t target; /**< process */
};

/** Passive-target epochs of one process. */
struct fm_lock_epochs {
    FM_VECTOR(struct fm_lock_epoch) epochs;
    FM_VECTOR(struct fm_lock_acquisition) acquisitions;
    FM_VECTOR(struct fm_lock_use) uses; /**< each window once, at most */
    FM_VECTOR(struct fm_lock_call) calls;
    FM_VECTOR(struct fm_access_completion) access_completions;

    /* What the evidence tells, filled by progress_waits.c: */
    FM_VECTOR(struct fm_release_progress) releases;    /**< ascending by call */
    FM_VECTOR(struct fm_contended_progress) contended; /**< ascending by epoch and call */
    FM_VECTOR(struct fm_contention_note) contentions;  /**< in no particular order */
};

struct fm_lock_walk;

/** Creates a walk over the lock records of processes, one process after the other.
 * @param progress  receives all needs; NULL: needs are not collected
 * @return to be freed with fm_lock_walk_free() */
struct fm_lock_walk *fm_lock_walk_create(struct fm_analysis *analysis, struct fm_progress *progress,
                                         unsigned worker);
void fm_lock_walk_free(struct fm_lock_walk *walk);

/** Begins a process, whose epochs are appended to `into`; to be ended with fm_lock_walk_end(). */
void fm_lock_walk_begin(struct fm_lock_walk *walk, uint32_t process, struct fm_lock_epochs *into);

/** Ends a process, after all of its records. */
void fm_lock_walk_end(struct fm_lock_walk *walk);

/** Handles the request or the acquisition of a lock; the first of the two begins the epoch.
 * `record->peer` is FM_NONE for all targets. */
void fm_lock_walk_lock(struct fm_lock_walk *walk, const struct fm_rma *record,
                       struct fm_call_ref call);

/** Handles the release of a lock: counts the pair-wise synchronizations of its epoch. */
void fm_lock_walk_unlock(struct fm_lock_walk *walk, const struct fm_rma *record,
                         struct fm_call_ref call);

/** Handles an operation on the process `target`. @return whether it belongs to a lock epoch */
bool fm_lock_walk_operation(struct fm_lock_walk *walk, const struct fm_rma *record,
                            struct fm_call_ref call, uint32_t target);

/** Handles an operation on the process `target` between start and complete. @param access  number
 * of the epoch in the process */
void fm_lock_walk_access(struct fm_lock_walk *walk, const struct fm_rma *record,
                         struct fm_call_ref call, uint32_t target, uint32_t access);

/** Handles a complete, for each target of its epoch. */
void fm_lock_walk_complete(struct fm_lock_walk *walk, struct fm_call_ref call, uint32_t target,
                           uint32_t access);

/** Handles the completion of the operations with an id, at the origin or also at the target. */
void fm_lock_walk_done(struct fm_lock_walk *walk, const struct fm_rma *record,
                       struct fm_call_ref call);

/** Handles a record of a flush that names its target, not its operations. */
void fm_lock_walk_named(struct fm_lock_walk *walk, const struct fm_rma *record,
                        struct fm_call_ref call);

/** Counts the pair-wise synchronizations of a call that ends an epoch: those with an operation
 * between the pair, and those without. */
void fm_epoch_count_pairs(struct fm_analysis *analysis, struct fm_call_ref call, uint64_t needed,
                          uint64_t unneeded);

#endif
