/* SPDX-License-Identifier: BSD-3-Clause */
/* Halo exchange by non-blocking sends and blocking receives: the same messages as in halo_p2p.c,
 * but each receive waits for its own neighbour. */
#include "halo.h"

static void exchange(halo *h)
{
    MPI_Request requests[SIDES];
    for (side s = WEST; s < SIDES; s++)
        MPI_Isend(halo_send_buffer(h, s), halo_edge_length(h, s), MPI_DOUBLE, h->grid->neighbour[s],
                  (int)side_opposite(s), h->grid->comm, &requests[s]);
    for (side s = WEST; s < SIDES; s++)
        MPI_Recv(h->receive + halo_receive_offset(h, s), halo_edge_length(h, s), MPI_DOUBLE,
                 h->grid->neighbour[s], (int)s, h->grid->comm, MPI_STATUS_IGNORE);
    MPI_Waitall(SIDES, requests, MPI_STATUSES_IGNORE);
}

const halo_variant halo_p2p_blocking = {.name = "p2p-blocking", .slots = 1, .exchange = exchange};
