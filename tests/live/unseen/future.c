/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of MPI that fermata does not know: those of a later version. */
#include <mpi.h>

int MPI_Future_start(MPI_Comm comm);
int MPI_Future_wait(MPI_Comm comm);

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Future_start(MPI_COMM_WORLD);
    MPI_Future_wait(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
