/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that is linked with a layer of the profiling interface. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
