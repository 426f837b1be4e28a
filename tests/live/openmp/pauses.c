/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that pauses and resumes its recording inside of parallel regions, while the other
 * threads wait in a barrier or work. In every round, the last thread computes longer than the
 * others. Argument: `barriers`: rounds of one region, which end with a barrier; `regions`: each
 * round is a region; the pause begins in one and ends in another. */
#include <fermata/fermata.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { THREADS = 3, ROUNDS = 20 };

static volatile long sink;

static void compute(long microseconds)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        sink++;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000000L + (now.tv_nsec - begin.tv_nsec) / 1000 <
             microseconds);
}

/* The first thread pauses and resumes when the second one is in the barrier, or may be. */
static void work(int round)
{
    const int thread = omp_get_thread_num();
    compute(thread == THREADS - 1 ? 4000 : 500);
    if (thread == 0) {
        if (round % 6 == 2) {
            fermata_pause();
        } else if (round % 6 == 4) {
            fermata_resume();
        }
    }
}

static void rounds_of_barriers(void)
{
#pragma omp parallel num_threads(THREADS)
    for (int i = 0; i < ROUNDS; i++) {
        work(i);
#pragma omp barrier
    }
}

static void rounds_of_regions(void)
{
    for (int i = 0; i < ROUNDS; i++) {
#pragma omp parallel num_threads(THREADS)
        {
            work(i);
#pragma omp barrier
            compute(200);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "regions") == 0) {
        rounds_of_regions();
    } else {
        rounds_of_barriers();
    }
    puts("done");
    return 0;
}
