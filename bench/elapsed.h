/** @file
 * Time of the benchmark programs. */
#ifndef FERMATA_BENCH_ELAPSED_H
#define FERMATA_BENCH_ELAPSED_H

#include <time.h>

/** @return seconds since some moment. */
static inline double elapsed_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
