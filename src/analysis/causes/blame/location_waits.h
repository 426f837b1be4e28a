/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The wait states of one location that is blamed: its own waiting parts, and the wait states of
 * others that it has caused. Private to location_blame.c and location_waits.c.
 */
#ifndef FERMATA_ANALYSIS_CAUSES_BLAME_LOCATION_WAITS_H
#define FERMATA_ANALYSIS_CAUSES_BLAME_LOCATION_WAITS_H

#include "analysis/causes/blame/blame_run.h"

/** A location that is examined. */
struct fm_blamed_location {
    struct fm_blame_run *run;
    struct fm_blame_scratch *scratch;
    unsigned worker;
    uint32_t number;
    const struct fm_busy_time *busy_time;
    const struct fm_caused_waits *caused;
    struct fm_lock_view *view; /**< NULL: no locks */
    struct fm_busy_time_walk walk;
};

/** @return whether each piece of the blame for a wait state is wanted for itself. */
static inline bool fm_blame_is_wanted(const struct fm_blamed_location *examined,
                                      const struct fm_caused_wait *wait)
{
    const struct fm_blame_each *each = examined->run->each;
    return each != NULL &&
           (each->is_wanted == NULL || each->is_wanted(each->context, examined->number, wait));
}

/** Sends a tie to all windows that it overlaps. */
void fm_blame_send_tie(const struct fm_blamed_location *examined, struct fm_blame_tie tie);

/** Sends what is to be followed for itself: a FM_TIE_SOURCE, or, if it depends on more holders of
 * locks than FM_HOLDERS_EXAMINED, FM_TIE_SAMPLEs.
 * @param source  all but `type` and `window` is set */
void fm_blame_send_source(const struct fm_blamed_location *examined,
                          const struct fm_blame_tie *source, uint64_t holders);

/** @return the number of holders of locks for which the location itself waits in its wait states
 * between two moments, at most */
uint64_t fm_blame_holders_between(const struct fm_blamed_location *examined, uint64_t from,
                                  uint64_t to);

/** Sends the spans in which the location holds locks. */
void fm_blame_send_spans(const struct fm_blamed_location *examined);

/** Fills the worker's memory: the location's own waiting parts and whether others depend on it
 * there, the wait states for which the location itself is waited for, and the dead ends among them.
 * Sends contentions for locks with known holders, and detours around dead ends, to the windows. */
void fm_blame_list_waits(struct fm_blamed_location *examined);

#endif
