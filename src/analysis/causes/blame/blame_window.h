/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A time window of the run in which the chains of wait states are followed: which locations depend
 * on one another when, and how many wait states enter the chains where. Private to this folder.
 *
 * The blame of a wait state W is found in two steps. While the location that W depends on does not
 * wait, it is blamed, which this location finds out by itself (waiting_parts.c). While it waits, W
 * *enters* its wait state, which is a link in a chain: that needs what all locations know, window
 * by window (chains.c).
 */
#ifndef FERMATA_ANALYSIS_CAUSES_BLAME_WINDOW_H
#define FERMATA_ANALYSIS_CAUSES_BLAME_WINDOW_H

#include "base/containers/vector.h"
#include "cube/model/delay_kind.h"
#include "engine/dispatch/dispatch.h"

#include <stdbool.h>
#include <stdint.h>

/** What a location or succession depends on for some time. */
typedef enum {
    FM_TIE_WAIT,       /**< `location` waits for `other`, or for the holders of `succession` */
    FM_TIE_HOLDER,     /**< `location` is the holder of `succession`, or, with a `weight`, does not
                            make the progress that it needs; FM_NONE: it has no holder, who depends
                            on it is blamed at its waiting call */
    FM_TIE_CONTENTION, /**< a wait state of `location` with `weight` depends on the holders of
                            `succession` */
    FM_TIE_SOURCE, /**< it is to be found out who is blamed for wait state `weight` of `location`,
                        which depends on `other` or on the holders of `succession` */
    FM_TIE_SAMPLE, /**< likewise, but who is blamed at one instant of it, fm_blame_instant(), is
                        taken for all of it */
    FM_TIE_DETOUR  /**< while `location` waits until `until` for `other`, this one waits for
                        longer: it is blamed at its waiting call */
} fm_tie_type_t;

/** The times are inside the window. */
struct fm_blame_tie {
    uint64_t from, to;
    uint64_t until; /**< end of the wait state as a whole */
    uint64_t succession;
    uint64_t weight;
    uint32_t location;
    uint32_t other; /**< FM_NONE: `succession` */
    uint32_t window;
    uint16_t type; /**< fm_tie_type_t */
    uint16_t kind; /**< fm_delay_kind_t, of a contention */
};

/** @return an instant of a tie, each of them with the same chance; the same one each time. */
static inline uint64_t fm_blame_instant(const struct fm_blame_tie *tie)
{
    const uint64_t mixed = (tie->from * 0x9e3779b97f4a7c15U ^ tie->location) * 0xbf58476d1ce4e5b9U;
    return tie->from + (uint64_t)(((unsigned __int128)mixed * (tie->to - tie->from)) >> 64);
}

/** From `time` on, `weight` more (modulo 2^64) wait states of a kind enter the wait state of a
 * location; or blame a location. */
struct fm_blame_change {
    uint64_t time;
    uint64_t weight;
    uint32_t location;
    uint16_t window;
    uint16_t kind; /**< fm_delay_kind_t */
};

struct fm_blame_window {
    FM_VECTOR(struct fm_blame_tie) ties;
    FM_VECTOR(struct fm_blame_change) changes; /**< those of a location ascending by time */
};

/** The kinds of wait states that the run has. */
struct fm_blame_kinds {
    uint32_t count;
    uint8_t kinds[FM_DELAY_NONE];
    uint8_t index[FM_DELAY_NONE]; /**< of a kind in `kinds` */
};

/** Follows the chains of a window.
 * @param locations  number of all
 * @param blame  is called for each change of what a location is blamed for by these chains; those
 * of a location come in the order of time */
void fm_chains_follow(const struct fm_blame_window *window, const struct fm_blame_kinds *kinds,
                      uint32_t locations,
                      void (*blame)(void *context, const struct fm_blame_change *change),
                      void *context);

/** A part of a wait state and the location that is blamed for it. */
struct fm_chain_end {
    const struct fm_blame_tie *source;
    uint64_t from, to;
    uint64_t at; /**< of a FM_TIE_SAMPLE: the instant that stands for all of it */
    uint32_t location;
    bool lacks_progress; /**< the chain has a link because of that */
};

/** Follows the chains of each source (FM_TIE_SOURCE) of a window.
 * @param end  is called for each end of a chain */
void fm_chains_follow_each(const struct fm_blame_window *window,
                           void (*end)(void *context, const struct fm_chain_end *end),
                           void *context);

#endif
