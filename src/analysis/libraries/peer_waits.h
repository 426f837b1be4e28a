/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Calls outside of MPI that wait for single processes: shmem_wait_until and coarrays' event wait
 * for an update of this process's memory, sync images for the images that it names.
 *
 * What they depend on is collected while the records are read, and only in runs that define such
 * functions: updates are sent to their targets, calls of sync images to the images named. */
#ifndef FERMATA_ANALYSIS_LIBRARIES_PEER_WAITS_H
#define FERMATA_ANALYSIS_LIBRARIES_PEER_WAITS_H

#include "analysis/model/run.h"

/** A call that waited, until another process's call was entered at `until`. */
struct fm_peer_wait {
    uint64_t until;
    struct fm_call_ref call;
    struct fm_call_ref cause;
};

typedef FM_VECTOR(struct fm_peer_wait) fm_peer_wait_vector;

struct fm_peer_waits;

/** @return an empty collection, to be freed with fm_peer_waits_free(). */
struct fm_peer_waits *fm_peer_waits_create(struct fm_analysis *analysis);
void fm_peer_waits_free(struct fm_peer_waits *peers);

/** Adds a put or an atomic operation on the process `target`. To be called in a stage by the worker
 * that owns the call. */
void fm_peer_waits_update(struct fm_peer_waits *peers, unsigned worker, struct fm_call_ref call,
                          uint32_t target);

/** Adds a call of sync images; those of a process in their order. To be called in a stage by the
 * worker that owns the process.
 * @param group  of the trace: the processes named */
void fm_peer_waits_sync(struct fm_peer_waits *peers, unsigned worker, uint32_t process,
                        struct fm_call_ref call, uint32_t group);

/** Finds the calls that waited, after the stages that have added all of the above. Runs stages;
 * collective. */
void fm_peer_waits_close(struct fm_peer_waits *peers);

/** @return the waits of a process that is owned here, in the order of its calls. */
const fm_peer_wait_vector *fm_peer_waits_of(const struct fm_peer_waits *peers, uint32_t process);

#endif
