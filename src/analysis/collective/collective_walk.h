/** @file
 * A process's parts in collective operations on communicators, in the order in which it took part.
 * Those that happened while recording was paused count in that order.
 */
#ifndef FERMATA_ANALYSIS_COLLECTIVE_COLLECTIVE_WALK_H
#define FERMATA_ANALYSIS_COLLECTIVE_COLLECTIVE_WALK_H

#include "analysis/collective/instance.h"
#include "analysis/model/gaps.h"
#include "analysis/model/record_merge.h"
#include "base/containers/map.h"

/** A process's place in a communicator. Private to the walk. */
struct fm_membership {
    uint32_t communicator;
    uint32_t rank;
    uint32_t next_ordinal[2]; /**< by series */
};

/** Used for one process after the other. `struct fm_collective_walk w = {0};` is a new one. */
struct fm_collective_walk {
    const struct fm_trace *trace;
    uint32_t process;
    struct fm_record_merge merge;
    struct fm_gaps gaps;
    struct fm_map membership_of; /**< communicator -> position */
    FM_VECTOR(struct fm_membership) memberships;
    uint32_t recent; /**< in `memberships` */
};

/** Begins a process. */
void fm_collective_walk_begin(struct fm_collective_walk *walk, const struct fm_trace *trace,
                              uint32_t process);

/** Finds the next part in an operation that was completed, on a communicator with more than one
 * member.
 * @param member  out
 * @return whether there was one */
bool fm_collective_walk_next(struct fm_collective_walk *walk, struct fm_member *member);

void fm_collective_walk_free(struct fm_collective_walk *walk);

#endif
