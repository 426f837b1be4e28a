/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls functions in several lines, one of which takes longer on rank 1, and one of the C library
 * in which it sleeps: check_sites.py finds the lines by the comments beside them.
 *
 *   sites
 */
#include "cpu_use.h"

#include <mpi.h>

#include <unistd.h>

enum { STEPS = 40 };

static NOINLINE void smooth(double seconds)
{
    use_cpu(seconds);
}

static NOINLINE void exchange(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    sink = 1; /* no tail call */
}

static NOINLINE void iterate(int rank)
{
    smooth(0.005);                     /* first smooth */
    exchange();                        /* first exchange */
    smooth(rank == 1 ? 0.020 : 0.005); /* second smooth */
    exchange();                        /* second exchange */
    usleep(1000);                      /* first usleep */
    usleep(2000);                      /* second usleep */
    sink = 2;                          /* no tail call */
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < STEPS; step++) {
        iterate(rank);
    }
    MPI_Finalize();
    return 0;
}
