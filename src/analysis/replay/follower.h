/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What advances in a replay: locations and junctions. Internal to the replay. */
#ifndef FERMATA_ANALYSIS_REPLAY_FOLLOWER_H
#define FERMATA_ANALYSIS_REPLAY_FOLLOWER_H

#include "analysis/dependencies/dependencies.h"
#include "analysis/replay/decider.h"
#include "analysis/replay/replay.h"
#include "analysis/replay/steps.h"
#include "engine/mailbox/mailbox.h"

/** New time of an event that has not been reached. */
#define FM_NOT_REACHED UINT64_MAX

/** Index of no waiter. */
#define FM_NO_WAITER UINT32_MAX

/** Who waits for an event: a node of a list. */
struct fm_waiter {
    struct fm_awaited source;
    uint32_t follower; /**< number of the one that waits */
    uint32_t next;     /**< FM_NO_WAITER: none */
};

/** A call that is open in the replay. */
struct fm_replayed_call {
    size_t first_dependency;
    size_t first_decided, first_watched; /**< of the decider's lists */
    size_t remaining;                    /**< position of its edit; SIZE_MAX: none */
    size_t overlapped;                   /**< likewise */
    uint32_t freed;                      /**< rules that do not bind it */
    bool is_removed;
};

/** A location on its way. */
struct fm_traveller {
    struct fm_steps steps;
    struct fm_step step; /**< the next one, if `has_step` */
    FM_VECTOR(struct fm_replayed_call) open;
    uint64_t old_now, new_now; /**< time of the last step */
    uint64_t old_bound, new_bound;
    uint64_t least_remaining; /**< with a decider: of the step's call, if it waits at its end */
    size_t dependency;        /**< next one of the step */
    size_t decided;           /**< the decider's entry of it, or a later one */
    size_t entered_dependency, entered_decided, entered_watched, stretch, remaining, freed,
        overlapped, deferred, removed; /**< positions behind the last Enter */
    size_t mark_dependency;            /**< first one of the next mark or a later one */
    bool has_step, is_waiting, is_done;
    bool has_begun;            /**< a step has been made */
    bool is_open;              /**< it waits for a decision on `dependency`, not for an event */
    bool is_other;             /**< it waits for an event that the measured run did not wait for */
    struct fm_awaited blocked; /**< the event that it waits for, if it is not done and not open */
    uint32_t waiters;
    uint32_t least; /**< least activity that a waiter needs */
};

/** A junction on its way. */
struct fm_crossing {
    _Atomic(uint64_t) time; /**< new time; FM_NOT_REACHED */
    uint64_t latest;
    uint32_t next_input;
    uint32_t waiters;
    bool is_started;
};

/** Locations are followers 0 .. location_count - 1, behind them stand the junctions of all tables.
 */
struct fm_replay_run {
    const struct fm_trace *trace;
    struct fm_dependencies *dependencies;
    const struct fm_edits *edits; /**< [location]; NULL: none */
    struct fm_decider *decider;   /**< NULL: all events are as measured, or as edits say */
    bool repairs;                 /**< fm_replay_repair() */
    struct fm_replay *replay;
    struct fm_traveller *travellers; /**< [location] */
    struct fm_crossing **crossings;  /**< [table][junction] */
    uint32_t *table_begin;           /**< [table]: follower of its first junction */
    uint64_t *met;                   /**< [location]: the search for circles that has met it last */
    uint64_t searches;               /**< for circles */
};

/** @return whether the new time of an event is known. */
bool fm_awaited_reached(const struct fm_replay_run *run, struct fm_awaited source, uint64_t *time);

/** Advances a location as far as possible. If it is not done, it waits for its event `blocked`, or
 * for a decision. @return whether it is done */
bool fm_traveller_advance(struct fm_replay_run *run, uint32_t location);

/** Advances a junction as far as possible.
 * @param blocked  out: the event that it needs
 * @return whether it is done */
bool fm_crossing_advance(struct fm_replay_run *run, uint32_t table, uint32_t junction,
                         struct fm_awaited *blocked);

/** When nothing advances any more: drops one dependency of each circle that can be reached from
 * some locations.
 * @param from  [count]; NULL: all locations
 * @param cut   the locations whose dependencies are dropped are added
 * @return the number of circles */
uint64_t fm_circles_cut(struct fm_replay_run *run, const uint32_t *from, size_t count,
                        fm_location_vector *cut);

#endif
