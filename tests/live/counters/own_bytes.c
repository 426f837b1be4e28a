/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of the program, and those by which the library performs collectives: rank 0 sends SMALL
 * messages of 100 bytes and LARGE of 50,000 to rank 1, broadcasts 64 bytes four times, and gathers
 * three elements of a datatype with gaps (24 bytes) from rank 1. */
#include <mpi.h>

enum { SMALL = 7, LARGE = 2, BROADCASTS = 4, SMALL_BYTES = 100, LARGE_BYTES = 50000 };

static char data[LARGE_BYTES];

int main(int argc, char **argv)
{
    int rank;
    double gaps[6] = {0}, gathered[12];
    MPI_Datatype three;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < SMALL + LARGE; i++) {
        int bytes = i < SMALL ? SMALL_BYTES : LARGE_BYTES;
        if (rank == 0) {
            MPI_Send(data, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        } else if (rank == 1) {
            MPI_Recv(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    for (int i = 0; i < BROADCASTS; i++) {
        MPI_Bcast(data, 64, MPI_CHAR, 0, MPI_COMM_WORLD);
    }
    MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &three);
    MPI_Type_commit(&three);
    MPI_Gather(gaps, 1, three, gathered, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Type_free(&three);
    MPI_Finalize();
    return 0;
}
