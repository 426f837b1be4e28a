/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ranks exchange messages of eight bytes for a time: each has sent as many as it has received,
 * give or take one. usage: steady SECONDS */
#include <mpi.h>

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { ROUND = 100 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    double end = now() + (argc > 1 ? strtod(argv[1], NULL) : 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int64_t goes_on = 1; goes_on;) {
        goes_on = rank != 0 || now() < end;
        for (int i = 0; i < ROUND; i++) {
            if (rank == 0) {
                MPI_Send(&goes_on, 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
                MPI_Recv(&goes_on, 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else {
                MPI_Recv(&goes_on, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(&goes_on, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
            }
        }
    }
    MPI_Finalize();
    return 0;
}
