/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded beside EZTrace: gives all processes of a machine one clock. By itself EZTrace 2.0 lets
 * the clock of each process begin when it is set up there, so that the clocks of an archive differ
 * by some milliseconds.
 *
 * EZTrace reads its clock by MPI_Wtime and counts from `first_timestamp`, which it sets from the
 * clock when it is 0. */
#include <stddef.h>
#include <stdint.h>
#include <time.h>

extern uint64_t first_timestamp __attribute__((weak));

double MPI_Wtime(void);

double MPI_Wtime(void)
{
    struct timespec now;
    if (&first_timestamp != NULL && first_timestamp == 0) {
        return 1e-9;
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
