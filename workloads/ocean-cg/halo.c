/* SPDX-License-Identifier: BSD-3-Clause */
#include "halo.h"

#include <fermata/fermata.h>

#include <string.h>

/* MPICH 4.0.2 was observed to put data into the wrong place on the ranks after a rank whose part of
 * an allocated window is no multiple of 16 bytes; a cache line is such a multiple. */
enum { LINE = 64 };

void halo_create(halo *h, int columns, int all_rows, bool barrier)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    *h = (halo){.own = strip_of(rank, size, columns, all_rows),
                .before = (rank + size - 1) % size,
                .behind = (rank + 1) % size,
                .barrier = barrier};
    const strip neighbour = strip_of(h->before, size, columns, all_rows);
    h->halo_behind = (MPI_Aint)strip_row(&neighbour, neighbour.rows + 1);

    const size_t bytes = (strip_values(&h->own) * sizeof(double) + LINE - 1) / LINE * LINE;
    MPI_Win_allocate((MPI_Aint)bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &h->vector,
                     &h->window);
    MPI_Win_set_name(h->window, "halo");
    memset(h->vector, 0, bytes);
    const int ranks[2] = {h->before, h->behind};
    MPI_Group all;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, h->before == h->behind ? 1 : 2, ranks, &h->neighbours);
    MPI_Group_free(&all);
}

void halo_destroy(halo *h)
{
    MPI_Group_free(&h->neighbours);
    MPI_Win_free(&h->window);
}

void halo_update(halo *h)
{
    FERMATA_SCOPE("update_halo");
    const strip *const s = &h->own;
    /* Not needed for correctness: post states that this rank's halo may be written, and start or
     * complete wait for it. */
    if (h->barrier)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_post(h->neighbours, 0, h->window);
    MPI_Win_start(h->neighbours, 0, h->window);
    MPI_Put(h->vector + strip_row(s, 1), s->columns, MPI_DOUBLE, h->before, h->halo_behind,
            s->columns, MPI_DOUBLE, h->window);
    MPI_Put(h->vector + strip_row(s, s->rows), s->columns, MPI_DOUBLE, h->behind,
            (MPI_Aint)strip_row(s, 0), s->columns, MPI_DOUBLE, h->window);
    MPI_Win_complete(h->window);
    MPI_Win_wait(h->window);
}
