/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The busy time of a location: time in each node of its call tree, without waiting.
 *
 * The busy time is walked once, from the begin to the end; the time spent in each node so far is
 * available during the walk. The walk stores checkpoints, so that the profile of any interval is
 * computed from two checkpoints and a short walk from each.
 */
#ifndef FERMATA_ANALYSIS_MODEL_BUSY_TIME_H
#define FERMATA_ANALYSIS_MODEL_BUSY_TIME_H

#include "analysis/model/findings.h"

/** A wait state chosen by the arbitration. */
struct fm_wait {
    uint64_t enter; /**< begin of the waiting: Enter of the call */
    uint64_t until; /**< end of the waiting */
    uint32_t activity;
    uint32_t cause_location;
    uint32_t cause_activity;
    uint8_t metric;  /**< fm_metric_t of the waiting time */
    bool propagates; /**< it has caused other waiting: set by propagation.c */
};

/** A location's wait states, ascending by their ends. Rarely used fields have arrays of their own:
 * most loops over all wait states are bound by memory bandwidth. */
struct fm_wait_list {
    uint32_t count;
    struct fm_wait *items;
    uint64_t *before; /**< sum of the waiting times before each wait state; [count]: of all */
    uint64_t *begin;  /**< begin of the interval that ends in the wait state: set by intervals.c */
    uint32_t *positions; /**< position among the wait states of the same causing location: set by
                            delay_costs.c */
    int32_t *covers; /**< [count + 1]: number of intervals that caused waiting and contain this wait
                        state, minus the number for the one before; fm_wait_list_sum_up() converts
                        it to the number */
};

/** Registers an interval that caused waiting and contains the wait states first .. end - 1. */
static inline void fm_wait_list_cover(struct fm_wait_list *waits, uint32_t first, uint32_t end)
{
    if (first < end) {
        ++waits->covers[first];
        --waits->covers[end];
    }
}

/** Computes `covers` after all calls of fm_wait_list_cover(). */
void fm_wait_list_sum_up(struct fm_wait_list *waits);

/** @return ticks of a wait state. */
static inline uint64_t fm_wait_ticks(const struct fm_wait *wait)
{
    return wait->until - wait->enter;
}

/** State of a walk: `visit` is the location's node from `time` to `until`, the next boundary.
 * Boundaries are changes of state, and begins and ends of communication calls. */
struct fm_busy_time_walk {
    uint64_t time;
    uint64_t until;
    uint64_t next_state; /**< time of the next change of state; UINT64_MAX: none */
    uint64_t next_call;  /**< Enter of the next communication call; UINT64_MAX: none */
    uint64_t next_wait;  /**< begin of wait state `wait`; UINT64_MAX: none */
    uint32_t visit;      /**< node; number of nodes: none */
    uint32_t outer;      /**< inside a call without boundaries: node after the call */
    uint32_t state;      /**< next change of state */
    uint32_t activity;   /**< next communication call */
    uint32_t wait;       /**< first wait state that has possibly not ended */
    uint32_t merged;     /**< merged call of `visit` if `is_merged`, or a later one */
    bool is_merged;      /**< `visit` is a call that stands for several ones */
    bool in_call;        /**< inside call `activity` - 1, in which there are no boundaries */
};

struct fm_busy_time {
    const struct fm_location *location;
    struct fm_wait_list waits;
    uint32_t nodes; /**< of the call tree */
    struct fm_busy_time_walk walk;
    uint64_t *busy;  /**< [node]: time spent before `walk.time`; the last element is for no node */
    uint32_t stride; /**< boundaries between two checkpoints */
    uint32_t until_next; /**< boundaries before the next checkpoint */
    uint32_t checkpoint_count;
    struct fm_busy_time_walk *checkpoints;
    uint64_t *profiles; /**< [checkpoint][node]: time spent before the checkpoint */
};

/** Time in each node of a location's call tree. `time` has one element for each node and is zero
 * where the node is not in `visits`. */
struct fm_profile {
    uint64_t *time;
    uint32_t *visits; /**< nodes with time, ascending */
    uint32_t count;
    uint32_t capacity;
};

/** Prepares the busy time of a location after the arbitration, with the walk at its begin. Free
 * with fm_busy_time_close(). */
void fm_busy_time_open(struct fm_busy_time *busy_time, const struct fm_location *location,
                       const struct fm_findings *findings);
void fm_busy_time_close(struct fm_busy_time *busy_time);

/** Continues the walk to `time`, which must not be before its current time: afterwards
 * `busy_time->busy` is the time spent before `time`. */
void fm_busy_time_walk_to(struct fm_busy_time *busy_time, uint64_t time);

/** Makes a copy of a walked busy time whose walk is at the begin again and leaves no checkpoints.
 * The copy shares all tables but `copy->busy`, which is to be freed with fm_free(). */
void fm_busy_time_reopen(const struct fm_busy_time *busy_time, struct fm_busy_time *copy);

/** @return whether the walk is in (or at an end of) a call without events inside. */
static inline bool fm_busy_time_is_in(const struct fm_busy_time *busy_time, uint32_t activity)
{
    return busy_time->walk.in_call && busy_time->walk.activity == activity + 1;
}

/** Computes the time in each node in [from, to) without waiting. Replaces the content of `profile`.
 * Fast where the busy time was walked already. Thread-safe for distinct profiles while there is no
 * walk. */
void fm_busy_time_profile(const struct fm_busy_time *busy_time, uint64_t from, uint64_t to,
                          struct fm_profile *profile);

/** The same with waiting. The walk begins at the last checkpoint before `from`: for short
 * intervals.
 */
void fm_busy_time_whole_profile(const struct fm_busy_time *busy_time, uint64_t from, uint64_t to,
                                struct fm_profile *profile);

/** Moves a walk of the caller, which starts as {0}, forward to `time`: afterwards `walk->visit` is
 * the node of the call tree at this time (the number of nodes: none), waiting or not, and stays it
 * until `walk->until`, which is later. The busy time must have been walked to its end. Amortized
 * O(1) for a small step, O(log n) for a large one. */
void fm_busy_time_look(const struct fm_busy_time *busy_time, struct fm_busy_time_walk *walk,
                       uint64_t time);

/** @return number of the first wait state that ends after `time`; `count` of the list: none. */
uint32_t fm_wait_list_behind(const struct fm_wait_list *waits, uint64_t time);

/** Frees what a profile owns. */
void fm_profile_free(struct fm_profile *profile);

#endif
