/* SPDX-License-Identifier: BSD-3-Clause */
/* Halo exchange by puts between two fences: every process synchronizes with all other processes,
 * although it has data for at most four. */
#include "halo.h"

static void exchange(halo *h)
{
    /* A process must not put before its neighbour has unpacked the previous exchange: hence an
     * opening fence, and not just one fence per exchange. */
    MPI_Win_fence(0, h->window);
    for (side s = WEST; s < SIDES; s++)
        if (h->grid->neighbour[s] != MPI_PROC_NULL)
            halo_put_edge(h, s);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, h->window);
}

const halo_variant halo_fence = {
    .name = "fence", .slots = 1, .one_sided = true, .exchange = exchange};
