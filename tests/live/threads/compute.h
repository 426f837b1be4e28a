/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Computation of a given duration in the functions of test programs.
 */
#ifndef FERMATA_TESTS_LIVE_THREADS_COMPUTE_H
#define FERMATA_TESTS_LIVE_THREADS_COMPUTE_H

#include <time.h>

static volatile double sink;

/** Seconds of a clock that does not jump. */
static inline double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/** Computes for a time, in a function of its own. */
__attribute__((noinline, unused)) static void compute(double seconds)
{
    double end = now() + seconds;
    while (now() < end) {
        sink += 1;
    }
}

#endif
