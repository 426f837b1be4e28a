/** @file
 * The order in which locks are acquired in a changed run (turn_queue.h): dependencies on releases
 * that it moves to other releases. */
#ifndef FERMATA_WHATIF_DECISIONS_LOCK_TURNS_H
#define FERMATA_WHATIF_DECISIONS_LOCK_TURNS_H

#include "analysis/detail.h"
#include "analysis/replay/replay.h"

/** The locks of a run, with their last order. */
struct fm_lock_turns;

/** An acquisition of a lock of threads with another number than when measured. */
struct fm_renumbered {
    uint64_t id; /**< of the lock, as in struct fm_thread_record */
    uint32_t process, order;
    uint32_t new_order;
};

typedef FM_VECTOR(struct fm_renumbered) fm_renumbered_vector;

/** @param edits  [location]: locks whose acquisitions they free or redirect keep the measured order
 * @return to be freed with fm_lock_turns_free() */
struct fm_lock_turns *fm_lock_turns_create(const struct fm_detail *detail,
                                           const struct fm_edits *edits);

/** NULL is allowed. */
void fm_lock_turns_free(struct fm_lock_turns *turns);

/** Finds the order anew, from the times of the replay that followed the last one; the dependencies
 * that this replay dropped from circles stay as measured from then on.
 * @param decided  [location]: what the order directs to other events is appended, unsorted
 * @return how many acquisitions overtake others */
uint64_t fm_lock_turns_take(struct fm_lock_turns *turns, const struct fm_replay *replay,
                            fm_redirected_vector *decided);

/** Appends the acquisitions of locks of threads that have another number in the last order. */
void fm_lock_turns_number(const struct fm_lock_turns *turns, fm_renumbered_vector *renumbered);

/** @return how many acquisitions that wait behind another owner are of locks that keep their
 * measured order. */
uint64_t fm_lock_turns_kept(const struct fm_lock_turns *turns, const struct fm_edits *edits);

#endif
