/* SPDX-License-Identifier: BSD-3-Clause */
#include "duration.h"

#include <errno.h>
#include <math.h>
#include <time.h>

void sleep_for(double seconds)
{
    const double whole = floor(seconds);
    struct timespec left = {.tv_sec = (time_t)whole, .tv_nsec = (long)((seconds - whole) * 1e9)};
    while (nanosleep(&left, &left) == -1 && errno == EINTR)
        ;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

double monotonic_seconds(void)
{
    return now();
}

void work_for(double seconds)
{
    static volatile double result; /* keeps the compiler from removing the computation */
    const double end = now() + seconds;
    while (now() < end)
        for (int i = 0; i < 1000; i++)
            result = sqrt(result + i);
}
