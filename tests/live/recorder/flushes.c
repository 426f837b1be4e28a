/* SPDX-License-Identifier: BSD-3-Clause */
/* More calls than the smallest buffer holds, so that it is written several times during the run. */
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 30000 };

int main(int argc, char **argv)
{
    int in = -1, rank;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Irecv(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
        MPI_Send(&i, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    printf("rank %d: %d\n", rank, in);
    MPI_Finalize();
    return 0;
}
