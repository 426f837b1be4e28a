/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Which location holds a lock at each instant while others wait for it. Fed by the detection of
 * lock contention, which has all epochs of a lock in one place; read by the blame.
 *
 * A waiting epoch depends at an instant on the owner of the latest epoch before its predecessor
 * (and on this one first), in the order of the lock, that conflicts with it and holds the lock
 * then; while there is none, on the owner of the next such hold, once this has been requested;
 * before that, on the process that the lock lies on, if that makes no progress and calls on the
 * window need it; else on nobody. Epochs that wait for the same lock mostly see the same holders:
 * these are listed once, as a *succession* of spans, to which all of these waits refer. Only where
 * a wait must not see a later epoch that has the lock already, it has a succession of its own. O((E
 * + S) log E) for E epochs, with S spans of successions of a single wait.
 */
#ifndef FERMATA_ANALYSIS_LOCKS_LOCK_HOLDERS_H
#define FERMATA_ANALYSIS_LOCKS_LOCK_HOLDERS_H

#include "analysis/locks/lock_uses.h"
#include "analysis/model/run.h"

/** A released lock epoch in the order of its lock. Times are those of the trace's clock. */
struct fm_lock_tenure {
    uint64_t requested;
    uint64_t acquired;    /**< the lock is held from here ... */
    uint64_t released;    /**< ... to the Leave of the releasing call */
    uint64_t waited_from; /**< Enter of the call that waited for the lock */
    uint64_t waited_until;
    uint64_t served_until; /**< the wait for the lock is the head of a wait for progress, which ends
                              here; 0: it is a wait state of its own */
    uint64_t awakened_at;  /**< until then `waiter` waits for `awakened_by` instead, to awaken it
                              from the wait for a condition; 0: it waits for the lock all the time */
    uint64_t id;           /**< of the lock outside of MPI; else 0 */
    uint32_t lock;         /**< its number; FM_NONE: all of the window */
    uint32_t target;       /**< process that the lock lies on; FM_NONE: all of the window */
    uint32_t owner;        /**< process, or location: its holds exclude nobody of itself */
    uint32_t location;     /**< that releases the lock */
    uint32_t waiter;       /**< location of the waiting call; FM_NONE: the epoch did not wait */
    uint32_t blocked_by;   /**< epoch that it waited for, an earlier one of the list */
    uint32_t awakened_by;  /**< location */
    uint32_t served_by;    /**< location that ends the wait for progress */
    bool exclusive;
    bool lies_nowhere; /**< the lock lies on no process, `target` only stands for it */
};

/** A location holds a lock, or is the next one to hold it, or makes no progress for it. */
struct fm_holder_span {
    uint64_t from, to;
    uint64_t succession; /**< unique in the run */
    uint32_t location;
    bool is_free;        /**< nobody is waited for; the span is kept by `location` */
    bool lacks_progress; /**< `location` is no holder, but makes no progress for those that wait */
};

/** From `from` to `to` a wait state sees a succession. The claims of a wait state cover its waiting
 * part; there are none if it depends on its cause all the time, as other wait states do. Whether
 * the call has this wait state in the end, the arbitration decides. */
struct fm_lock_claim {
    uint64_t until, enter; /**< of the wait state */
    uint64_t from, to;
    uint64_t succession;
    uint64_t wait;    /**< number of the wait for a lock, unique in the run */
    uint32_t waiter;  /**< location */
    uint32_t cause;   /**< location */
    uint32_t holders; /**< that it sees one after the other, at most */
    uint32_t unused;
};

/** A wait state that sees more holders is examined at some instants only (blame.h). */
#define FM_HOLDERS_EXAMINED 256

/** A wait state for a lock: when the two epochs hold the lock, one after the other. */
struct fm_lock_turn {
    uint64_t until;                          /**< end of the wait state */
    uint64_t acquired, released;             /**< by the waiting epoch */
    uint64_t cause_acquired, cause_released; /**< by the epoch that it waited for */
    uint32_t waiter;                         /**< location */
    uint32_t cause;                          /**< location */
};

typedef FM_VECTOR(struct fm_lock_turn) fm_lock_turns;

typedef FM_VECTOR(struct fm_holder_span) fm_holder_spans;
typedef FM_VECTOR(struct fm_lock_claim) fm_lock_claims;

/** What is known of one location. */
struct fm_lock_view {
    fm_holder_spans spans;       /**< in which the location is the holder, or keeps a free span,
                                      ascending by begin */
    fm_lock_claims waiting;      /**< of its own waits, in the order of fm_lock_claims_find() */
    fm_lock_claims caused;       /**< of waits of others that it has caused, likewise */
    fm_lock_marks marks;         /**< of its own waits */
    fm_lock_presences presences; /**< of the location; in epochs of locks of processes the first one
                                      of its process */
};

struct fm_lock_holders;

/** @return to be freed with fm_lock_holders_free(). Collective */
struct fm_lock_holders *fm_lock_holders_create(const struct fm_analysis *analysis);

/** NULL is allowed. */
void fm_lock_holders_free(struct fm_lock_holders *holders);

/** What the locks of a window, or those of a process's threads, have in common. */
struct fm_lock_group {
    uint32_t home;       /**< process at which these locks are judged */
    uint32_t window;     /**< in the trace; FM_NONE: locks of threads */
    uint8_t paradigm;    /**< fm_paradigm_t of the calls */
    bool needs_progress; /**< calls on the window wait for progress */
};

/** Adds all epochs of a group, in the order of its locks. Distinct workers may add at the same
 * time, for distinct processes. */
void fm_lock_holders_add(struct fm_lock_holders *holders, unsigned worker,
                         const struct fm_lock_group *group, const struct fm_lock_tenure *tenures,
                         uint32_t count);

/** A wait state that is not for a lock and depends on two locations, one after the other. */
struct fm_divided_wait {
    uint64_t enter, at, until; /**< on `first` from `enter` to `at`, then on `cause` */
    uint32_t waiter;           /**< location */
    uint32_t first, cause;     /**< locations */
};

/** Adds a divided wait. To be called by the owner of the waiting location. */
void fm_lock_holders_divide(struct fm_lock_holders *holders, unsigned worker,
                            const struct fm_divided_wait *wait);

/** Brings what was added to the locations concerned. Runs a stage; collective. */
void fm_lock_holders_deliver(struct fm_lock_holders *holders);

/** Frees all but the marks and the locks: what the blame and the critical path
 * need. NULL is allowed. */
void fm_lock_holders_forget(struct fm_lock_holders *holders);

/** @return what is known of a location that is owned here; NULL if `holders` is NULL. */
struct fm_lock_view *fm_lock_holders_view(struct fm_lock_holders *holders, uint32_t location);

/** @return all waits for the locks that are judged at a process, which is owned here. */
const fm_lock_turns *fm_lock_holders_turns(const struct fm_lock_holders *holders, uint32_t home);

/** @return the locks with waits that are judged at a process, which is owned here, ascending by
 * key.
 */
const fm_contended_locks *fm_lock_holders_locks(const struct fm_lock_holders *holders,
                                                uint32_t home);

/** @return the number of claims of the processes owned here that see more holders than
 * FM_HOLDERS_EXAMINED */
uint64_t fm_lock_holders_deep(const struct fm_lock_holders *holders);

/** Finds the claims of a wait state. Where one call waits for several locks of one owner until the
 * same tick, the first one counts.
 * @param wanted  of which until, enter, waiter and cause are set, all else is 0
 * @param first   out: the first of them
 * @return their number */
size_t fm_lock_claims_find(const fm_lock_claims *claims, const struct fm_lock_claim *wanted,
                           const struct fm_lock_claim **first);

#endif
