/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Which call of a target serves a one-sided operation or lock in a changed run: the first call that
 * makes progress and runs when the need begins, or begins later. The need begins when the
 * operation's call is entered, or behind it when the lock that the call waits for is passed on. As
 * measured, it is the call that the dependency names. */
#ifndef FERMATA_WHATIF_DECISIONS_SERVING_CALLS_H
#define FERMATA_WHATIF_DECISIONS_SERVING_CALLS_H

#include "analysis/detail.h"
#include "analysis/replay/decider.h"
#include "analysis/replay/replay.h"
#include "whatif/decisions/turn_queue.h"

/** The calls of a run that need the progress of targets, with the calls that serve them. */
struct fm_serving_calls;

/** @return to be freed with fm_serving_calls_free() */
struct fm_serving_calls *fm_serving_calls_create(const struct fm_detail *detail);

/** NULL is allowed. */
void fm_serving_calls_free(struct fm_serving_calls *calls);

/** Adds the dependencies to those of their locations, unsorted.
 * @param decided  [location] */
void fm_serving_calls_list(const struct fm_serving_calls *calls, uint32_t subject,
                           fm_decided_vector *decided);

/** Begins a prediction. */
void fm_serving_calls_begin(struct fm_serving_calls *calls);

/** Finds the call that serves, as fm_decider's `choose`. The call is to have been entered.
 * Amortized O(1) for calls that are searched in the order of time, else O(log calls).
 * @param known    of all calls
 * @param is_last  nothing more will be known before this is decided
 * @param wait     out, if it is open: when it can be decided; FM_UNKNOWN_TIME: when another thread
 * of the target has entered a call */
fm_event_choice_t fm_serving_calls_choose(struct fm_serving_calls *calls,
                                          const struct fm_replay *replay, uint32_t number,
                                          struct fm_known_requests known, bool is_last,
                                          struct fm_dependency *event, struct fm_turn_wait *wait);

/** Keeps as measured, in all predictions, what this one has decided otherwise. @return how many */
uint64_t fm_serving_calls_keep_moved(struct fm_serving_calls *calls);

/** @return how many dependencies are on other calls than when measured in this prediction, or on
 * none. */
uint64_t fm_serving_calls_moved(const struct fm_serving_calls *calls);

#endif
