/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The search for the blamed ones, as its parts share it. Private to this folder.
 */
#ifndef FERMATA_ANALYSIS_CAUSES_BLAME_RUN_H
#define FERMATA_ANALYSIS_CAUSES_BLAME_RUN_H

#include "analysis/causes/blame/blame.h"
#include "analysis/causes/blame/blame_window.h"
#include "analysis/causes/time_windows.h"
#include "analysis/locks/lock_holders.h"
#include "base/containers/keyed_sort.h"

/** A part of the time in which a location waits, inside one window. */
struct fm_waiting_part {
    uint64_t from, to;
    uint64_t until;        /**< end of the wait state */
    uint64_t latest_until; /**< of this part and those before */
    uint32_t wait;         /**< number in the location's list */
    uint32_t window;
    bool is_entered; /**< others wait for the location meanwhile: it is a link in their chains */
};

/** While a location itself waits, it is blamed for a wait state that ends earlier. */
struct fm_dead_end {
    uint64_t from, to;
    uint64_t weight;
    uint32_t kind;
};

/** Memory of a worker, which each location uses in turn. */
struct fm_blame_scratch {
    FM_VECTOR(struct fm_waiting_part) parts;
    FM_VECTOR(struct fm_keyed) begins; /**< of the wait states that others wait for the location */
    FM_VECTOR(struct fm_keyed) spare;
    FM_VECTOR(uint64_t) weights;  /**< [wait state that the location has caused] */
    FM_VECTOR(uint32_t) arrivals; /**< those of them that are no contentions, by their ends */
    FM_VECTOR(struct fm_dead_end) dead_ends;
    FM_VECTOR(struct fm_keyed) dead_end_times; /**< value: 2 * number, + 1: its end */
    FM_VECTOR(struct fm_keyed) boundaries;
    FM_VECTOR(uint32_t) active;
    FM_VECTOR(uint64_t)
    holders; /**< [own wait state]: of locks, of those before it; the last
                  element: of all; no elements: none */
    unsigned char apart[FM_APART];
};

typedef FM_VECTOR(struct fm_blame_change) fm_blame_changes;

struct fm_blame_run {
    const struct fm_formation *formation;
    const struct fm_blame_request *request; /**< NULL: nobody wants to know all together */
    const struct fm_blame_each *each;       /**< NULL: or of each wait state */
    unsigned samples;                       /**< of a wait state with too many holders */
    struct fm_blame_kinds kinds;
    struct fm_time_windows windows;
    uint32_t *homes;                   /**< [window]: process whose worker follows its chains */
    uint32_t home_count;               /**< number of these processes */
    uint32_t first_window, end_window; /**< those that are followed now */
    struct fm_blame_window *tables;    /**< [window] */
    fm_blame_changes *blamed;          /**< [location]: by chains */
    struct fm_blame_scratch *scratch;  /**< by worker */
    struct fm_dispatch *ties, *changes, *blames, *pieces;
};

/** Blames a location for the wait states of others as long as it does not wait itself, and sends
 * what enters its own wait states to the windows. */
void fm_blame_location(struct fm_blame_run *run, unsigned worker, uint32_t location);

/** Blames a location for what the chains have found. */
void fm_blame_by_chains(struct fm_blame_run *run, unsigned worker, uint32_t location);

/** Hands out a part of a wait state for which a location is blamed, which the worker owns unless
 * visits are not wanted. */
void fm_blame_piece_of_wait(const struct fm_blame_run *run, unsigned worker,
                            struct fm_blame_wait_piece piece);

void fm_blame_scratch_free(struct fm_blame_scratch *scratch);

#endif
