/* SPDX-License-Identifier: BSD-3-Clause */
/* Contended locks of all kinds, which the report must name: a critical construct with and without
 * name, a lock in an array, a lock that nests in a structure. With an argument, the program is
 * killed at its end. */
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

enum { THREADS = 3, ROUNDS = 4 };

static omp_lock_t table_locks[4];
static struct {
    int length;
    omp_nest_lock_t guard;
} queue;
static volatile long sink;

static void work(void)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        sink++;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < 2000000);
}

int main(int argc, char **argv)
{
    omp_init_lock(&table_locks[2]);
    omp_init_nest_lock(&queue.guard);
#pragma omp parallel num_threads(THREADS)
    for (int i = 0; i < ROUNDS; i++) {
#pragma omp critical(counting)
        work();
#pragma omp barrier
#pragma omp critical
        work();
#pragma omp barrier
        omp_set_lock(&table_locks[2]);
        work();
        omp_unset_lock(&table_locks[2]);
#pragma omp barrier
        omp_set_nest_lock(&queue.guard);
        work();
        omp_unset_nest_lock(&queue.guard);
#pragma omp barrier
    }
    (void)argv;
    if (argc > 1) {
        raise(SIGKILL);
    }
    puts("done");
    return 0;
}
