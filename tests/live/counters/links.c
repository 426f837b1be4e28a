/* SPDX-License-Identifier: BSD-3-Clause */
/* Traffic with a known pattern, by communicator and peer: check_links.py has the same numbers. Four
 * ranks: a ring on MPI_COMM_WORLD that is received by wildcards, halves in reversed order, a named
 * duplicate with persistent requests, an inter-communicator, communicators and windows that are
 * freed, one-sided operations. With an argument rank 1 kills itself in the end. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>

static int rank, size;
static char buffer[8192], other[8192];
static MPI_Status statuses[8];

/* Rank r sends r + 1 messages of 100 (r + 1) bytes to the next one. */
static void ring(void)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Request requests[8];
    for (int i = 0; i <= rank; i++) {
        MPI_Isend(buffer, 100 * (rank + 1), MPI_BYTE, next, i, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i <= before; i++) {
        MPI_Recv(other, sizeof other, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
    MPI_Waitall(rank + 1, requests, statuses);
    MPI_Bcast(buffer, 32, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Bcast(buffer, 32, MPI_BYTE, 1, MPI_COMM_WORLD);
    MPI_Sendrecv(buffer, 5, MPI_BYTE, MPI_PROC_NULL, 0, other, 5, MPI_BYTE, MPI_PROC_NULL, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Even and odd ranks, the highest one first: 3 messages of 7 bytes to the other one, which are
 * received in a window of the communicator, too; both are freed. */
static void halves(void)
{
    MPI_Comm half;
    MPI_Win window;
    MPI_Request requests[6];
    char *memory;
    int own;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_rank(half, &own);
    for (int i = 0; i < 3; i++) {
        MPI_Irecv(other + 64 * i, 64, MPI_BYTE, 1 - own, 1, half, &requests[2 * i]);
        MPI_Isend(buffer, 7, MPI_BYTE, 1 - own, 1, half, &requests[2 * i + 1]);
    }
    for (int done = 0, index; done < 6; done++) {
        MPI_Waitany(6, requests, &index, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(half);
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, half, &memory, &window);
    MPI_Win_fence(0, window);
    MPI_Put(buffer, 16, MPI_BYTE, 1 - own, 0, 16, MPI_BYTE, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Comm_free(&half);
}

/* A duplicate: 5 persistent messages of 64 bytes to the next rank, a kilobyte to the one before. */
static void duplicate(void)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Comm halo;
    MPI_Request requests[2];
    double one = 1, sum;
    MPI_Comm_dup(MPI_COMM_WORLD, &halo);
    MPI_Comm_set_name(halo, "halo");
    MPI_Send_init(buffer, 64, MPI_BYTE, next, 2, halo, &requests[0]);
    MPI_Recv_init(other, 64, MPI_BYTE, MPI_ANY_SOURCE, 2, halo, &requests[1]);
    for (int i = 0; i < 5; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, statuses);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Sendrecv(buffer, 1024, MPI_BYTE, before, 3, other, 1024, MPI_BYTE, next, 3, halo,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; i++) {
        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, halo);
    }
    MPI_Comm_free(&halo);
}

/* Ranks 0 and 1 with ranks 2 and 3: each sends 11 bytes to the rank of the same number. */
static void groups(void)
{
    MPI_Comm own, both;
    MPI_Status status;
    int side = rank / 2, place;
    MPI_Comm_split(MPI_COMM_WORLD, side, rank, &own);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, side == 0 ? 2 : 0, 4, &both);
    MPI_Comm_rank(both, &place);
    MPI_Request request;
    MPI_Isend(buffer, 11, MPI_BYTE, place, 5, both, &request);
    MPI_Probe(MPI_ANY_SOURCE, 5, both, &status);
    MPI_Recv(other, 11, MPI_BYTE, status.MPI_SOURCE, 5, both, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&both);
    MPI_Comm_free(&own);
}

/* 2 puts of 40 bytes to the rank opposite, 24 bytes from rank 0, 8 accumulated in the next one. */
static void one_sided(void)
{
    MPI_Win window;
    char *memory;
    MPI_Win_allocate(256, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    for (int i = 0; i < 2; i++) {
        MPI_Put(buffer, 40, MPI_BYTE, (rank + 2) % size, 0, 40, MPI_BYTE, window);
    }
    MPI_Get(other, 24, MPI_BYTE, 0, 64, 24, MPI_BYTE, window);
    MPI_Accumulate(buffer, 1, MPI_DOUBLE, (rank + 1) % size, 128, 1, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

/* A message of 9 bytes to itself, on communicators of this process alone. */
static void alone(void)
{
    MPI_Comm self;
    MPI_Comm_dup(MPI_COMM_SELF, &self);
    MPI_Sendrecv(buffer, 9, MPI_BYTE, 0, 6, other, 9, MPI_BYTE, 0, 6, self, MPI_STATUS_IGNORE);
    MPI_Comm_free(&self);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 4) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    ring();
    halves();
    duplicate();
    groups();
    one_sided();
    alone();
    if (argc > 1) {
        MPI_Barrier(MPI_COMM_WORLD); /* the others have done their part */
    }
    if (argc > 1 && rank == 1) {
        raise(SIGKILL);
    }
    MPI_Finalize();
    return EXIT_SUCCESS;
}
