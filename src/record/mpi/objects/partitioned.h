/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Operations of partitioned communication (MPI 4).
 */
#ifndef FERMATA_RECORD_MPI_OBJECTS_PARTITIONED_H
#define FERMATA_RECORD_MPI_OBJECTS_PARTITIONED_H

#include "record/capture/handles.h"
#include "record/mpi/wrap.h"

/** An operation: what MPI_Psend_init or MPI_Precv_init has made. */
struct fm_partitioned {
    uint64_t id;    /**< request of the current start in records; 0: never started */
    uint64_t bytes; /**< of all partitions */
    uint32_t comm;
    uint32_t number; /**< among the operations with its peer, tag and direction */
    uint32_t starts; /**< so far */
    uint32_t partitions;
    int peer, tag;
    bool sends;
};

/** Which of the threads' caches of handles has these operations. */
enum { FM_PARTITIONED_CACHE = 5 };

/** Record the start of an operation, in MPI_Start, and its completion.
 * @param id  request of this start */
void fm_partitioned_start(struct fm_thread *thread, struct fm_partitioned *operation, uint64_t id);
void fm_partitioned_complete(struct fm_thread *thread, const struct fm_partitioned *operation,
                             uint64_t id);

/** Sets the operation of a request's handle; NULL: the handle has none any more. */
void fm_partitioned_enter(uint64_t handle, struct fm_partitioned *operation);

/** Frees an operation that no handle has. */
void fm_partitioned_free(struct fm_partitioned *operation);

#endif
