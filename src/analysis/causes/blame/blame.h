/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Blame: what was being done by the process that others waited for, at each instant of their
 * waiting.
 *
 * At an instant of its waiting part a wait state depends on one location: of a contention the
 * holder of the lock, otherwise the location that caused it. If that location waits itself, its
 * wait state is followed in turn, unless it ends later or is in the chain already (wrong clocks).
 * The last location is blamed, with its call path at that instant. Blame is counted in whole ticks:
 * all blame is all waiting time, exactly.
 *
 * Cost: O((W + S) log W) for W wait states and S changes of call path while somebody waits, however
 * long the chains and the queues for locks are.
 */
#ifndef FERMATA_ANALYSIS_CAUSES_BLAME_H
#define FERMATA_ANALYSIS_CAUSES_BLAME_H

#include "analysis/causes/caused_waits.h"
#include "analysis/causes/formation.h"
#include "cube/model/delay_kind.h"

/** A part of the time in which a call path of a location is blamed for the same wait states. */
struct fm_blame_piece {
    uint64_t from, to; /**< ticks of the trace's clock; from < to */
    uint64_t weight;   /**< of the wait states together, each instant; not 0 */
    uint32_t location; /**< that is blamed */
    uint32_t visit; /**< node of its call tree that is blamed; FM_NONE: the location is outside of
                         all regions, its blame is unattributed */
    fm_delay_kind_t kind; /**< of the wait states at which the chains begin */
};

/** Which wait states count, and who wants to know who is blamed for them. */
struct fm_blame_request {
    void *context;
    /** Weight of a wait state that `location` has caused: what the blamed one gets for each tick of
     * its waiting part; 0: nothing. The sum over all wait states of weight * ticks must be less
     * than 2^63. Called by the worker that owns the causing location, more than once and in no
     * particular order. NULL: 1 of each. */
    uint64_t (*weight)(void *context, uint32_t location, const struct fm_caused_wait *wait);
    /** A piece of the blame of `piece->location`. Called by the worker that owns this location.
     * Pieces come in no particular order and may overlap: their sums are the blame, and are the
     * same for any number of workers and processes. */
    void (*take)(void *context, unsigned worker, const struct fm_blame_piece *piece);
};

/** Finds out who is to blame for the wait states with a weight. To be called after
 * fm_formation_costs(), while the formation has the caused wait states. Runs stages; collective. */
void fm_blame_find(const struct fm_formation *formation, const struct fm_blame_request *request);

/** A part of the waiting part of a wait state in which one location is blamed for it. */
struct fm_blame_wait_piece {
    uint64_t from, to;    /**< ticks of the trace's clock; from < to */
    uint64_t until;       /**< end of the wait state */
    uint32_t waiter;      /**< location that waits */
    uint32_t number;      /**< of the wait state in the waiter's list */
    uint32_t location;    /**< that is blamed */
    uint32_t visit;       /**< as in struct fm_blame_piece */
    fm_delay_kind_t kind; /**< of the wait state */
    bool lacks_progress;  /**< of a contention: nobody holds the lock, and the location, or one that
                               waits for it, makes no progress */
    bool is_sample;       /**< who is blamed and what it does at `at` is taken for all of it */
    uint64_t at;
};

/** Finds what the blamed location does at the begin of a piece.
 * @param busy_time  of the location
 * @param walk       as of fm_busy_time_look(), of which `visit` is set
 * @return until when it does that; at most `piece->to` */
uint64_t fm_blame_look(const struct fm_busy_time *busy_time,
                       const struct fm_blame_wait_piece *piece, struct fm_busy_time_walk *walk);

/** For which wait states it is to be found out who is blamed for each of them. */
struct fm_blame_each {
    void *context;
    /** Called by the worker that owns the causing location. NULL: all. */
    bool (*is_wanted)(void *context, uint32_t location, const struct fm_caused_wait *wait);
    /** Called by the worker that owns the blamed location; without visits by any worker. Pieces
     * come in no particular order; those of a wait state do not overlap and cover its waiting part.
     */
    void (*take)(void *context, unsigned worker, const struct fm_blame_wait_piece *piece);
    bool without_visits; /**< the pieces are not divided by call paths: `visit` means nothing */
};

/** Finds out who is blamed for each wait state that is wanted. As fm_blame_find(), but it costs
 * O(log W) for each piece: as many as locations that are blamed for a wait state. In a queue for a
 * lock that grows with the square of its length; of a wait state with more than FM_HOLDERS_EXAMINED
 * holders, 16 to 256 equal parts are therefore examined at one instant each. */
void fm_blame_waits(const struct fm_formation *formation, const struct fm_blame_each *each);

/** Both in one go. */
void fm_blame_find_both(const struct fm_formation *formation,
                        const struct fm_blame_request *request, const struct fm_blame_each *each);

/** @return the node of the call tree at which a location's unattributed blame is booked: its first
 * root; FM_NONE if it has none. */
uint32_t fm_blame_unattributed_visit(const struct fm_location *location);

/** How long a location is blamed for the wait states of a kind of another location. */
struct fm_blame_pair {
    uint64_t ticks;
    uint64_t count;       /**< wait states of which it is the last one that is blamed */
    uint32_t waiter;      /**< location */
    uint32_t location;    /**< that is blamed */
    fm_delay_kind_t kind; /**< of the wait states */
    uint32_t unused;
};

/** Receives the pieces of all wait states that fm_blame_book() finds. */
struct fm_blame_listener {
    void *context;
    /** Called by any worker. The pieces are not divided by call paths: `visit` means nothing. */
    void (*take)(void *context, unsigned worker, const struct fm_blame_wait_piece *piece);
};

/** Books the metrics of blame, each tick of each wait state once; lists who is blamed by whom,
 * `formation->blame_pairs`; and finds what is blamed for most of each of the worst wait states
 * (`blamed`), of equal parts the lowest location and call path. Collective.
 * @param begin       of the run, ticks of the trace's clock
 * @param statistics  the same on all processes of the team
 * @param listener    NULL: none */
void fm_blame_book(struct fm_formation *formation, uint64_t begin,
                   struct fm_cube_statistics *statistics, uint32_t count,
                   const struct fm_blame_listener *listener);

#endif
