/* SPDX-License-Identifier: BSD-3-Clause */
/* A planted cause of waiting in a program with ranks and threads: rank 1 computes alone, outside of
 * its parallel regions, while its other thread and rank 0 wait. Nothing is marked, and nothing
 * sleeps. Rank 0 prints how long the steps took.
 *
 * usage: planted_hybrid [fixed], two ranks with two threads */
#include "planted_parts.h"

#include <mpi.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>

static double work(int rank, bool fixed)
{
    double value = 0, sum;
#pragma omp parallel reduction(+ : value)
    value += prepare(800000);
    value += late_part(rank == 1 && !fixed ? 8000000 : 400000);
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char **argv)
{
    int rank, provided;
    double sum = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    omp_set_num_threads(2);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < 250; i++) {
        sum += work(rank, argc > 1);
    }
    if (rank == 0) {
        printf("steps %.6f (%g)\n", MPI_Wtime() - begin, sum);
    }
    MPI_Finalize();
    return 0;
}
