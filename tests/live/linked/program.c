/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that contains its MPI library. */
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 5, LENGTH = 100 };

static int data[LENGTH];

static void exchange(int rank, int size)
{
    MPI_Request request;
    MPI_Irecv(data, LENGTH, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &request);
    MPI_Send(data, LENGTH, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, size, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < ROUNDS; i++) {
        exchange(rank, size);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    printf("rank %d: %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
