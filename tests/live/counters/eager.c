/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 sends rank 1 MESSAGES messages of a number of bytes.
 *
 * usage: eager BYTES */
#include <mpi.h>
#include <stdlib.h>

enum { MESSAGES = 50, MOST = 1 << 17 };

int main(int argc, char **argv)
{
    static char data[MOST];
    int rank, bytes = argc > 1 ? atoi(argv[1]) : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD); /* hooks count in both from here on */
    for (int i = 0; i < MESSAGES && bytes <= MOST; i++) {
        if (rank == 0) {
            MPI_Send(data, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        } else if (rank == 1) {
            MPI_Recv(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
