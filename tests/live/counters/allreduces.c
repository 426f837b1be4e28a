/* SPDX-License-Identifier: BSD-3-Clause */
/* Allreduces of one number of 8 bytes, and nothing else.
 *
 * usage: allreduces CALLS */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    double mine = 1, all;
    int calls = argc > 1 ? atoi(argv[1]) : 0;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < calls; i++) {
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
