/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The locks that are waited for: what each of them is, which wait is for which of them, and when
 * the locations are in epochs of them. Filled with the holders of the locks (lock_holders.h).
 */
#ifndef FERMATA_ANALYSIS_LOCKS_LOCK_USES_H
#define FERMATA_ANALYSIS_LOCKS_LOCK_USES_H

#include "base/containers/vector.h"

#include <stdbool.h>
#include <stdint.h>

/** A lock: unique in the run, the same for any number of workers and processes of the analysis. */
typedef uint64_t fm_lock_key_t;

#define FM_NO_LOCK UINT64_MAX

/** Stands for all locks of a group: in an epoch of all targets a location has each of them. */
#define FM_ALL_LOCKS (UINT64_C(1) << 63)

/** A lock that somebody waits for. */
struct fm_contended_lock {
    fm_lock_key_t key;
    fm_lock_key_t group; /**< with FM_ALL_LOCKS: of the locks of its window, or of its process */
    uint64_t id;         /**< outside of MPI: its id; else 0 */
    uint64_t hold;       /**< median of its epochs, from the acquisition to the end of the release,
                              ticks; of two in the middle the lower one */
    uint64_t held;       /**< ticks in which anybody holds it */
    uint32_t epochs;
    uint32_t window;  /**< in the trace; FM_NONE: a lock of threads */
    uint32_t target;  /**< process; of threads: theirs */
    uint8_t paradigm; /**< fm_paradigm_t */
};

typedef FM_VECTOR(struct fm_contended_lock) fm_contended_locks;

/** A wait for a lock. */
struct fm_lock_mark {
    uint64_t until, enter; /**< of the wait state */
    uint64_t passed;       /**< until then it waits for the lock; behind, for progress */
    uint64_t wait;         /**< number of the wait for a lock, unique in the run */
    fm_lock_key_t lock, group;
    uint32_t waiter;    /**< location */
    uint32_t cause;     /**< location */
    bool is_of_threads; /**< the lock belongs to the threads of a process */
};

typedef FM_VECTOR(struct fm_lock_mark) fm_lock_marks;

/** A location, or any of its process, is in an epoch of a lock that is waited for meanwhile. */
struct fm_lock_presence {
    fm_lock_key_t lock; /**< or group */
    uint64_t from, to;  /**< request of the lock, end of the release */
};

typedef FM_VECTOR(struct fm_lock_presence) fm_lock_presences;

/** Sorts marks for fm_lock_mark_find(). */
void fm_lock_marks_sort(fm_lock_marks *marks);

/** @return the mark of a wait state; NULL: none. Where one call waits for several locks of one
 * owner until the same tick, the first one counts. */
const struct fm_lock_mark *fm_lock_mark_find(const fm_lock_marks *marks, uint64_t until,
                                             uint64_t enter, uint32_t cause);

/** Sorts the presences of a location by lock and time, and joins those that touch. */
void fm_lock_presences_join(fm_lock_presences *presences);

/** @return whether the location is in an epoch of a lock, or of all of its group, from `from` on,
 * when the lock is waited for.
 * @param until  in: > `from`; out: until when this answer holds, at most as before */
bool fm_lock_is_present(const fm_lock_presences *presences, fm_lock_key_t lock, fm_lock_key_t group,
                        uint64_t from, uint64_t *until);

#endif
