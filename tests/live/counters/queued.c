/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that come before their receive, some of which no receive takes: in the queue of
 * unexpected messages of MPI_COMM_WORLD or of a duplicate, that is freed before the end or not.
 *
 * usage: queued world|dup COUNT TAKEN keep|free
 *
 * Rank 0 sends COUNT messages to rank 1, which receives the first TAKEN of them when all have come.
 * With world no message of the library is unexpected in rank 1: the program calls no collective. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { DATA, READY, LAST };

int main(int argc, char **argv)
{
    int rank, number = 0;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int count = argc > 4 ? atoi(argv[2]) : 0, taken = argc > 4 ? atoi(argv[3]) : 0;
    if (argc > 4 && strcmp(argv[1], "dup") == 0) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    }
    if (rank == 0) {
        MPI_Recv(&number, 1, MPI_INT, 1, READY, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < count; i++) {
            MPI_Send(&i, 1, MPI_INT, 1, DATA, comm);
        }
        MPI_Send(&number, 1, MPI_INT, 1, LAST, comm);
    } else if (rank == 1) {
        /* The receive of the last message stands when the others come, and ends behind them. */
        MPI_Irecv(&number, 1, MPI_INT, 0, LAST, comm, &request);
        MPI_Send(&count, 1, MPI_INT, 0, READY, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < taken; i++) {
            MPI_Recv(&number, 1, MPI_INT, 0, DATA, comm, MPI_STATUS_IGNORE);
        }
    }
    if (argc > 4 && strcmp(argv[4], "free") == 0) {
        MPI_Comm_free(&comm);
    }
    MPI_Finalize();
    return 0;
}
