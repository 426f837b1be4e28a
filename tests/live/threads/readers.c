/* SPDX-License-Identifier: BSD-3-Clause */
/* Readers and a writer of one table. The first argument says who is slow: `reader`: the first of
 * several readers keeps the lock long after the others, and the writer waits; `writer`: the readers
 * wait. */
#include "compute.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 4, THREADS = 5 };

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t all;

static void meet(void)
{
    pthread_barrier_wait(&all);
}

__attribute__((noinline)) static void read_table(double seconds)
{
    pthread_rwlock_rdlock(&table);
    meet();
    meet();
    compute(seconds);
    pthread_rwlock_unlock(&table);
}

__attribute__((noinline)) static void write_table(double seconds)
{
    pthread_rwlock_wrlock(&table);
    meet();
    compute(seconds);
    pthread_rwlock_unlock(&table);
}

/* The first reader has the lock first, and longest. */
static void slow_reader(uintptr_t number)
{
    if (number == 1) {
        read_table(0.03);
        return;
    }
    meet();
    if (number == 0) {
        meet();
        pthread_rwlock_wrlock(&table);
    } else {
        pthread_rwlock_rdlock(&table);
        meet();
        compute(0.003);
    }
    pthread_rwlock_unlock(&table);
}

static void slow_writer(uintptr_t number)
{
    if (number == 0) {
        write_table(0.02);
        return;
    }
    meet();
    pthread_rwlock_rdlock(&table);
    compute(0.001);
    pthread_rwlock_unlock(&table);
}

static void (*round_of)(uintptr_t number);

static void *work(void *number)
{
    for (int i = 0; i < ROUNDS; i++) {
        round_of((uintptr_t)number);
        meet();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    round_of = argc > 1 && strcmp(argv[1], "writer") == 0 ? slow_writer : slow_reader;
    pthread_barrier_init(&all, NULL, THREADS);
    for (uintptr_t i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, work, (void *)i);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    puts("done");
    return 0;
}
