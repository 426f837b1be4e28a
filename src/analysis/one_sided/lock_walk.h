/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The walk over the lock records of a process. Private to lock_epochs.c and lock_operations.c.
 */
#ifndef FERMATA_ANALYSIS_ONE_SIDED_LOCK_WALK_H
#define FERMATA_ANALYSIS_ONE_SIDED_LOCK_WALK_H

#include "analysis/one_sided/lock_epochs.h"

/** Number of size classes: see fm_trace_size_class(). */
#define FM_SIZE_CLASSES 66

/** The operations of one lock epoch on one target; or those on it outside of all lock epochs
 * (MPI_MODE_NOCHECK, fences). */
struct fm_lock_target {
    uint32_t window;
    uint32_t epoch;              /**< in the process's epochs; FM_NONE: none */
    uint32_t process;            /**< target */
    bool accessed;               /**< by an operation */
    bool is_of_access;           /**< of an epoch from start to complete: */
    uint32_t access;             /**< its number */
    uint32_t unfinished;         /**< operations not done at the target (gets: at the origin) */
    uint32_t unfinished_locally; /**< operations not done at the origin */
    uint32_t sizes;              /**< of unfinished operations of several size classes: how many of
                                      each, in `sizes`; FM_NONE: they are of one class */
    uint8_t size_class;          /**< this class */
    uint32_t needed_by;          /**< activity of the last call with a noted need of this target */
    uint32_t needed_by_location;
    uint32_t next; /**< next target of the same epoch; FM_NONE: none */
};

/** An epoch that is not released yet. */
struct fm_open_epoch {
    uint32_t epoch;
    uint32_t first_target;
    uint32_t accessed;            /**< number of targets with operations */
    uint32_t position;            /**< among the open epochs of its window */
    struct fm_call_ref synced_by; /**< last call that was noted as a flush or unlock of it */
};

/** An operation. It is listed until another one with its id begins after its end: completions may
 * name it again. */
struct fm_open_operation {
    uint32_t target; /**< in `targets` */
    uint32_t next;   /**< next operation with the same id; FM_NONE: none */
    bool is_get;
    bool has_request;
    bool done_locally;
    bool done_remotely;
    uint8_t what; /**< FM_NEEDS_FOR_PUT, ... */
    uint8_t size_class;
};

/** How many unfinished operations on a target are of each size class. */
struct fm_unfinished_sizes {
    uint32_t of_class[FM_SIZE_CLASSES];
    uint32_t of_class_locally[FM_SIZE_CLASSES];
};

struct fm_window_locks {
    struct fm_lock_use use;
    uint32_t all; /**< open epoch of all targets, in `open`; FM_NONE: none */
    FM_VECTOR(uint32_t) open;
    struct fm_map operation_by_id; /**< each window has ids of its own */
};

struct fm_lock_walk {
    struct fm_analysis *analysis;
    struct fm_progress *progress; /**< NULL: needs are not collected */
    unsigned worker;
    struct fm_lock_epochs *into;
    size_t first_epoch; /**< of the process, in `into` */
    uint32_t process;
    struct fm_map window_index;
    FM_VECTOR(struct fm_window_locks) windows;
    uint32_t recent_window, recent_index; /**< the last look-up */
    struct fm_map open_by_target; /**< (window index, target rank) -> open epoch, in `open` */
    FM_VECTOR(struct fm_open_epoch) open;
    FM_VECTOR(struct fm_lock_target) targets;
    struct fm_map target_index; /**< (epoch, process) -> in `targets`; of epochs of all targets */
    FM_VECTOR(struct fm_open_operation) operations;
    FM_VECTOR(struct fm_unfinished_sizes) sizes;
};

/** @return the number of a window among those of the process. */
uint32_t fm_lock_walk_window(struct fm_lock_walk *walk, uint32_t window);

/** @return the state of a window; valid until the next new window. */
struct fm_window_locks *fm_lock_walk_locks(struct fm_lock_walk *walk, uint32_t window);

/** Appends a call to an epoch.
 * @param target  process that an operation goes to; FM_NONE: not an operation */
void fm_lock_walk_add_call(struct fm_lock_walk *walk, uint32_t epoch_index, struct fm_call_ref call,
                           uint32_t target);

/** Notes that a call cannot finish without the progress of another process.
 * @param is_new  the call has not noted this target yet; false: only the reason is new */
void fm_lock_walk_need(struct fm_lock_walk *walk, struct fm_call_ref call, uint32_t target,
                       const struct fm_needed *why, bool is_new);

/** @return the open epoch of a target (its rank; FM_NONE: of all targets); NULL: none. */
struct fm_open_epoch *fm_lock_walk_find_open(struct fm_lock_walk *walk, uint32_t window_index,
                                             uint32_t rank);

/** Notes a flush or unlock of an open epoch, before the completions that it brings: its targets
 * with unfinished operations, and the target of an exclusive lock, must make progress.
 * @param locally  it finishes operations at the origin only */
void fm_lock_walk_sync(struct fm_lock_walk *walk, struct fm_open_epoch *open,
                       struct fm_call_ref call, bool locally);

#endif
