/* SPDX-License-Identifier: BSD-3-Clause */
/* Halo exchange by passive target synchronization: lock, put, unlock.
 *
 * After an unlock the origin's data have arrived, but the target is not notified. Therefore an
 * empty message follows every put. A fast neighbour could put the next edge
 * before this process has unpacked the current one, so there are two receive buffers per side, used
 * in turn. Exchange k + 2 fills the buffer of exchange k again, but the neighbour starts it only
 * after it has received our message of exchange k + 1, which we send after unpacking exchange k. */
#include "halo.h"

static void exchange(halo *h)
{
    enum { TAG_ARRIVED = 7 };
    for (side s = WEST; s < SIDES; s++) {
        if (h->grid->neighbour[s] == MPI_PROC_NULL)
            continue;
        /* Shared: the neighbours write into different parts of the window. */
        MPI_Win_lock(MPI_LOCK_SHARED, h->grid->neighbour[s], 0, h->window);
        halo_put_edge(h, s);
        MPI_Win_unlock(h->grid->neighbour[s], h->window);
    }

    MPI_Request requests[2 * SIDES];
    int count = 0;
    for (side s = WEST; s < SIDES; s++)
        MPI_Irecv(NULL, 0, MPI_BYTE, h->grid->neighbour[s], TAG_ARRIVED, h->grid->comm,
                  &requests[count++]);
    for (side s = WEST; s < SIDES; s++)
        MPI_Isend(NULL, 0, MPI_BYTE, h->grid->neighbour[s], TAG_ARRIVED, h->grid->comm,
                  &requests[count++]);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);

    /* Data that other processes have put become visible to local loads in an own epoch. */
    MPI_Win_lock(MPI_LOCK_SHARED, h->grid->rank, 0, h->window);
}

static void received(halo *h)
{
    MPI_Win_unlock(h->grid->rank, h->window);
}

const halo_variant halo_locks = {
    .name = "locks", .slots = 2, .one_sided = true, .exchange = exchange, .received = received};
