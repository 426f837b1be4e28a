/* SPDX-License-Identifier: BSD-3-Clause */
/* Parcels between all processes: their sizes, then their contents in pieces. */
#include "engine/mpi/mpi_transport.h"

#include "engine/backoff.h"

void fm_mpi_exchange_sizes(struct fm_transport *transport, const uint64_t *sent, uint64_t *received)
{
    struct fm_mpi_transport *mpi = fm_mpi_transport_of(transport);
    MPI_Request request;
    MPI_Ialltoall(sent, 1, MPI_UINT64_T, received, 1, MPI_UINT64_T, mpi->all, &request);
    fm_mpi_wait(&request);
}

typedef FM_VECTOR(MPI_Request) request_vector;

/* Starts to send or receive the pieces of a parcel. */
static void start(struct fm_mpi_transport *mpi, bool send, unsigned other,
                  const struct fm_parcel *parcel, request_vector *requests)
{
    for (size_t at = 0; at < parcel->bytes; at += FM_PIECE_BYTES) {
        size_t left = parcel->bytes - at;
        int bytes = (int)(left < FM_PIECE_BYTES ? left : FM_PIECE_BYTES);
        char *piece = (char *)parcel->content + at;
        MPI_Request request;
        if (send) {
            MPI_Isend(piece, bytes, MPI_BYTE, (int)other, 0, mpi->all, &request);
        } else {
            MPI_Irecv(piece, bytes, MPI_BYTE, (int)other, 0, mpi->all, &request);
        }
        fm_vector_push(requests, request);
    }
}

/* Completes all requests. All processes take part at this time, so that the next piece arrives
 * soon: the sleeps of the backoff stay at the shortest one. */
static void finish(request_vector *requests)
{
    int *indices = fm_allocate(requests->count, sizeof *indices);
    int finished = 0;
    for (unsigned turn = 0; finished != MPI_UNDEFINED; ++turn) {
        MPI_Testsome((int)requests->count, requests->items, &finished, indices,
                     MPI_STATUSES_IGNORE);
        if (finished == 0) {
            fm_backoff(turn < FM_BACKOFF_YIELDS ? turn : FM_BACKOFF_YIELDS);
        } else {
            turn = 0;
        }
    }
    fm_free(indices);
}

void fm_mpi_exchange(struct fm_transport *transport, const struct fm_parcel *sent,
                     const struct fm_parcel *received)
{
    struct fm_mpi_transport *mpi = fm_mpi_transport_of(transport);
    request_vector requests = {0};
    /* Each process begins with its neighbour, so that not all send to the same process at once. */
    for (unsigned step = 1; step < transport->count; ++step) {
        unsigned from = (transport->self + transport->count - step) % transport->count;
        start(mpi, false, from, &received[from], &requests);
    }
    for (unsigned step = 1; step < transport->count; ++step) {
        unsigned to = (transport->self + step) % transport->count;
        start(mpi, true, to, &sent[to], &requests);
    }
    finish(&requests);
    fm_vector_free(&requests);
}
