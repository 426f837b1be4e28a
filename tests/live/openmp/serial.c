/* SPDX-License-Identifier: BSD-3-Clause */
/* Executes serial code before the first parallel region, between two and behind the last one, and
 * prints how long each of these parts took: check_serial.py. */
#include <stdio.h>
#include <time.h>

static volatile double sink;

static double now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Computes for so much CPU time in the function that calls it: so it is sampled, however much else
 * runs. */
static inline __attribute__((always_inline)) void compute(double seconds)
{
    const double end = now(CLOCK_THREAD_CPUTIME_ID) + seconds;
    while (now(CLOCK_THREAD_CPUTIME_ID) < end) {
        for (int i = 1; i < 1000; i++) {
            sink += 1.0 / i;
        }
    }
}

__attribute__((noinline)) static void set_up(void)
{
    compute(0.4);
}

__attribute__((noinline)) static void between(void)
{
    compute(0.25);
}

__attribute__((noinline)) static void finish(void)
{
    compute(0.15);
}

__attribute__((noinline)) static void solve(void)
{
#pragma omp parallel num_threads(2)
    compute(0.05);
}

/* Executes a part; no function, which would be the one that is serial. */
#define MEASURE(part)                                                                              \
    do {                                                                                           \
        const double begin = now(CLOCK_MONOTONIC);                                                 \
        part();                                                                                    \
        printf("%s %f\n", #part, now(CLOCK_MONOTONIC) - begin);                                    \
    } while (0)

int main(void)
{
    MEASURE(set_up);
    solve();
    MEASURE(between);
    solve();
    MEASURE(finish);
    return 5;
}
