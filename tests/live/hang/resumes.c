/* SPDX-License-Identifier: BSD-3-Clause */
/* No call ends until FOLDER/go exists, then calls end until FOLDER/stop exists. Usage: resumes
 * FOLDER */
#include "note.h"

#include <mpi.h>

static int exists(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

__attribute__((noinline)) static void wait_for_go(const char *folder)
{
    while (!exists(folder, "go")) {
        usleep(10000);
    }
}

int main(int argc, char **argv)
{
    int rank, stop = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    note_begin(argv[1], rank);
    if (rank == 1) {
        wait_for_go(argv[1]);
    }
    while (!stop) {
        stop = exists(argv[1], "stop");
        MPI_Allreduce(MPI_IN_PLACE, &stop, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        usleep(1000);
    }
    MPI_Finalize();
    return 0;
}
