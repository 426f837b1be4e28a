/** @file
 * Which call of a target serves a one-sided operation or lock in a changed run: the first call that
 * makes progress and runs when the operation's call is entered, or begins later. As measured, it is
 * the one that the dependency names. */
#ifndef FERMATA_WHATIF_DECISIONS_SERVING_CALLS_H
#define FERMATA_WHATIF_DECISIONS_SERVING_CALLS_H

#include "analysis/detail.h"
#include "analysis/replay/replay.h"

/** The calls of a run that need the progress of targets, with the calls that serve them. */
struct fm_serving_calls;

/** @return to be freed with fm_serving_calls_free() */
struct fm_serving_calls *fm_serving_calls_create(const struct fm_detail *detail);

/** NULL is allowed. */
void fm_serving_calls_free(struct fm_serving_calls *calls);

/** Finds the serving calls anew, from the times of a replay; dependencies that this replay dropped
 * from circles are on the measured call from then on. O(needs log calls)
 * @param decided  [location]: what is on other calls now, or on none, is appended, unsorted
 * @return how many that are */
uint64_t fm_serving_calls_take(struct fm_serving_calls *calls, const struct fm_replay *replay,
                               fm_redirected_vector *decided);

#endif
