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
 * Source of the rule: docs/whatif.md. Cost: O(n log n).
 */
#ifndef FERMATA_WHATIF_DECISIONS_TURN_QUEUE_H
#define FERMATA_WHATIF_DECISIONS_TURN_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

/** Slack of an acquisition that nobody overtakes. */
#define FM_NOT_OVERTAKEN UINT64_MAX

/** An acquisition in the queue. `requested` to `released` are times of one run, as input; it is in
 * the measured order. */
struct fm_turn {
    uint64_t requested;
    uint64_t entered;  /**< begin of the call that waits for the lock, mostly `requested` */
    uint64_t bound;    /**< when the lock was passed to it; 0: no release binds it */
    uint64_t passed;   /**< when it passes the lock on */
    uint64_t slack;    /**< FM_NOT_OVERTAKEN: known from the begin; others are found by learning */
    uint64_t lag;      /**< so long before `passed` of the acquisition that it follows when measured
                            it gets the lock */
    uint64_t latitude; /**< others get its lock at most so long before `passed` */
    uint32_t owner;
    uint32_t measured; /**< acquisition that it follows when measured; FM_NONE. Learned */
    uint32_t follows;  /**< output: acquisition that it follows */
    uint32_t place;    /**< output: in the order in which the lock is had, from 0 on */
    bool is_exclusive;
    bool is_bound; /**< when measured, a release binds it */
    bool can_wait; /**< it may be made to follow others */
};

/** Finds `slack` and `measured` of all acquisitions from the measured times, and sets `follows` to
 * `measured`. */
void fm_turns_learn(struct fm_turn *turns, uint32_t count);

/** Finds `follows` and `place` of all acquisitions from the times of a run.
 * @return how many acquisitions overtake others */
uint32_t fm_turns_take(struct fm_turn *turns, uint32_t count);

#endif
