/* SPDX-License-Identifier: BSD-3-Clause */
/* Nothing that is not recorded, but for a question about the library. */
#include <mpi.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
#if defined(MPIX_CUDA_AWARE_SUPPORT)
    MPIX_Query_cuda_support();
#endif
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
