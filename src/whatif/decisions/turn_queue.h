/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The queue for one lock: who gets it next.
 *
 * Each owner requests the lock, gets it, passes it on, and requests it again some time later. When
 * the lock is free, of those who have requested it the first one in the measured order gets it.
 * Therefore, an acquisition is overtaken only by those who request the lock while it is free and
 * the acquisition's owner has not requested it yet. A program also passes locks to owners whose
 * requests come a little later than those of others. The *slack* of an acquisition is how much
 * later, when measured: so long the lock is kept for it in the changed run, too. That makes the
 * queue of the measured run the measured one, exactly.
 *
 * The times of requests become known one after the other, not in their order. Who gets the lock is
 * decided as soon as no request that is not known yet can change it: at once for the first one in
 * the measured order if it has requested the lock before that is passed on; otherwise when all
 * earlier requests are known.
 *
 * Source of the rule: docs/whatif.md. Cost: O(log n) for each request and each decision.
 */
#ifndef FERMATA_WHATIF_DECISIONS_TURN_QUEUE_H
#define FERMATA_WHATIF_DECISIONS_TURN_QUEUE_H

#include "base/containers/heap.h"

#include <stdbool.h>
#include <stdint.h>

/** Slack of an acquisition that nobody overtakes. */
#define FM_NOT_OVERTAKEN UINT64_MAX

/** A time that is not known. */
#define FM_UNKNOWN_TIME UINT64_MAX

/** An acquisition: what does not depend on the run that is predicted. The acquisitions of a lock
 * are in the measured order. */
struct fm_turn {
    uint64_t slack;  /**< FM_NOT_OVERTAKEN: known from the begin; others are found by learning */
    uint64_t lag;    /**< so long before the time `passed` of the acquisition that it follows when
                          measured it gets the lock */
    uint64_t had_by; /**< it has the lock at this time at the latest when measured; for learning */
    uint32_t owner;
    uint32_t next;     /**< of the same owner; FM_NONE. Learned */
    uint32_t measured; /**< acquisition that it follows when measured; FM_NONE. Learned */
    bool is_first;     /**< of its owner. Learned */
    bool is_exclusive;
    bool is_bound; /**< when measured, a release binds it */
    bool can_wait; /**< it may be made to follow others */
};

/** An acquisition in one run. */
struct fm_turn_state {
    uint64_t requested; /**< FM_UNKNOWN_TIME: not known yet, as the next ones */
    uint64_t passed;    /**< when it passes the lock on */
    uint64_t latitude;  /**< others get its lock at most so long before `passed` */
    uint32_t follows;   /**< output: acquisition that it follows; FM_NONE */
    uint32_t place;     /**< output: in the order in which the lock is had, from 0 on */
    bool is_visible;    /**< it is the next one of its owner, or had its turn */
    bool is_let;        /**< output: `follows` is decided */
    bool has_turn;      /**< output: `place` is decided, too */
};

/** What is known of the requests of a run. */
struct fm_known_requests {
    uint64_t before; /**< all that come before this time are known */
    uint64_t until;  /**< all that come at this time or before, as far as anybody can tell;
                        UINT64_MAX:  all */
};

/** When a decision can be taken that cannot be taken now. */
struct fm_turn_wait {
    uint64_t time; /**< FM_UNKNOWN_TIME: not before more times are known */
    bool is_until; /**< `until` of struct fm_known_requests must reach it, else `before` */
    uint32_t let;  /**< the acquisition that has the lock if no other one is requested at the same
                        tick; FM_NONE. Its `follows` is decided: calls that begin and end at one tick
                        may request the lock only then */
};

/** The queue in one run. */
struct fm_turn_queue {
    const struct fm_turn *turns;
    struct fm_turn_state *states;
    uint32_t count;
    uint32_t had;           /* number of those that had their turn */
    uint32_t head;          /* the first one in the measured order that had no turn yet */
    uint32_t exclusive;     /* the last exclusive acquisition; FM_NONE */
    uint32_t any;           /* it, or of the shared ones behind it the one that passes the lock on
                                 last, as far as known */
    uint32_t first_place;   /* of `exclusive`, or of the first of the shared ones behind it */
    uint32_t unknown;       /* how many of these have not passed the lock on yet */
    uint64_t now;           /* nothing before it is left to be decided */
    struct fm_heap coming;  /* by time of request: the next acquisition of each owner */
    struct fm_heap waiting; /* by measured order: those that have requested the lock */
    bool is_plain;          /* all acquisitions are exclusive and can wait */
};

/** Finds what is learned of all acquisitions from the measured times.
 * @param states  the measured times; the rest is written
 * @return whether the measured order is possible: no acquisition has the lock before those that
 * precede it have requested it */
bool fm_turns_learn(struct fm_turn *turns, struct fm_turn_state *states, uint32_t count);

/** Begins a run. The times of the states are those that are known; the rest is written. The arrays
 * must outlive the queue. */
void fm_turn_queue_open(struct fm_turn_queue *queue, const struct fm_turn *turns,
                        struct fm_turn_state *states, uint32_t count);

/** Frees the tables of the queue, not the arrays. */
void fm_turn_queue_close(struct fm_turn_queue *queue);

/** States when an acquisition requests the lock; once for each. */
void fm_turn_queue_request(struct fm_turn_queue *queue, uint32_t number, uint64_t time);

/** States when an acquisition passes the lock on; once for each. */
void fm_turn_queue_pass(struct fm_turn_queue *queue, uint32_t number, uint64_t time,
                        uint64_t latitude);

/** @return who gets the lock next, to be granted then; FM_NONE: not decided yet
 * @param wait  out, if it is not decided */
uint32_t fm_turn_queue_next(struct fm_turn_queue *queue, struct fm_known_requests known,
                            struct fm_turn_wait *wait);

/** Gives the lock to an acquisition that had no turn yet: sets `follows` and `place`.
 * @return whether it overtakes another one */
bool fm_turn_queue_grant(struct fm_turn_queue *queue, uint32_t number);

#endif
