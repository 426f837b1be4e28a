/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What connects the events of a rank: where its lanes are in the archive, and which call has
 * launched which work.
 */
#ifndef FERMATA_IMPORT_KINETO_KINETO_RANKS_H
#define FERMATA_IMPORT_KINETO_KINETO_RANKS_H

#include "import/kineto/kineto_job.h"

/** A call that launches work. */
struct fm_kineto_launch {
    uint64_t bytes;      /**< of a copy, as the call states them; 0: not stated */
    uint32_t collective; /**< of the operator around it; FM_KINETO_NONE: it is of none */
};

/** The connections of a rank. */
struct fm_kineto_rank {
    struct fm_kineto_trace *trace;
    FM_VECTOR(uint32_t) threads;  /**< lanes, the main thread first */
    FM_VECTOR(uint32_t) streams;  /**< lanes, ascending by device and stream */
    FM_VECTOR(uint32_t) place_of; /**< [lane]: place in `threads` or `streams` */
    struct fm_map works;          /**< correlation -> 0: there is work of this number */
    struct fm_map launch_of;      /**< correlation -> in `launches` */
    FM_VECTOR(struct fm_kineto_launch) launches;
    struct fm_map sync_of;   /**< correlation of a call -> 1 + in the trace's syncs */
    struct fm_map record_of; /**< correlation of a call that records an event, likewise */
};

/** Sorts the events of all lanes and connects those of a rank; events that do not nest in their
 * thread, or overlap on their stream, are mended, which is counted in the job's defects. */
void fm_kineto_rank_connect(struct fm_kineto_job *job, struct fm_kineto_trace *trace,
                            struct fm_kineto_rank *rank);

void fm_kineto_rank_free(struct fm_kineto_rank *rank);

/** @return what the trace states about the collective that a kernel is part of: the kernel itself,
 * or the operator that has launched it; NULL: nothing */
const struct fm_kineto_collective *fm_kineto_collective_of(const struct fm_kineto_rank *rank,
                                                           const struct fm_kineto_event *kernel);

/** @return the place of a stream among those of the rank; FM_KINETO_NONE: there is none. */
uint32_t fm_kineto_stream_place(const struct fm_kineto_rank *rank, int64_t device, int64_t stream);

#endif
