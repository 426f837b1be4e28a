/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of one thread that overtake each other: those of LARGE bytes wait in the library when
 * its buffers are used up (OMPI_MCA_btl_vader_free_list_max), those of SMALL bytes need none.
 *
 * usage: overtake FILE    rank 0 makes FILE when it has begun all sends; rank 1 calls no MPI before
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { PAIRS = 400, LARGE = 3000, SMALL = 8 };

static char large[PAIRS][LARGE], small[PAIRS][SMALL];
static MPI_Request requests[2 * PAIRS];

static void send_all(const char *path)
{
    for (int i = 0; i < PAIRS; i++) {
        MPI_Isend(large[i], LARGE, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &requests[2 * i]);
        MPI_Isend(small[i], SMALL, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &requests[2 * i + 1]);
    }
    int file = open(path, O_WRONLY | O_CREAT, 0600);
    if (file < 0) {
        perror(path);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    close(file);
}

static void receive_all(const char *path)
{
    while (access(path, F_OK) != 0) {
        usleep(1000);
    }
    for (int i = 0; i < PAIRS; i++) {
        MPI_Irecv(large[i], LARGE, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &requests[2 * i]);
        MPI_Irecv(small[i], SMALL, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &requests[2 * i + 1]);
    }
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && rank == 0) {
        send_all(argv[1]);
    } else if (argc > 1 && rank == 1) {
        receive_all(argv[1]);
    }
    MPI_Waitall(2 * PAIRS, requests, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
