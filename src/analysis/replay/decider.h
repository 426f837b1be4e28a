/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What a replay has decided by its times: dependencies whose event depends on what else has
 * happened, as who had a lock before. The replay reports the times that matter as soon as they are
 * known, and asks for the decisions when a call needs them. When nothing advances any more, the
 * decider takes the earliest decision that is open: all that is not known yet happens later.
 *
 * A replay with a decider is sequential.
 */
#ifndef FERMATA_ANALYSIS_REPLAY_DECIDER_H
#define FERMATA_ANALYSIS_REPLAY_DECIDER_H

#include "analysis/dependencies/dependencies.h"
#include "base/containers/vector.h"

#include <stdbool.h>
#include <stdint.h>

struct fm_replay;

/** A replay with a decider advances each location a few calls at a time, in turns: too many
 * sequences of accesses for the processor to see that each of them goes on. What is read once for
 * each call is therefore fetched so many calls ahead. */
#define FM_CALLS_AHEAD 8U

/** A dependency whose event is decided. */
struct fm_decided_dependency {
    uint32_t position; /**< among the dependencies of the location */
    uint32_t subject;  /**< of the decider's own numbers */
    uint32_t number;   /**< likewise */
};

/** Which times of a watched call matter: bits. */
typedef enum { FM_WATCHED_ENTER = 1, FM_WATCHED_LEAVE = 2 } fm_watched_times_t;

/** A call whose times matter. */
struct fm_watched_call {
    uint32_t activity;
    uint32_t subject; /**< of the decider's own numbers */
    uint32_t number;  /**< likewise */
    uint8_t times;    /**< bits fm_watched_times_t */
    uint8_t role;     /**< of the decider's own numbers */
};

typedef FM_VECTOR(struct fm_decided_dependency) fm_decided_vector;
typedef FM_VECTOR(struct fm_watched_call) fm_watched_vector;
typedef FM_VECTOR(uint32_t) fm_location_vector;

/** The event of a dependency. */
typedef enum {
    FM_EVENT_OPEN,     /**< not decided yet */
    FM_EVENT_MEASURED, /**< that of the measured run */
    FM_EVENT_OTHER,    /**< another one */
    FM_EVENT_NONE      /**< the call waits for nothing */
} fm_event_choice_t;

struct fm_decider {
    void *context;
    const fm_decided_vector *decided; /**< [location]: ascending by position */
    const fm_watched_vector *watched; /**< [location]: ascending by activity */

    /** Takes notice of a call of a location that has been entered or left, as the replay's times
     * state, if that matters. Several calls that poll together: both at their end. */
    void (*notice)(void *context, const struct fm_replay *replay, uint32_t location,
                   const struct fm_watched_call *call);

    /** Chooses the event of a dependency. May be called again until the event is reached.
     * @param event  out, with FM_EVENT_OTHER: `t` and `source`
     * A location whose event is open is to be in `woken` when it may have been decided. */
    fm_event_choice_t (*choose)(void *context, const struct fm_replay *replay, uint32_t location,
                                const struct fm_decided_dependency *dependency,
                                struct fm_dependency *event);

    /** Takes the earliest open decision, or states that it cannot be taken yet.
     * @return false: none can be taken */
    bool (*decide_next)(void *context, const struct fm_replay *replay);

    /** Decides on a dependency whose event is open, although nothing is known of it, as no other
     * decision can be taken: calls wait for one another. */
    void (*force)(void *context, const struct fm_replay *replay, uint32_t location,
                  const struct fm_decided_dependency *dependency);

    fm_location_vector woken; /**< out: locations whose open events may be decided now. The replay
                                   removes them, and frees the vector */
};

#endif
