/* SPDX-License-Identifier: BSD-3-Clause */
/* Fills a file system between its messages and MPI_Finalize, up to a number of pages.
 *
 * usage: filled FILE PAGES */
#include <fcntl.h>
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { PAGE = 4096 };

static void fill(const char *path, long left)
{
    static const char page[PAGE];
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    off_t size = 0;
    while (write(file, page, PAGE) == PAGE) {
        size += PAGE;
    }
    if (size < left * PAGE || ftruncate(file, size - left * PAGE) != 0) {
        abort();
    }
    close(file);
}

int main(int argc, char **argv)
{
    int rank, value = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        fill(argv[1], strtol(argv[2], NULL, 10));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return argc < 3;
}
