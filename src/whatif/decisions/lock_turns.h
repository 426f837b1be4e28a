/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The order in which locks are acquired in a changed run (turn_queue.h): dependencies on releases
 * that it moves to other releases. */
#ifndef FERMATA_WHATIF_DECISIONS_LOCK_TURNS_H
#define FERMATA_WHATIF_DECISIONS_LOCK_TURNS_H

#include "analysis/detail.h"
#include "analysis/replay/decider.h"
#include "analysis/replay/replay.h"
#include "whatif/decisions/turn_queue.h"

/** The locks of a run: those that several owners acquire. */
struct fm_lock_turns;

/** An acquisition of a lock of threads with another number than when measured. */
struct fm_renumbered {
    uint64_t id; /**< of the lock, as in struct fm_thread_record */
    uint32_t process, order;
    uint32_t new_order;
};

typedef FM_VECTOR(struct fm_renumbered) fm_renumbered_vector;

/** Learns the measured order of all locks, which are numbered from 0 on.
 * @return to be freed with fm_lock_turns_free() */
struct fm_lock_turns *fm_lock_turns_create(const struct fm_detail *detail);

/** NULL is allowed. */
void fm_lock_turns_free(struct fm_lock_turns *turns);

uint32_t fm_lock_turns_count(const struct fm_lock_turns *turns);

/** Adds the dependencies and calls of all locks to those of their locations, unsorted; the subject
 * is the lock. @param decided, watched  [location] */
void fm_lock_turns_list(const struct fm_lock_turns *turns, fm_decided_vector *decided,
                        fm_watched_vector *watched);

/** Begins a prediction.
 * @param edits  [location]: locks whose acquisitions they free or redirect keep the measured order
 */
void fm_lock_turns_begin(struct fm_lock_turns *turns, const struct fm_edits *edits);

/** Reads the times of an acquisition from a replay, as far as they are known.
 * @param call  one that is watched for it
 * @return whether any was not known before */
bool fm_lock_turns_observe(struct fm_lock_turns *turns, const struct fm_replay *replay,
                           uint32_t location, const struct fm_watched_call *call);

/** Lets owners have a lock as far as that can be decided.
 * @param woken  added to: the locations whose calls wait for the decisions
 * @param wait   out: when the next one can be taken */
void fm_lock_turns_advance(struct fm_lock_turns *turns, uint32_t lock,
                           struct fm_known_requests known, fm_location_vector *woken,
                           struct fm_turn_wait *wait);

/** Grants an acquisition that was not granted yet, whether its lock is free or not. */
void fm_lock_turns_force(struct fm_lock_turns *turns, uint32_t lock, uint32_t number);

/** @return what an acquisition depends on, as fm_decider's `choose`. */
fm_event_choice_t fm_lock_turns_choose(const struct fm_lock_turns *turns, uint32_t lock,
                                       uint32_t number, struct fm_dependency *event);

/** Keeps the measured order, in all predictions, of the locks that this prediction has decided
 * otherwise. @return their number */
uint64_t fm_lock_turns_keep_moved(struct fm_lock_turns *turns);

/** @return how many acquisitions of this prediction have overtaken others. */
uint64_t fm_lock_turns_overtaking(const struct fm_lock_turns *turns);

/** Ends a prediction: appends the acquisitions of locks of threads that have another number in it.
 */
void fm_lock_turns_number(struct fm_lock_turns *turns, fm_renumbered_vector *renumbered);

/** @return how many acquisitions that wait behind another owner are of locks that keep their
 * measured order in this prediction. */
uint64_t fm_lock_turns_kept(const struct fm_lock_turns *turns, const struct fm_edits *edits);

#endif
