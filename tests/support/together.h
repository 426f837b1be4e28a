/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Launchers kill all ranks when one of them ends without MPI_Finalize. A test of what such ranks
 * leave behind must let all of them come to their end first. They meet by files in the working
 * directory and end at one moment, for the launcher's signal would be another exit code.
 */
#ifndef TOGETHER_H
#define TOGETHER_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Where programs are instrumented, functions that call nothing of MPI are left out. */
#define TOGETHER static __attribute__((no_instrument_function))

static int together_rank, together_size; /* 0: they end as they like */

TOGETHER void together_name(char *name, size_t size, int rank)
{
    snprintf(name, size, "left-%d", rank);
}

/* When this file was written, once it is there. */
TOGETHER int64_t together_written(const char *name)
{
    struct stat file;
    while (stat(name, &file) != 0) {
        usleep(1000);
    }
    return file.st_mtim.tv_sec * INT64_C(1000000000) + file.st_mtim.tv_nsec;
}

TOGETHER void together_leave(void)
{
    const int64_t reaction = 50 * 1000 * 1000; /* ns in which all have seen the last one's file */
    char name[32];
    int64_t last = 0;
    if (together_size == 0) {
        return;
    }
    together_name(name, sizeof name, together_rank);
    FILE *file = fopen(name, "w");
    if (file != NULL) {
        fclose(file);
    }
    for (int rank = 0; rank < together_size; rank++) {
        together_name(name, sizeof name, rank);
        int64_t written = together_written(name);
        last = written > last ? written : last;
    }
    struct timespec moment = {(last + reaction) / 1000000000, (last + reaction) % 1000000000};
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &moment, NULL);
}

/** To be called first of all, so that waiting for the others is the last that a process does. */
TOGETHER void together_begin(void)
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
