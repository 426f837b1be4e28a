/* SPDX-License-Identifier: BSD-3-Clause */
/* Three messages and four barriers of two ranks; as a program, or as the function of a plug-in. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

int exchange(void);
int exchange(void)
{
    int rank, value = 0;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++) {
        if (rank == 0) {
            MPI_Send(&i, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, value);
    MPI_Finalize();
    return 0;
}

#if !defined(PLUGIN)
int main(void)
{
    return exchange();
}
#endif
