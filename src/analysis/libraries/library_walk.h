/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The one-sided records of SHMEM, ARMCI and coarrays of a process: epochs of their locks, the needs
 * of their calls for the progress of targets, and what calls that wait for single processes depend
 * on.
 *
 * Their windows have no epochs but those of locks. A lock has an id on its window and target, and
 * its acquisitions are recorded. An operation needs its target's library if the call that begins it
 * also completes it: every operation of ARMCI; gets and atomic operations of the others, and puts
 * that it completes at the target, not those that are done at the origin only. Other calls need the
 * targets of the operations that they complete: shmem_quiet, shmem_barrier, sync memory, sync all,
 * ARMCI_Wait, ARMCI_Fence.
 */
#ifndef FERMATA_ANALYSIS_LIBRARIES_LIBRARY_WALK_H
#define FERMATA_ANALYSIS_LIBRARIES_LIBRARY_WALK_H

#include "analysis/libraries/peer_waits.h"
#include "analysis/one_sided/lock_epochs.h"

struct fm_library_walk;

/** Creates a walk over the records of processes, one process after the other.
 * @param progress  receives all needs; NULL: needs are not collected
 * @param peers     receives what calls wait for that wait for single processes
 * @return to be freed with fm_library_walk_free() */
struct fm_library_walk *fm_library_walk_create(struct fm_analysis *analysis,
                                               struct fm_progress *progress,
                                               struct fm_peer_waits *peers, unsigned worker);
void fm_library_walk_free(struct fm_library_walk *walk);

/** Begins a process, whose epochs are appended to `into`. */
void fm_library_walk_begin(struct fm_library_walk *walk, uint32_t process,
                           struct fm_lock_epochs *into);

/** Handles a record inside a call of SHMEM, ARMCI or coarrays, whose window has a communicator. */
void fm_library_walk_record(struct fm_library_walk *walk, const struct fm_rma *record,
                            struct fm_call_ref call);

/** Ends a process, after all of its records. */
void fm_library_walk_end(struct fm_library_walk *walk);

#endif
