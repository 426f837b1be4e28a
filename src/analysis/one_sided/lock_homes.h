/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Homes of locks: the process to which all released epochs of a lock are sent, to be judged there.
 * The home is the target, or, if any process locks all targets of the window together, one process
 * for the whole window.
 */
#ifndef FERMATA_ANALYSIS_ONE_SIDED_LOCK_HOMES_H
#define FERMATA_ANALYSIS_ONE_SIDED_LOCK_HOMES_H

#include "analysis/one_sided/epochs.h"

/** A released lock epoch. */
struct fm_released_epoch {
    uint64_t enter; /**< of the release */
    uint64_t leave;
    uint64_t requested;      /**< Enter of the requesting call */
    uint64_t progress_until; /**< end of the release's wait for progress, if it did not wait for the
                                  lock before; 0: none */
    uint64_t acquired;       /**< if candidates_known: time of the acquisition */
    uint64_t lock;           /**< as in struct fm_lock_acquisition */
    uint32_t window;
    uint32_t owner;  /**< process */
    uint32_t target; /**< process; FM_NONE: all */
    uint32_t location;
    uint32_t activity;
    uint32_t epoch;                  /**< of the owner */
    uint32_t first_call, call_count; /**< in the list of calls beside it */
    bool exclusive;
    bool lies_nowhere;     /**< the lock is one of no process; `target` judges it */
    bool candidates_known; /**< it is known which of its calls acquired the lock */
    uint8_t paradigm;      /**< fm_paradigm_t */
};

/** A call of a released epoch. */
struct fm_released_call {
    uint64_t enter;
    uint64_t leave;
    uint32_t target; /**< of epochs of all targets: the process that an operation goes to;
                          FM_NONE: not an operation */
    uint32_t location;
    uint32_t activity;
    uint32_t served_by;    /**< location of the partner that ends this wait */
    uint64_t served_until; /**< end of its wait for progress behind one for the lock; 0: none */
    bool only_candidate;   /**< known to have acquired the lock */
};

/** Epochs with their calls; {0} is an empty list. */
struct fm_released_epochs {
    FM_VECTOR(struct fm_released_epoch) epochs;
    FM_VECTOR(struct fm_released_call) calls; /**< of each epoch the last one first */
};

/** The released epochs at their homes. */
struct fm_lock_homes;

/** Sends all released epochs on windows with exclusive locks to their homes. `epochs` must outlive
 * the result. Runs stages; collective.
 * @return to be freed with fm_lock_homes_free() */
struct fm_lock_homes *fm_lock_homes_gather(struct fm_analysis *analysis,
                                           const struct fm_epochs *epochs);

void fm_lock_homes_free(struct fm_lock_homes *homes, uint32_t process_count);

/** Copies the epochs that have arrived at a process to `list`, replacing its contents. Their order
 * is undefined, except that those of one owner are in its order; it is the same in each call.
 * Thread-safe for distinct processes.
 * @param list  to be freed with fm_released_epochs_free() */
void fm_lock_homes_list(struct fm_lock_homes *homes, uint32_t process,
                        struct fm_released_epochs *list);

void fm_released_epochs_free(struct fm_released_epochs *list);

#endif
