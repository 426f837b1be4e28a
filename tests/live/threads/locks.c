/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that compete for locks with planted holding times. The first argument names the lock:
 * mutex, timed, recursive, rwlock, spin, c11; `try`: pthread_mutex_trylock; `cost`: prints the time
 * of an uncontended pair of calls; `count N`: N uncontended pairs in each of two threads. With a
 * third argument, the program is killed at its end. */
#include "compute.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

enum { ROUNDS = 5 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static mtx_t c11;
static pthread_barrier_t both;
static const char *kind;

static void lock_mutex(void)
{
    pthread_mutex_lock(&mutex);
}

static void unlock_mutex(void)
{
    pthread_mutex_unlock(&mutex);
}

static void lock_timed(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 100;
    pthread_mutex_timedlock(&mutex, &until);
}

static void lock_recursive(void)
{
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
}

static void unlock_recursive(void)
{
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&recursive);
}

static void lock_write(void)
{
    pthread_rwlock_wrlock(&rwlock);
}

static void unlock_rwlock(void)
{
    pthread_rwlock_unlock(&rwlock);
}

static void lock_spin(void)
{
    pthread_spin_lock(&spin);
}

static void unlock_spin(void)
{
    pthread_spin_unlock(&spin);
}

static void lock_c11(void)
{
    mtx_lock(&c11);
}

static void unlock_c11(void)
{
    mtx_unlock(&c11);
}

static void (*lock)(void) = lock_mutex, (*unlock)(void) = unlock_mutex;

/* Holds the lock for 4 ms each time. */
static void *holder(void *nothing)
{
    for (int i = 0; i < ROUNDS; i++) {
        lock();
        pthread_barrier_wait(&both);
        compute(0.004);
        unlock();
        pthread_barrier_wait(&both);
    }
    return nothing;
}

/* Waits for the lock while the other thread holds it. */
static void *waiter(void *nothing)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&both);
        if (strcmp(kind, "rwlock") == 0) {
            pthread_rwlock_rdlock(&rwlock);
            pthread_rwlock_unlock(&rwlock);
        } else {
            lock();
            unlock();
        }
        pthread_barrier_wait(&both);
    }
    return nothing;
}

static void pair(void *(*first)(void *), void *(*second)(void *))
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

static int count;

static void *alone(void *nothing)
{
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < count; i++) {
        pthread_mutex_lock(&own);
        pthread_mutex_unlock(&own);
    }
    return nothing;
}

static void *tries(void *nothing)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&both);
        while (pthread_mutex_trylock(&mutex) != 0) {
            sched_yield();
        }
        unlock();
        pthread_barrier_wait(&both);
    }
    return nothing;
}

/* The shortest of several measurements. */
static void cost(void)
{
    enum { MANY = 1000000, TIMES = 20 };
    double best = 1;
    for (int k = 0; k < TIMES; k++) {
        double begin = now();
        for (int i = 0; i < MANY; i++) {
            pthread_mutex_lock(&mutex);
            pthread_mutex_unlock(&mutex);
        }
        double time = (now() - begin) / MANY;
        best = time < best ? time : best;
    }
    printf("%.1f ns\n", 1e9 * best);
}

static void *no_work(void *nothing)
{
    return nothing;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*lock)(void), (*unlock)(void);
    } kinds[] = {{"mutex", lock_mutex, unlock_mutex},
                 {"timed", lock_timed, unlock_mutex},
                 {"recursive", lock_recursive, unlock_recursive},
                 {"rwlock", lock_write, unlock_rwlock},
                 {"spin", lock_spin, unlock_spin},
                 {"c11", lock_c11, unlock_c11},
                 {"try", lock_mutex, unlock_mutex}};
    pthread_mutexattr_t attributes;
    kind = argc > 1 ? argv[1] : "mutex";
    count = argc > 2 ? atoi(argv[2]) : 1000;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &attributes);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    mtx_init(&c11, mtx_plain);
    pthread_barrier_init(&both, NULL, 2);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kind, kinds[i].name) == 0) {
            lock = kinds[i].lock;
            unlock = kinds[i].unlock;
        }
    }
    if (strcmp(kind, "cost") == 0) {
        pair(no_work, no_work);
        cost();
    } else if (strcmp(kind, "count") == 0) {
        pair(alone, alone);
    } else {
        pair(holder, strcmp(kind, "try") == 0 ? tries : waiter);
    }
    if (argc > 3) {
        raise(SIGKILL);
    }
    puts("done");
    return 0;
}
