/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The queue of the locations that wait for a lock: its length over time, the locations that hold
 * the lock, and those that wait. Filled by the detection of lock contention, which has all epochs
 * of a lock in one place.
 *
 * An epoch is in the queue from the Enter of the call that waits for the lock (for a condition and
 * its mutex: from when it is awakened) until the end of that wait (its contention, whichever wait
 * state the arbitration chooses for the call). It holds the lock until the Leave of the call that
 * releases it: from the end of its wait (in the releasing call also of its wait for progress), or,
 * if it did not wait, from the Leave of the call that acquired or else requested the lock.
 */
#ifndef FERMATA_ANALYSIS_LOCKS_LOCK_QUEUE_H
#define FERMATA_ANALYSIS_LOCKS_LOCK_QUEUE_H

#include "analysis/locks/lock_uses.h"
#include "base/containers/vector.h"
#include "base/error.h"
#include "cube/model/cube.h"
#include "engine/team/team.h"
#include "trace/tables/trace.h"

#include <stdbool.h>
#include <stdint.h>

/** A released epoch as judged. Times are those of the trace's clock. */
struct fm_lock_hold {
    uint64_t requested;   /**< Enter of the requesting call */
    uint64_t queued_from; /**< equal to `queued_until`: the epoch did not wait */
    uint64_t queued_until;
    uint64_t held_from;
    uint64_t released; /**< Leave of the releasing call; that of a lock of threads may be later than
                            the next acquisition, which counts then */
    uint64_t error;    /**< ticks by which the wait in the queue may be wrong; 0: not known */
    uint32_t owner;    /**< location; of a process the first one */
    uint64_t lock;     /**< outside of MPI: its id, which names it; else 0 */
    uint32_t target;   /**< process; FM_NONE: all of the window. Of threads: their process */
    uint32_t region;   /**< of a lock of threads: that acquired it; FM_NONE: not known */
    uint32_t number;   /**< of the lock among those of the list; FM_NONE: all of the window */
    uint32_t blocked_by; /**< epoch it waited for, an earlier one of the same list; FM_NONE: none */
    bool exclusive;
    uint8_t paradigm; /**< fm_paradigm_t */
};

/** A hold that is kept for itself. */
struct fm_kept_hold {
    struct fm_lock_hold hold; /**< `blocked_by`: number of a kept hold; FM_NONE: none */
    uint32_t window;          /**< FM_NONE: a lock of threads */
};

typedef FM_VECTOR(struct fm_kept_hold) fm_kept_holds;

/** The call paths in which a lock is held while others wait, and in which they wait: those with
 * most waiting, in this order. */
struct fm_lock_places {
    uint32_t held_in_count, waited_in_count;
    struct fm_cube_lock_place held_in[FM_CUBE_LOCK_PLACES], waited_in[FM_CUBE_LOCK_PLACES];
};

/** Of the locks of threads, so many with the longest waiting are kept in the report. */
#define FM_LOCK_QUEUES_MOST 256

/** The queues found so far. */
struct fm_lock_queues;

/** @param workers  number of threads that may add at the same time
 * @param keeps    all holds are kept, for fm_lock_queues_take_holds()
 * @return to be freed with fm_lock_queues_free() */
struct fm_lock_queues *fm_lock_queues_create(unsigned workers, bool keeps);

/** Moves the kept holds out: those of a lock beside each other, in the order in which it was held.
 * Their order does not depend on the number of workers. `queues` may be NULL: none. */
fm_kept_holds fm_lock_queues_take_holds(struct fm_lock_queues *queues);

/** Frees the queues. NULL is allowed. */
void fm_lock_queues_free(struct fm_lock_queues *queues);

/** Adds all epochs of some locks of a window, in the order of fm_lock_order_find(). All epochs of a
 * lock must be added by one call. Distinct workers may add at the same time.
 * Locks of threads that nobody waits for are left out.
 * @param window  number of the window in the trace; FM_NONE: locks of threads
 * @param places  [number of the lock]; NULL: not known */
void fm_lock_queues_add(struct fm_lock_queues *queues, unsigned worker, uint32_t window,
                        const struct fm_lock_hold *holds, uint32_t count,
                        const struct fm_lock_places *places);

/** Moves the queues of all processes of the team to process 0. Collective; `queues` may be NULL on
 * all processes. */
void fm_lock_queues_collect(struct fm_lock_queues *queues, struct fm_team *team);

/** Writes the queues to the cube, whose experiment and call paths must be set, once; `queues` may
 * be NULL. For process 0. */
fm_status_t fm_lock_queues_fill(struct fm_lock_queues *queues, const struct fm_trace *trace,
                                struct fm_cube *cube, struct fm_error *error);

/** @return the number of a lock in the cube that fm_lock_queues_fill() has filled; FM_CUBE_NONE: it
 * was left out. `queues` may be NULL. For process 0. */
uint32_t fm_lock_queues_find(const struct fm_lock_queues *queues,
                             const struct fm_contended_lock *lock);

#endif
