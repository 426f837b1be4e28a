/* SPDX-License-Identifier: BSD-3-Clause */
/* Uses the null library, and MPI where it is compiled with it.
 * usage: program [ORDER]   which of them ends last, and how: null (default), mpi, exit (the program
 *                          exits without null_finalize), _exit (without exit handlers, too) */
#include "nulllib.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

enum { CALLS = 3, MICROSECONDS = 2000 };

static void work(void)
{
    for (int i = 0; i < CALLS; i++) {
        null_work(MICROSECONDS);
    }
}

#ifdef WITH_MPI
static void communicate(void)
{
    int rank, size, value = 1, sum = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        null_work(MICROSECONDS); /* the others wait for it */
    }
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (sum != size) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static int mpi_is_over(void)
{
    int over = 0;
    MPI_Finalized(&over);
    return over;
}
#endif

int main(int argc, char **argv)
{
    const char *last = argc > 1 ? argv[1] : "null";
    null_init();
    work();
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
    communicate();
    if (strcmp(last, "mpi") != 0) {
        MPI_Finalize();
        if (!mpi_is_over()) {
            fprintf(stderr, "MPI_Finalized() is false after MPI_Finalize()\n");
            return 1;
        }
        work();
    }
#endif
    if (strcmp(last, "_exit") == 0) {
        _exit(0);
    }
    if (strcmp(last, "exit") != 0) {
        null_finalize();
    }
#ifdef WITH_MPI
    if (strcmp(last, "mpi") == 0) {
        work();
        MPI_Finalize();
    }
#endif
    return 0;
}
