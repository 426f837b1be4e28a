/* SPDX-License-Identifier: BSD-3-Clause */
/* Contended locks of all kinds, which the report must name: a critical construct with and without
 * name, a lock in an array, a lock that nests in a structure. The first holder of a round keeps the
 * lock until the other threads request it, however late the system runs them. With an argument,
 * the program is killed at its end. */
#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum { THREADS = 3, ROUNDS = 4, LOCKS = 4 };

static omp_lock_t table_locks[4];
static struct {
    int length;
    omp_nest_lock_t guard;
} queue;
static volatile long sink;
static atomic_int requests[ROUNDS][LOCKS]; /* by threads that are about to acquire the lock */

/* Announces that the calling thread requests a lock next. */
static void request(int round, int lock)
{
    atomic_fetch_add(&requests[round][lock], 1);
}

/* Works after all threads have requested the lock, so that these wait. */
static void work(int round, int lock)
{
    struct timespec begin, now;
    while (atomic_load(&requests[round][lock]) < THREADS) {
        sched_yield();
    }
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
        request(i, 0);
#pragma omp critical(counting)
        work(i, 0);
#pragma omp barrier
        request(i, 1);
#pragma omp critical
        work(i, 1);
#pragma omp barrier
        request(i, 2);
        omp_set_lock(&table_locks[2]);
        work(i, 2);
        omp_unset_lock(&table_locks[2]);
#pragma omp barrier
        request(i, 3);
        omp_set_nest_lock(&queue.guard);
        work(i, 3);
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
