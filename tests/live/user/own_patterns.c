/* SPDX-License-Identifier: BSD-3-Clause */
/* What the examples of patterns of the user look for, a known number of times. See
 * check_own_patterns.py. */
#include <fermata/fermata.h>

#include <mpi.h>
#include <unistd.h>

enum { STEPS = 5, MESSAGES = 4, LONG = 4096 };

static char buffers[MESSAGES][LONG];

/* Rank 0 is late. */
static void exchange(int rank)
{
    FERMATA_SCOPE("exchange");
    if (rank == 0) {
        usleep(20000);
        MPI_Send(buffers[0], LONG, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(buffers[0], LONG, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Small messages in a row, whose receives are posted when all have been sent. */
static void scatter(int rank)
{
    FERMATA_SCOPE("scatter");
    for (int i = 0; i < MESSAGES && rank == 0; i++) {
        MPI_Send(buffers[i], 8, MPI_CHAR, 1, i, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < MESSAGES && rank == 1; i++) {
        MPI_Recv(buffers[i], 8, MPI_CHAR, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    int rank, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < STEPS; step++) {
        FERMATA_ITERATION("step");
        exchange(rank);
        scatter(rank);
        FERMATA_COUNTER_INT("cells", "cells", FERMATA_TOTAL, 100 * (step + 1) * (rank + 1));
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 1) {
            usleep(1000);
        }
        MPI_Barrier(MPI_COMM_WORLD); /* superfluous: rank 0 waits in it */
    }
    FERMATA_ITERATIONS_END("step");
    MPI_Finalize();
    return 0;
}
