/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank computes without MPI while another one sends to it, puts into its window, locks it, or
 * completes a collective that both have started: whether that waits, the MPI library decides. Each
 * round states how long the other rank was in its call, or in those of its epoch.
 *
 * usage: late_partners message BYTES | target BYTES | lock BYTES | collective BYTES [TESTS]
 *
 * TESTS: rank 0 calls MPI_Test so often while it computes during a collective. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 4

__attribute__((noinline)) static void compute(double seconds)
{
    const double begin = PMPI_Wtime();
    volatile double value = 1;
    while (PMPI_Wtime() - begin < seconds) {
        value = value * 1.0000001 + 1e-9;
    }
}

static void state(double begin)
{
    printf("held: %.6f\n", PMPI_Wtime() - begin);
    fflush(stdout);
}

static void send_message(int rank, char *buffer, int bytes)
{
    if (rank == 0) {
        MPI_Request request;
        MPI_Irecv(buffer, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        compute(0.3);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        compute(0.05);
        const double begin = PMPI_Wtime();
        MPI_Send(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        state(begin);
    }
}

static void put_into_target(int rank, char *buffer, int bytes, MPI_Win window, MPI_Group other)
{
    if (rank == 0) {
        MPI_Win_post(other, 0, window);
        MPI_Barrier(MPI_COMM_WORLD);
        compute(0.3);
        MPI_Win_wait(window);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        compute(0.05);
        MPI_Win_start(other, 0, window);
        MPI_Put(buffer, bytes, MPI_BYTE, 0, 0, bytes, MPI_BYTE, window);
        const double begin = PMPI_Wtime();
        MPI_Win_complete(window);
        state(begin);
    }
}

static void put_under_lock(int rank, char *buffer, int bytes, MPI_Win window)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        compute(0.3);
    } else {
        compute(0.05);
        const double begin = PMPI_Wtime();
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(buffer, bytes, MPI_BYTE, 0, 0, bytes, MPI_BYTE, window);
        MPI_Win_unlock(0, window);
        state(begin);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void complete_collective(int rank, char *buffer, char *result, int bytes, int tests)
{
    MPI_Request request;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Iallreduce(buffer, result, bytes, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD, &request);
    if (rank == 0) {
        for (int test = 0; test < tests; test++) {
            int done;
            compute(0.3 / (tests + 1));
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        }
        compute(0.3 / (tests + 1));
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        compute(0.05);
        const double begin = PMPI_Wtime();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        state(begin);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *mode = argc > 1 ? argv[1] : "message";
    const int bytes = argc > 2 ? atoi(argv[2]) : 8;
    const int tests = argc > 3 ? atoi(argv[3]) : 0;
    const int other_rank = 1 - rank;
    char *buffer, *memory;
    MPI_Win window;
    MPI_Group world, other;
    MPI_Alloc_mem(bytes, MPI_INFO_NULL, &buffer);
    MPI_Alloc_mem(bytes, MPI_INFO_NULL, &memory);
    memset(buffer, rank, (size_t)bytes);
    MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other_rank, &other);
    for (int round = 0; round < ROUNDS; round++) {
        if (strcmp(mode, "message") == 0) {
            send_message(rank, buffer, bytes);
        } else if (strcmp(mode, "target") == 0) {
            put_into_target(rank, buffer, bytes, window, other);
        } else if (strcmp(mode, "collective") == 0) {
            complete_collective(rank, buffer, memory, bytes, tests);
        } else {
            put_under_lock(rank, buffer, bytes, window);
        }
    }
    MPI_Group_free(&other);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
    MPI_Free_mem(memory);
    MPI_Free_mem(buffer);
    MPI_Finalize();
    return 0;
}
