/** @file
 * What a location was doing when: time in each call path between two moments, without waiting.
 *
 * An interval may be long and there may be many of them: the answer comes from checkpoints, which
 * hold the profile of everything before them, and a walk over what lies between.
 */
#ifndef FERMATA_ANALYSIS_TIMELINE_H
#define FERMATA_ANALYSIS_TIMELINE_H

#include "analysis/findings.h"

/** A location's wait states in the order of their time, with the sum of all before each. */
struct fm_wait_list {
    uint32_t count;
    uint32_t *candidates; /**< positions in the findings' candidates */
    uint64_t *enter;      /**< begin of the waiting */
    uint64_t *until;      /**< its end */
    uint64_t *before;     /**< waiting time of the wait states before; [count]: of all */
};

struct fm_timeline {
    const struct fm_location *location;
    struct fm_wait_list waits;
    uint32_t stride; /**< boundaries between two checkpoints */
    uint32_t checkpoint_count;
    struct fm_timeline_checkpoint *checkpoints;
    uint64_t *profiles; /**< [checkpoint][node of the call tree] */
};

/** Time in each node of a location's call tree. `time` has one element for each node and is zero
 * where the node is not in `visits`. */
struct fm_profile {
    uint64_t *time;
    uint32_t *visits; /**< nodes with time */
    uint32_t count;
    uint32_t capacity;
};

/** Prepares the timeline of a location after the arbitration. Free it with fm_timeline_close(). */
void fm_timeline_open(struct fm_timeline *timeline, const struct fm_location *location,
                      const struct fm_findings *findings);
void fm_timeline_close(struct fm_timeline *timeline);

/** Computes the time in each node in [from, to) without waiting. Replaces what was in `profile`.
 * Safe to call from several threads for distinct profiles. */
void fm_timeline_profile(const struct fm_timeline *timeline, uint64_t from, uint64_t to,
                         struct fm_profile *profile);

/** @return number of the first wait state that ends behind `time`. */
uint32_t fm_wait_list_behind(const struct fm_wait_list *waits, uint64_t time);

/** Frees what a profile owns. */
void fm_profile_free(struct fm_profile *profile);

#endif
