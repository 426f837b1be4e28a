/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters that the program declares: before MPI_Init, in two threads, with fractions, and with a
 * name that has a comma. */
#include <fermata/counter.h>

#include <mpi.h>
#include <pthread.h>

enum { STEPS = 5 };

static fermata_counter_t cells = FERMATA_COUNTER_HERE("cells", "cells", FERMATA_TOTAL);

static void *work(void *nothing)
{
    fermata_counter_int(&cells, 7);
    return nothing;
}

int main(int argc, char **argv)
{
    int rank;
    pthread_t thread;
    FERMATA_COUNTER_INT("early", "", FERMATA_LEVEL, 11);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 1; step <= STEPS; step++) {
        fermata_counter_int(&cells, 100 * step + rank);
        FERMATA_COUNTER_DOUBLE("residual", "m", FERMATA_LEVEL, 1.0 / (1 << step));
        FERMATA_COUNTER_DOUBLE("energy", "J", FERMATA_TOTAL, 0.25 * step + rank);
        FERMATA_COUNTER_INT("queue, long", "", FERMATA_LEVEL, -step);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
