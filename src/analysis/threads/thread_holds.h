/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The holds of the locks of threads: from an acquisition to the release. An acquisition has a
 * record of its own, or its release states when it was; that of an uncontended lock is mostly not
 * recorded.
 */
#ifndef FERMATA_ANALYSIS_THREADS_THREAD_HOLDS_H
#define FERMATA_ANALYSIS_THREADS_THREAD_HOLDS_H

#include "base/containers/vector.h"
#include "trace/tables/trace.h"

/** A thread has a lock. */
struct fm_thread_hold {
    uint64_t lock;     /**< as in struct fm_thread_record */
    uint64_t acquired; /**< time of the record, or that the release states */
    uint64_t end;   /**< of the releasing call; of one that waits for a condition: of the release */
    uint32_t order; /**< number of the acquisition */
    uint32_t location;
    uint32_t call;    /**< activity that acquired the lock; FM_NONE: it did not wait */
    uint32_t release; /**< activity */
    bool shared;
    bool ordered;          /**< a section of an ordered construct */
    bool is_awakened_late; /**< `call` waited longer for a condition than then for the lock: its
                              wait state is that of the condition, but it was in the queue */

    /* Set where contention is found. */
    uint64_t waited_from, waited_until;
    uint64_t queued_from; /**< the lock was wanted from here on: `waited_from`; of a call that waits
                               for a condition, at the earliest when it was awakened */
    uint64_t awakened_at; /**< `call` waits for a condition until then; 0: not known */
    uint32_t awakened_by; /**< location */
    uint32_t blocked_by;  /**< earlier hold of the lock; FM_NONE: it did not wait */
    uint32_t depends_on;  /**< earlier hold that passes the lock to it, waiting or not; FM_NONE */
    uint64_t depends_at;  /**< when that one does; 0: none */
};

/** The holds of one process, by lock, then in the order of their acquisitions; {0}: none. */
typedef FM_VECTOR(struct fm_thread_hold) fm_thread_holds;

/** Finds the holds of a process that were released. O(n log n).
 * @param holds  replaced; to be freed with fm_vector_free()
 * @return the number of exclusive acquisitions whose release is not recorded though another
 * acquisition of the lock follows */
uint64_t fm_thread_holds_find(const struct fm_trace *trace, uint32_t process,
                              fm_thread_holds *holds);

/** Which holds of a lock block the next one; FM_NONE: none. */
struct fm_blocking_holds {
    uint32_t exclusive; /**< the latest one: blocks a shared hold */
    uint32_t any;       /**< it, or of the shared holds behind it the one that ends last: blocks an
                             exclusive hold */
};

/** Adds the next hold of the lock, holds[number]. */
void fm_blocking_holds_add(struct fm_blocking_holds *blocking, const struct fm_thread_hold *holds,
                           uint32_t number);

#endif
