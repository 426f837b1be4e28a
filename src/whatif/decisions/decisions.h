/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What a program decides by its times, and a changed run therefore decides otherwise: who gets a
 * lock next, and which call of a target serves a one-sided operation.
 *
 * The decisions are taken inside the replay (analysis/replay/decider.h): at once where no time that
 * is not known yet can change them, otherwise in the order of time, when the replay does not
 * advance without. The method is that of conservative simulation of discrete events, with one event
 * list for all that is open. Cost: O(log n) for each.
 *
 * Without changes, all decisions are the measured ones: what a replay of the measured run decides
 * otherwise is kept as measured.
 */
#ifndef FERMATA_WHATIF_DECISIONS_DECISIONS_H
#define FERMATA_WHATIF_DECISIONS_DECISIONS_H

#include "analysis/detail.h"
#include "analysis/replay/decider.h"
#include "analysis/replay/replay.h"
#include "whatif/decisions/lock_turns.h"

/** What differs from the measured run in a prediction. */
struct fm_decision_counts {
    uint64_t overtaking; /**< acquisitions of locks before others that had the lock before them */
    uint64_t served;     /**< calls that another call of a target serves, or none */
    uint64_t kept; /**< acquisitions behind another owner whose order is as measured whatever the
                        times are */
};

struct fm_decisions;

/** Learns the measured order of locks and which calls served, once for all predictions.
 * @param detail  is to outlive the decisions
 * @return to be freed with fm_decisions_free() */
struct fm_decisions *fm_decisions_create(const struct fm_detail *detail);

/** NULL is allowed. */
void fm_decisions_free(struct fm_decisions *decisions);

/** Decides on the measured run, to keep as measured what comes out otherwise: replays it once, and
 * again after each time that decides otherwise than measured. Nothing happens the second time. */
void fm_decisions_rehearse(struct fm_decisions *decisions);

/** Begins a prediction, the first one with fm_decisions_rehearse().
 * @param edits  [location]: of the changes
 * @return who decides in its replay, valid until the next call; NULL: nothing is to be decided */
struct fm_decider *fm_decisions_begin(struct fm_decisions *decisions, const struct fm_edits *edits);

/** Lists, after the replay, the acquisitions of locks of threads that have another number in the
 * prediction, ascending by process, lock and number.
 * @param renumbered  empty; to be freed with fm_vector_free() */
void fm_decisions_number(struct fm_decisions *decisions, fm_renumbered_vector *renumbered);

/** @return the new number of an acquisition. O(log n) */
uint32_t fm_renumbered_order(const fm_renumbered_vector *renumbered, uint32_t process, uint64_t id,
                             uint32_t order);

/** @return the number of dependencies that are decided, and of calls whose times matter for that:
 * what decisions add to a replay. */
uint64_t fm_decisions_steps(const struct fm_decisions *decisions);

/** @return the counts of the prediction, after its replay. */
struct fm_decision_counts fm_decisions_count(const struct fm_decisions *decisions);

#endif
