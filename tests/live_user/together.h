/** @file
 * Launchers kill all ranks when one of them ends without MPI_Finalize. A test of what such ranks
 * leave behind must let all of them come to their end first. They meet by files in the working
 * directory.
 */
#ifndef TOGETHER_H
#define TOGETHER_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int together_rank, together_size; /* 0: they end as they like */

static void together_name(char *name, size_t size, int rank)
{
    snprintf(name, size, "left-%d", rank);
}

static void together_leave(void)
{
    char name[32];
    for (int rank = -1; rank < together_size; rank++) {
        together_name(name, sizeof name, rank < 0 ? together_rank : rank);
        if (rank < 0 && together_size > 0) {
            FILE *file = fopen(name, "w");
            if (file != NULL) {
                fclose(file);
            }
        }
        while (rank >= 0 && access(name, F_OK) != 0) {
            usleep(1000);
        }
    }
}

/** To be called first of all, so that waiting for the others is the last that a process does. */
static void together_begin(void)
{
    atexit(together_leave);
}

/** Ends the process without MPI_Finalize, but not before all ranks do. */
static void together_exit(int status)
{
    char name[32];
    MPI_Comm_rank(MPI_COMM_WORLD, &together_rank);
    together_name(name, sizeof name, together_rank);
    unlink(name); /* of an earlier run */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_size(MPI_COMM_WORLD, &together_size);
    exit(status);
}

#endif
