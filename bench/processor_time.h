/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Time of the benchmark programs. */
#ifndef FERMATA_BENCH_PROCESSOR_TIME_H
#define FERMATA_BENCH_PROCESSOR_TIME_H

#include <time.h>

/** @return processor time of the calling thread in seconds, which excludes the time of other
 * programs on a busy machine. */
static inline double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
