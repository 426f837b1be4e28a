/* SPDX-License-Identifier: BSD-3-Clause */
/* Halo exchange by general active target synchronization (post, start, complete, wait): every
 * process synchronizes with its neighbours only. */
#include "halo.h"

static void create(halo *h)
{
    int ranks[SIDES];
    int count = 0;
    for (side s = WEST; s < SIDES; s++)
        if (h->grid->neighbour[s] != MPI_PROC_NULL)
            ranks[count++] = h->grid->neighbour[s];
    MPI_Group all;
    MPI_Comm_group(h->grid->comm, &all);
    MPI_Group_incl(all, count, ranks, &h->neighbours);
    MPI_Group_free(&all);
}

static void destroy(halo *h)
{
    MPI_Group_free(&h->neighbours);
}

static void exchange(halo *h)
{
    /* The post states that the receive buffers of the previous exchange have been unpacked. */
    MPI_Win_post(h->neighbours, 0, h->window);
    MPI_Win_start(h->neighbours, 0, h->window);
    for (side s = WEST; s < SIDES; s++)
        if (h->grid->neighbour[s] != MPI_PROC_NULL)
            halo_put_edge(h, s);
    MPI_Win_complete(h->window);
    MPI_Win_wait(h->window);
}

const halo_variant halo_gats = {.name = "gats",
                                .slots = 1,
                                .one_sided = true,
                                .create = create,
                                .exchange = exchange,
                                .destroy = destroy};
