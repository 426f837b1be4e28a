/* SPDX-License-Identifier: BSD-3-Clause */
/* Halo exchange by non-blocking point-to-point messages. */
#include "halo.h"

static void exchange(halo *h)
{
    MPI_Request requests[2 * SIDES];
    int count = 0;
    /* Receives first, so that no message arrives unexpected. The tag is the side of the sender as
     * seen by the receiver. Messages from and to MPI_PROC_NULL complete immediately. */
    for (side s = WEST; s < SIDES; s++)
        MPI_Irecv(h->receive + halo_receive_offset(h, s), halo_edge_length(h, s), MPI_DOUBLE,
                  h->grid->neighbour[s], (int)s, h->grid->comm, &requests[count++]);
    for (side s = WEST; s < SIDES; s++)
        MPI_Isend(halo_send_buffer(h, s), halo_edge_length(h, s), MPI_DOUBLE, h->grid->neighbour[s],
                  (int)side_opposite(s), h->grid->comm, &requests[count++]);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

const halo_variant halo_p2p = {.name = "p2p", .slots = 1, .exchange = exchange};
