/* SPDX-License-Identifier: BSD-3-Clause */
#include "halo.h"

#include <stdlib.h>
#include <string.h>

const halo_variant *halo_variant_find(const char *name)
{
    static const halo_variant *const all[] = {&halo_p2p, &halo_p2p_blocking, &halo_fence,
                                              &halo_gats, &halo_locks};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    return NULL;
}

int halo_edge_length(const halo *h, side s)
{
    return s == WEST || s == EAST ? h->grid->block.rows : h->grid->block.columns;
}

double *halo_send_buffer(const halo *h, side s)
{
    return h->send + (size_t)s * (size_t)h->grid->longest_edge;
}

MPI_Aint halo_receive_offset(const halo *h, side s)
{
    return ((MPI_Aint)h->slot * SIDES + (MPI_Aint)s) * h->grid->longest_edge;
}

void halo_put_edge(const halo *h, side s)
{
    const int length = halo_edge_length(h, s);
    MPI_Put(halo_send_buffer(h, s), length, MPI_DOUBLE, h->grid->neighbour[s],
            halo_receive_offset(h, side_opposite(s)), length, MPI_DOUBLE, h->window);
}

bool halo_create(halo *h, const halo_variant *variant, grid *g)
{
    *h =
        (halo){.variant = variant, .grid = g, .window = MPI_WIN_NULL, .neighbours = MPI_GROUP_NULL};
    const size_t edges = SIDES * (size_t)g->longest_edge;
    const size_t receive_bytes = (size_t)variant->slots * edges * sizeof(double);
    h->send = malloc(edges * sizeof(double));
    if (!variant->one_sided)
        h->receive = malloc(receive_bytes);
    int enough = h->send != NULL && (variant->one_sided || h->receive != NULL);
    MPI_Allreduce(MPI_IN_PLACE, &enough, 1, MPI_INT, MPI_LAND, g->comm);
    if (!enough)
        return false;
    if (variant->one_sided) {
        MPI_Win_allocate((MPI_Aint)receive_bytes, sizeof(double), MPI_INFO_NULL, g->comm,
                         &h->receive, &h->window);
        MPI_Win_set_name(h->window, "halo");
    }
    if (variant->create != NULL)
        variant->create(h);
    return true;
}

void halo_destroy(halo *h)
{
    if (h->variant->destroy != NULL)
        h->variant->destroy(h);
    if (h->window != MPI_WIN_NULL)
        MPI_Win_free(&h->window);
    else
        free(h->receive);
    free(h->send);
}

/* The point number `k` (from 0) of the edge at `s`, or of the halo beyond it. */
static double *edge_point(const field *f, side s, int k, bool beyond)
{
    const int step = beyond ? 1 : 0;
    switch (s) {
    case WEST:
        return field_at(f, 1 - step, k + 1);
    case EAST:
        return field_at(f, f->columns + step, k + 1);
    case SOUTH:
        return field_at(f, k + 1, 1 - step);
    default:
        return field_at(f, k + 1, f->rows + step);
    }
}

static void pack(halo *h, side s)
{
    double *buffer = halo_send_buffer(h, s);
    const int length = halo_edge_length(h, s);
    for (int k = 0; k < length; k++)
        buffer[k] = *edge_point(&h->grid->block, s, k, false);
}

static void unpack(halo *h, side s)
{
    const double *buffer = h->receive + halo_receive_offset(h, s);
    const int length = halo_edge_length(h, s);
    for (int k = 0; k < length; k++)
        *edge_point(&h->grid->block, s, k, true) = buffer[k];
}

void halo_exchange(halo *h)
{
    h->slot = (h->slot + 1) % h->variant->slots;
    for (side s = WEST; s < SIDES; s++)
        if (h->grid->neighbour[s] != MPI_PROC_NULL)
            pack(h, s);
    h->variant->exchange(h);
    for (side s = WEST; s < SIDES; s++)
        if (h->grid->neighbour[s] != MPI_PROC_NULL)
            unpack(h, s);
    if (h->variant->received != NULL)
        h->variant->received(h);
}
