/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI and OpenMP: in each process a team of two threads, then a message from the first process. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

int main(int count, char **arguments)
{
    int provided, rank, value = 0;
    MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4; i++) {
#pragma omp parallel num_threads(2 + rank) reduction(+ : value) /* LINE parallel */
        value += omp_get_thread_num();
        if (rank == 0) {
            MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    printf("%d\n", value);
    MPI_Finalize();
    return 0;
}
