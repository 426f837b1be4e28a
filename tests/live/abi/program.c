/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with MPI's standard ABI: messages, collectives and communicators; in each round rank 1
 * is late by DELAY in the function `be_late`. */
#include <mpi.h>
#include <stdio.h>

int MPI_Init(int *argc, char ***argv);
int MPI_Finalize(void);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made);
int MPI_Comm_free(MPI_Comm *comm);
int MPI_Isend(const void *buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request);
int MPI_Recv(void *buf, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status *status);
int MPI_Wait(MPI_Request *request, MPI_Status *status);
int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm);

enum { ROUNDS = 3, LENGTH = 100, DELAY = 200 /* ms */ };
static int own_rank;
#define LATE_CALL() MPI_Comm_rank(MPI_COMM_WORLD, &own_rank)
#include "late.h"

int main(int argc, char **argv)
{
    static int in[LENGTH];
    static double out[LENGTH], values[LENGTH];
    int rank, size, sum = 0;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request request;
        MPI_Isend(values, LENGTH, MPI_DOUBLE, (rank + 1) % size, 7, MPI_COMM_WORLD, &request);
        MPI_Recv(out, LENGTH, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rank == 1) {
            be_late();
        }
        MPI_Allreduce(MPI_IN_PLACE, in, LENGTH, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_MAX, half);
    }
    MPI_Comm_free(&half);
    MPI_Finalize();
    printf("rank %d: %d\n", rank, sum);
    return 0;
}
