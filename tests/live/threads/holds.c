/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that computes, takes a lock that is free, computes on while another thread waits for it,
 * and releases it: in functions of their own, for longer than the time between two samples. */
#include "compute.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

enum { ROUNDS = 5 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool is_done;

static __attribute__((noinline)) void prepare(void)
{
    compute(0.017);
}

static __attribute__((noinline)) void tidy_up(void)
{
    compute(0.025);
}

static __attribute__((noinline)) void hold(void)
{
    pthread_mutex_lock(&mutex);
    tidy_up();
    pthread_mutex_unlock(&mutex);
}

static void *holder(void *nothing)
{
    for (int i = 0; i < ROUNDS; i++) {
        prepare();
        hold();
    }
    is_done = true;
    return nothing;
}

static void *waiter(void *nothing)
{
    while (!is_done) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
        usleep(2000);
    }
    return nothing;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, holder, NULL);
    pthread_create(&threads[1], NULL, waiter, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    puts("done");
    return 0;
}
