/** @file
 * What a program decides by its times, and a changed run therefore decides otherwise: who gets a
 * lock next, and which call of a target serves a one-sided operation.
 *
 * A replay follows given decisions. They are taken anew from its times, and the replay is repeated
 * until the times agree with the decisions that they come from. All decisions before the first
 * wrong one, in the time of the run, are final: they depend on nothing that comes later. Therefore
 * each replay makes at least one more of them right; mostly, all are after one or two. Without
 * changes, the decisions are the measured ones, exactly.
 */
#ifndef FERMATA_WHATIF_DECISIONS_DECISIONS_H
#define FERMATA_WHATIF_DECISIONS_DECISIONS_H

#include "analysis/detail.h"
#include "analysis/replay/replay.h"
#include "whatif/decisions/lock_turns.h"

/** What differs from the measured run, in the last decisions. */
struct fm_decision_counts {
    uint64_t overtaking; /**< acquisitions of locks before others that had the lock before them */
    uint64_t served;     /**< calls that another call of a target serves, or none */
    uint64_t kept; /**< acquisitions behind another owner whose order is as measured whatever the
                        times are */
};

struct fm_decisions;

/** @param edits  [location]: of the changes; `decided` is set by fm_decisions_take()
 * @return to be freed with fm_decisions_free() */
struct fm_decisions *fm_decisions_create(const struct fm_detail *detail, struct fm_edits *edits);

/** NULL is allowed. */
void fm_decisions_free(struct fm_decisions *decisions);

/** Takes the decisions anew, from the times of a replay that followed the last ones.
 * @return whether any differs from the last ones: the edits have changed */
bool fm_decisions_take(struct fm_decisions *decisions, const struct fm_replay *replay);

/** Lists the acquisitions of locks of threads that have another number by the last decisions,
 * ascending by process, lock and number.
 * @param renumbered  empty; to be freed with fm_vector_free() */
void fm_decisions_number(const struct fm_decisions *decisions, fm_renumbered_vector *renumbered);

/** @return the new number of an acquisition. O(log n) */
uint32_t fm_renumbered_order(const fm_renumbered_vector *renumbered, uint32_t process, uint64_t id,
                             uint32_t order);

/** @return the counts of the last decisions. */
struct fm_decision_counts fm_decisions_count(const struct fm_decisions *decisions);

#endif
