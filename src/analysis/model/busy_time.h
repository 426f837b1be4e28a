/** @file
 * What a location was doing when: time in each node of its call tree, without waiting.
 *
 * It is walked once, from the begin to the end; the walking code may look at the time
 * spent in each node so far. The time between any two moments is found from checkpoints that the
 * walk has left behind, and a short walk from there.
 */
#ifndef FERMATA_ANALYSIS_MODEL_BUSY_TIME_H
#define FERMATA_ANALYSIS_MODEL_BUSY_TIME_H

#include "analysis/model/findings.h"

/** A wait state that a call has after the arbitration. */
struct fm_wait {
    uint64_t enter; /**< begin of the waiting, which is that of the call */
    uint64_t until; /**< its end */
    uint32_t activity;
    uint32_t cause_location;
    uint32_t cause_activity;
    uint8_t metric;  /**< fm_metric_t that the waiting time is booked on */
    bool propagates; /**< it has caused waiting: propagation.c sets it */
};

/** A location's wait states in the order of their ends. What few need of them stands apart: most go
 * through all of them, and memory is what that takes. */
struct fm_wait_list {
    uint32_t count;
    struct fm_wait *items;
    uint64_t *before;    /**< waiting time of the wait states before; [count]: of all */
    uint64_t *begin;     /**< of the interval that ends in the wait state: intervals.h sets it */
    uint32_t *positions; /**< among those that its cause has caused: delay_costs.c sets it */
    int32_t *covers; /**< [count + 1]: how many more intervals that caused waiting contain this wait
                          state than the one before; fm_wait_list_sum_up() makes it their number */
};

/** Notes that an interval that caused waiting contains the wait states first .. end - 1. */
static inline void fm_wait_list_cover(struct fm_wait_list *waits, uint32_t first, uint32_t end)
{
    if (first < end) {
        ++waits->covers[first];
        --waits->covers[end];
    }
}

/** Adds up what fm_wait_list_cover() has noted. */
void fm_wait_list_sum_up(struct fm_wait_list *waits);

/** @return ticks of a wait state. */
static inline uint64_t fm_wait_ticks(const struct fm_wait *wait)
{
    return wait->until - wait->enter;
}

/** Where a walk stands: `visit` is what the location does from `time` to `until`, the next
 * boundary. Boundaries are changes of state, and begins and ends of communication calls. */
struct fm_busy_time_walk {
    uint64_t time;
    uint64_t until;
    uint64_t next_state; /**< time of the next change of state; UINT64_MAX: none */
    uint64_t next_call;  /**< Enter of the next communication call; UINT64_MAX: none */
    uint64_t next_wait;  /**< begin of wait state `wait`; UINT64_MAX: none */
    uint32_t visit;      /**< node; number of nodes: none */
    uint32_t outer;      /**< inside a call without boundaries: node that goes on behind it */
    uint32_t state;      /**< next change of state */
    uint32_t activity;   /**< next communication call */
    uint32_t wait;       /**< first wait state that may not be over */
    bool in_call;        /**< inside call `activity` - 1, in which there are no boundaries */
};

struct fm_busy_time {
    const struct fm_location *location;
    struct fm_wait_list waits;
    uint32_t nodes; /**< of the call tree */
    struct fm_busy_time_walk walk;
    uint64_t *busy;      /**< [node]: time spent before `walk.time`; one element more for no node */
    uint32_t stride;     /**< boundaries between two checkpoints */
    uint32_t until_next; /**< boundaries before the next checkpoint */
    uint32_t checkpoint_count;
    struct fm_busy_time_walk *checkpoints;
    uint64_t *profiles; /**< [checkpoint][node]: time spent before it */
};

/** Time in each node of a location's call tree. `time` has one element for each node and is zero
 * where the node is not in `visits`. */
struct fm_profile {
    uint64_t *time;
    uint32_t *visits; /**< nodes with time, ascending */
    uint32_t count;
    uint32_t capacity;
};

/** Prepares the busy time of a location after the arbitration; the walk stands at its begin. Free
 * it with fm_busy_time_close(). */
void fm_busy_time_open(struct fm_busy_time *busy_time, const struct fm_location *location,
                       const struct fm_findings *findings);
void fm_busy_time_close(struct fm_busy_time *busy_time);

/** Walks on to `time`, which must not be before where the walk stands: `busy_time->busy` is the
 * time spent before it then. */
void fm_busy_time_walk_to(struct fm_busy_time *busy_time, uint64_t time);

/** Makes a copy of a walked busy time whose walk stands at the begin again and leaves no
 * checkpoints. The copy shares all tables but `copy->busy`, which is to be freed with fm_free(). */
void fm_busy_time_reopen(const struct fm_busy_time *busy_time, struct fm_busy_time *copy);

/** @return whether the walk stands in (or at an end of) a call, and nothing happens inside it. */
static inline bool fm_busy_time_is_in(const struct fm_busy_time *busy_time, uint32_t activity)
{
    return busy_time->walk.in_call && busy_time->walk.activity == activity + 1;
}

/** Computes the time in each node in [from, to) without waiting. Replaces what was in `profile`.
 * Quick where the busy time was walked already. Safe to call from several threads for distinct
 * profiles while there is no walk. */
void fm_busy_time_profile(const struct fm_busy_time *busy_time, uint64_t from, uint64_t to,
                          struct fm_profile *profile);

/** @return number of the first wait state that ends behind `time`. */
uint32_t fm_wait_list_behind(const struct fm_wait_list *waits, uint64_t time);

/** Frees what a profile owns. */
void fm_profile_free(struct fm_profile *profile);

#endif
