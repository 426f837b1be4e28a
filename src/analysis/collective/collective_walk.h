/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Walks over the parts of a process in collective operations on communicators, in the order of its
 * calls. Operations that were not recorded (pauses) count in this order.
 *
 * Init and Finalize of each library take part by their calls, also if they have no collective
 * records, and are numbered separately: they are operations of all processes of the run; of all of
 * one MPI_COMM_WORLD, if there are several. A record of MPI_Init on an inter-communicator connects
 * spawned processes with those that spawned them: it belongs to the call that did.
 *
 * The starts of each persistent collective form a series of their own: processes may start several
 * in any order.
 *
 * The operations of each programming model form series of their own. Those whose records name a
 * window (SHMEM, ARMCI, coarrays: an active set, group or team) are numbered on this window.
 */
#ifndef FERMATA_ANALYSIS_COLLECTIVE_COLLECTIVE_WALK_H
#define FERMATA_ANALYSIS_COLLECTIVE_COLLECTIVE_WALK_H

#include "analysis/collective/instance.h"
#include "analysis/model/gaps.h"
#include "analysis/model/record_merge.h"
#include "base/containers/map.h"

/** The membership of a process in a communicator, for the operations of one programming model, or
 * those on one window. Private to the walk. */
struct fm_membership {
    uint64_t key;
    uint32_t rank;
    uint32_t next_ordinal[2]; /**< of operations, and of creations of communicators */
};

/** A walk, used for one process after the other. {0}: a new one. */
struct fm_collective_walk {
    const struct fm_trace *trace;
    uint32_t process;
    struct fm_record_merge merge;
    struct fm_gaps gaps;
    struct fm_map membership_of; /**< key -> position */
    FM_VECTOR(struct fm_membership) memberships;
    uint32_t recent; /**< in `memberships` */
    FM_VECTOR(uint32_t)
    worlds;         /**< communicator of all processes of each world; FM_NONE: none is
                         known */
    uint32_t world; /**< that of the process */
    FM_VECTOR(struct fm_record_ref) calls; /**< of Init and Finalize: row = activity */
    FM_VECTOR(bool) has_record; /**< by call of them: some collective record lies in it */
    size_t next_call;
    uint32_t next_of_kind[2][FM_SERIES_LIBRARIES]; /**< ordinals of the next Init and Finalize */
    uint64_t without_record; /**< those of MPI in which no collective record lies */
    bool counts_bytes;       /**< some record so far, of any communicator, has bytes */
};

/** Begins a process. */
void fm_collective_walk_begin(struct fm_collective_walk *walk, const struct fm_trace *trace,
                              uint32_t process);

/** Finds the next part in a completed operation on a communicator with more than one member.
 * @param member  out
 * @return whether there is a next part */
bool fm_collective_walk_next(struct fm_collective_walk *walk, struct fm_member *member);

void fm_collective_walk_free(struct fm_collective_walk *walk);

#endif
