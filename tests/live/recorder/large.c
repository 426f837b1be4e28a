/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages and transfers of about 2^24 bytes, above which the recorder's compact records of sizes
 * have another form; on any even number of ranks, rank 2i with rank 2i + 1. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZES = 3, TAG = 3 };
static const int sizes[SIZES] = {(1 << 24) - 1, 1 << 24, (1 << 24) + 3};

static char *out, *in;
static int rank, peer;

static void send(int bytes)
{
    MPI_Request requests[2];
    if (rank % 2 == 0) {
        MPI_Send(out, bytes, MPI_CHAR, peer, TAG, MPI_COMM_WORLD);
    } else {
        MPI_Recv(in, sizes[SIZES - 1], MPI_CHAR, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Irecv(in, sizes[SIZES - 1], MPI_CHAR, peer, TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, bytes, MPI_CHAR, peer, TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(out, bytes, MPI_CHAR, peer, TAG, in, sizes[SIZES - 1], MPI_CHAR, peer, TAG,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv_init(in, sizes[SIZES - 1], MPI_CHAR, peer, TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(out, bytes, MPI_CHAR, peer, TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void transfer(int bytes, MPI_Win window)
{
    MPI_Request request;
    MPI_Win_lock(MPI_LOCK_SHARED, peer, 0, window);
    MPI_Put(out, bytes, MPI_CHAR, peer, 0, bytes, MPI_CHAR, window);
    MPI_Win_flush(peer, window);
    MPI_Get(in, bytes, MPI_CHAR, peer, 0, bytes, MPI_CHAR, window);
    MPI_Rput(out, bytes, MPI_CHAR, peer, 0, bytes, MPI_CHAR, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock(peer, window);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    char *memory;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    peer = rank ^ 1;
    out = calloc(1, (size_t)sizes[SIZES - 1]);
    in = calloc(1, (size_t)sizes[SIZES - 1]);
    MPI_Win_allocate(sizes[SIZES - 1], 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    for (int i = 0; i < SIZES; i++) {
        send(sizes[i]);
        transfer(sizes[i], window);
    }
    printf("rank %d: done\n", rank);
    MPI_Win_free(&window);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
