/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the programs of this folder have in common: functions that stay functions, clocks, and the
 * use of CPU time, which samples are taken of.
 */
#ifndef LIVE_STACK_CPU_USE_H
#define LIVE_STACK_CPU_USE_H

#include <time.h>

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif

/** Keeps results, and calls at the end of functions from being tail calls. */
static volatile double sink;

/** @return seconds */
static inline double now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/** Computes, in the function that calls it, until the thread has used so much more CPU time.
 * @return seconds that passed meanwhile */
static inline __attribute__((always_inline)) double use_cpu(double cpu)
{
    const double begin = now(CLOCK_MONOTONIC), end = now(CLOCK_THREAD_CPUTIME_ID) + cpu;
    double sum = 0;
    while (now(CLOCK_THREAD_CPUTIME_ID) < end) {
        for (int i = 1; i < 1000; i++) {
            sum += 1.0 / i;
        }
    }
    sink = sum;
    return now(CLOCK_MONOTONIC) - begin;
}

#endif
