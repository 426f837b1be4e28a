/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Where one-sided transfers end: the extended event model of [H05] (M.-A. Hermanns et al.,
 * Event-Based Measurement and Analysis of One-Sided Communication, 2005), section 3.2. By MPI's
 * rules the data of a put are at the target when the target's synchronization call that completes
 * it returns. The data of a get are at the origin when the origin's synchronization call returns:
 * the first one that completes it there, also MPI_Win_flush_local and MPI_Wait.
 *
 * In SHMEM, ARMCI and coarrays the target makes no call for a transfer, and the records of
 * completion decide: a get ends in the call with its first completion, a put or an atomic operation
 * in the call with its remote one.
 */
#ifndef FERMATA_TIMELINE_TRANSFERS_H
#define FERMATA_TIMELINE_TRANSFERS_H

#include "trace/tables/trace.h"

/** A one-sided operation between two processes. */
struct fm_transfer {
    uint32_t origin;     /**< location */
    uint32_t number;     /**< index among the operations of that location, from 0: also among those
                            whose window is not known */
    uint32_t start;      /**< call that starts the operation */
    uint32_t origin_end; /**< call at the origin that completes it; FM_NONE: none */
    uint32_t target;     /**< location: that of `target_end`, else the first thread of the target */
    uint32_t target_end; /**< call at the target that completes it; FM_NONE: passive target, the
                            transfer is complete when `origin_end` returns */
    uint32_t window;
    uint32_t origin_rank, target_rank; /**< ranks in the communicator of the window */
    uint64_t id;                       /**< matching id of its records */
    uint32_t previous; /**< outside of MPI: the operation before with the same id; FM_NONE: none */
    uint8_t type;      /**< FM_RMA_PUT, FM_RMA_GET, FM_RMA_ATOMIC */
};

typedef FM_VECTOR(struct fm_transfer) fm_transfers;

/** Finds the operations of all locations whose target is another process, with their ends, sorted
 * by location, then in trace order. Epochs are matched by number: the n-th fence of a window is the
 * same at all processes, the n-th access epoch of an origin at a target belongs to the n-th
 * exposure epoch of the target for that origin.
 * @return to be freed with fm_vector_free() */
fm_transfers fm_transfers_find(const struct fm_trace *trace);

#endif
