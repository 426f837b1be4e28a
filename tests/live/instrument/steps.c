/* SPDX-License-Identifier: BSD-3-Clause */
/* Instrumented C with a function that is worth no records: visited often, and short. */
#include <mpi.h>

#define APART __attribute__((noinline))

enum { STEPS = 200, CELLS = 200 };

static volatile double sink;

APART static double cell(int i)
{
    return i * 0.5;
}

APART static void smooth(void)
{
    for (int i = 0; i < 20000; i++) {
        sink = sink + i;
    }
}

APART static void exchange(int partner)
{
    double sent = 1, received = 0;
    MPI_Sendrecv(&sent, 1, MPI_DOUBLE, partner, 0, &received, 1, MPI_DOUBLE, partner, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

APART static void step(int partner)
{
    for (int i = 0; i < CELLS; i++) {
        sink = sink + cell(i);
    }
    smooth();
    exchange(partner);
}

int main(int argc, char **argv)
{
    int rank;
    double own = 1, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < STEPS; i++) {
        step(rank ^ 1);
        MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
