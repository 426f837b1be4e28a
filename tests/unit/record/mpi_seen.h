/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the wrappers of MPI have recorded, counted by kinds. Threads count at once, without order.
 */
#ifndef FERMATA_TESTS_UNIT_RECORD_MPI_SEEN_H
#define FERMATA_TESTS_UNIT_RECORD_MPI_SEEN_H

#include "record/capture/thread.h"

enum {
    COMMON_TAG = 99, /**< of partitioned sends whose numbers are counted */
    EVER = 60000     /**< operations on the common window, at most */
};

/** Operations by their numbers. */
struct ledger {
    uint64_t count, sum;
};

/** Operations with a begin and an end are in two ledgers. */
struct mpi_seen {
    struct ledger sends, sent, receives, received, collectives, collected, accesses, accessed;
    struct ledger partitions, local; /* local: completions on the common window */
    struct ledger numbers;           /* of partitioned sends on the common communicator */
    uint64_t tests, large, created, destroyed, wins, wins_freed, locks, releases, blocking;
    uint32_t window; /* the common one */
    uint32_t begun_count, ended_count;
    uint64_t begun[EVER], ended[EVER]; /* matching ids on it */
};
extern struct mpi_seen seen;

/** Counts a thread's records: a flush function (fm_threads_begin). */
bool take_all(struct fm_thread *thread, bool full);

/** Checks that each operation on the common window is complete at its target once. Operations may
 * share a matching id. */
void check_common_window(void);

#endif
