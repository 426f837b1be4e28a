/* SPDX-License-Identifier: BSD-3-Clause */
/* Passive target synchronization. */
#include "pattern.h"
#include "window.h"

#include <stdlib.h>

static void lock_contention(const context *c)
{
    MPI_Win window = window_allocate();
    if (c->rank == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        window_put(window, 0);
        /* Libraries may defer the acquisition of the lock to the first operation. After the flush
         * the lock is held, and rank 2 may request it. */
        MPI_Win_flush(0, window);
        MPI_Send(NULL, 0, MPI_BYTE, 2, 0, MPI_COMM_WORLD);
        delay(c);
        MPI_Win_unlock(0, window);
        MPI_Send(NULL, 0, MPI_BYTE, 2, 0, MPI_COMM_WORLD);
    } else if (c->rank == 2) {
        MPI_Recv(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        window_put(window, 0);
        MPI_Win_flush(0, window);
        /* The lock can be granted before the previous owner's unlock returns. Holding the lock
         * until the unlock has returned keeps the order of the two unlocks in a trace equal to that
         * of the two owners. */
        MPI_Recv(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_unlock(0, window);
    }
    window_free(&window);
}

/* While rank 0 is delayed it makes no MPI call that could progress rank 1's operation. Where the
 * operation needs no help of the target (shared memory, RDMA) no rank waits. */
static void wait_for_progress(const context *c)
{
    double *memory;
    MPI_Win window = window_create(&memory);
    MPI_Barrier(MPI_COMM_WORLD);
    if (c->rank == 0) {
        delay(c);
    } else if (c->rank == 1) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        window_put(window, 0);
        MPI_Win_unlock(0, window);
    }
    window_free(&window);
    free(memory);
}

const pattern passive_patterns[] = {
    {"lock_contention", "mpi_rma_sync_lock_competition", 3, lock_contention,
     "rank 2 waits for the lock that rank 1 holds"},
    {"wait_for_progress", "mpi_rma_sync_wait_for_progress", 2, wait_for_progress,
     "rank 1 waits until rank 0 makes an MPI call, where the library needs that"},
    {0}};
