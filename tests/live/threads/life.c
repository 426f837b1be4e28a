/* SPDX-License-Identifier: BSD-3-Clause */
/* Lives of threads: what the first argument names. Prints what a program observes of its threads,
 * so that the output with and without fermata can be compared.
 *
 *   joined    threads with planted work, joined in order; a C11 thread
 *   alive     threads still run, compute and wait when main returns
 *   blocked   threads wait when main returns: for a condition, a lock, a barrier, a thread
 *   worker    a thread calls exit while main waits for it
 *   detached  detached threads; the last one ends before main does
 *   cancelled threads cancelled in a join, in a condition and while they compute
 *   exits     pthread_exit in an inner function, and of main
 *   short N   N threads that end at once, one after the other
 *   many N    N threads at once
 *   failing   pthread_create fails
 *   nested    threads create threads, and join those of others
 *   destroys  a thread whose function returns at once has a thread_local object, whose destructor
 *             computes
 *   killed    SIGKILL while a thread waits for another one
 *   killed-later  the same, with calls before that have certainly been recorded
 */
#define _GNU_SOURCE
#include "asleep.h"
#include "compute.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static sem_t done;

static void *work(void *milliseconds)
{
    compute(1e-3 * (double)(intptr_t)milliseconds);
    return milliseconds;
}

static int work_c11(void *milliseconds)
{
    compute(1e-3 * (double)(intptr_t)milliseconds);
    return (int)(intptr_t)milliseconds;
}

static void joined(void)
{
    pthread_t threads[3];
    thrd_t other;
    intptr_t sum = 0;
    int result;
    for (intptr_t i = 0; i < 3; i++) {
        pthread_create(&threads[i], NULL, work, (void *)(10 * (i + 1)));
    }
    thrd_create(&other, work_c11, (void *)(intptr_t)5);
    for (int i = 0; i < 3; i++) {
        void *value;
        pthread_join(threads[i], &value);
        sum += (intptr_t)value;
    }
    thrd_join(other, &result);
    printf("joined %d and %d\n", (int)sum, result);
}

/* Threads that have computed long enough for samples of them. */
static _Atomic int sampled;

static void *forever(void *nothing)
{
    while (processor_seconds() < 0.05) {
        compute(0.001);
    }
    sampled++;
    for (;;) {
        compute(0.001);
    }
    return nothing;
}

static void *wait_forever(void *nothing)
{
    static sem_t never;
    sem_init(&never, 0, 0);
    sem_wait(&never);
    return nothing;
}

static void alive(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, forever, NULL);
    pthread_create(&thread, NULL, wait_forever, NULL);
    await_asleep(1);
    while (sampled == 0) {
        compute(0.001);
    }
    puts("main returns");
}

static pthread_mutex_t never_released = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never_signalled = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t never_complete;

static void *blocked_in_condition(void *nothing)
{
    static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&own);
    for (;;) {
        pthread_cond_wait(&never_signalled, &own);
    }
    return nothing;
}

static void *blocked_in_lock(void *nothing)
{
    pthread_mutex_lock(&never_released);
    return nothing;
}

static void *blocked_in_barrier(void *nothing)
{
    pthread_barrier_wait(&never_complete);
    return nothing;
}

static void *blocked_in_join(void *other)
{
    pthread_join((pthread_t)other, NULL);
    return NULL;
}

static void blocked(void)
{
    pthread_t threads[4];
    pthread_barrier_init(&never_complete, NULL, 2);
    pthread_mutex_lock(&never_released);
    pthread_create(&threads[0], NULL, blocked_in_condition, NULL);
    pthread_create(&threads[1], NULL, blocked_in_lock, NULL);
    pthread_create(&threads[2], NULL, blocked_in_barrier, NULL);
    pthread_create(&threads[3], NULL, blocked_in_join, (void *)threads[0]);
    await_asleep(4);
    puts("main returns");
}

static void *calls_exit(void *nothing)
{
    compute(0.02);
    puts("exit");
    exit(0);
    return nothing;
}

static void worker(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, calls_exit, NULL);
    pthread_join(thread, NULL);
}

static void *post(void *nothing)
{
    compute(0.002);
    sem_post(&done);
    return nothing;
}

static void detached(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sem_init(&done, 0, 0);
    for (int i = 0; i < 3; i++) {
        pthread_create(&thread, &attributes, post, NULL);
        pthread_create(&thread, NULL, post, NULL);
        pthread_detach(thread);
    }
    for (int i = 0; i < 6; i++) {
        sem_wait(&done);
    }
    puts("all posted");
    await_last();
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int cleaned;

static void clean(void *name)
{
    cleaned++;
    if (name != NULL) {
        pthread_mutex_unlock(&mutex);
    }
}

static void *wait_for_condition(void *nothing)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(clean, "mutex");
    for (;;) {
        pthread_cond_wait(&condition, &mutex);
    }
    pthread_cleanup_pop(0);
    return nothing;
}

static void *join_other(void *other)
{
    pthread_cleanup_push(clean, NULL);
    pthread_join(*(pthread_t *)other, NULL);
    pthread_cleanup_pop(0);
    return NULL;
}

static void *compute_until_cancelled(void *nothing)
{
    while (processor_seconds() < 0.05) {
        compute(0.001);
    }
    sampled++;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (;;) {
        sink += 1;
    }
    return nothing;
}

static void cancelled(void)
{
    pthread_t threads[3];
    int ends = 0;
    pthread_create(&threads[0], NULL, wait_for_condition, NULL);
    pthread_create(&threads[1], NULL, join_other, &threads[0]);
    pthread_create(&threads[2], NULL, compute_until_cancelled, NULL);
    await_asleep(2);
    while (sampled == 0) {
        compute(0.001);
    }
    pthread_cancel(threads[1]);
    for (int i = 1; i < 4; i++) {
        void *value;
        pthread_cancel(threads[i % 3]);
        pthread_join(threads[i % 3], &value);
        ends += value == PTHREAD_CANCELED;
    }
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    printf("cancelled %d, cleaned %d\n", ends, cleaned);
}

__attribute__((noinline)) static void leave(void *value)
{
    compute(0.002);
    pthread_exit(value);
}

static void *exits_inside(void *value)
{
    leave(value);
    return NULL;
}

static void *prints_last(void *nothing)
{
    compute(0.02);
    puts("the last thread");
    return nothing;
}

static void exits(void)
{
    pthread_t thread;
    void *value;
    pthread_create(&thread, NULL, exits_inside, "exited");
    pthread_join(thread, &value);
    puts(value);
    pthread_create(&thread, NULL, prints_last, NULL);
    fflush(stdout);
    pthread_exit(NULL);
}

static void *nothing_to_do(void *argument)
{
    return argument;
}

static void shortly(int count)
{
    int good = 0;
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        void *value;
        good += pthread_create(&thread, NULL, nothing_to_do, &good) == 0 &&
                pthread_join(thread, &value) == 0 && value == &good;
    }
    printf("%d short threads\n", good);
}

static pthread_barrier_t barrier;

static void *meet(void *argument)
{
    pthread_barrier_wait(&barrier);
    compute(0.001);
    return argument;
}

static void many(int count)
{
    pthread_t *threads = calloc((size_t)count, sizeof *threads);
    int good = 0;
    pthread_barrier_init(&barrier, NULL, (unsigned)count);
    for (int i = 0; i < count; i++) {
        good += pthread_create(&threads[i], NULL, meet, NULL) == 0;
    }
    for (int i = 0; i < count; i++) {
        good += pthread_join(threads[i], NULL) == 0;
    }
    printf("%d calls\n", good);
    free(threads);
}

static void failing(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)1 << 46);
    int result = pthread_create(&thread, &attributes, nothing_to_do, NULL);
    pthread_create(&thread, NULL, nothing_to_do, NULL);
    struct timespec past = {0, 0};
    pthread_t other;
    pthread_create(&other, NULL, work, (void *)(intptr_t)50);
    int busy = pthread_tryjoin_np(other, NULL), late = pthread_timedjoin_np(other, NULL, &past);
    pthread_join(other, NULL);
    pthread_join(thread, NULL);
    printf("%s, %s, %s\n", result == EAGAIN ? "EAGAIN" : strerror(result),
           busy == EBUSY ? "EBUSY" : strerror(busy),
           late == ETIMEDOUT ? "ETIMEDOUT" : strerror(late));
}

static pthread_t grandchild;

static void *parent(void *nothing)
{
    pthread_create(&grandchild, NULL, work, (void *)(intptr_t)5);
    return nothing;
}

static void nested(void)
{
    pthread_t child;
    pthread_create(&child, NULL, parent, NULL);
    pthread_join(child, NULL);
    pthread_join(grandchild, NULL);
    puts("nested");
}

/* What C++ registers destructors of thread_local objects with. */
extern int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object, void *library);
extern void *__dso_handle;

static void destructor(void *nothing)
{
    (void)nothing;
    compute(0.1);
    sampled++;
}

static void *has_object(void *nothing)
{
    __cxa_thread_atexit_impl(destructor, NULL, &__dso_handle);
    return nothing;
}

static void destroys(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, has_object, NULL);
    pthread_join(thread, NULL);
    puts("destroyed");
}

static void *kills(void *nothing)
{
    compute(0.02);
    raise(SIGKILL);
    return nothing;
}

static void killed(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, kills, NULL);
    pthread_join(thread, NULL);
}

static void killed_later(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, (void *)1);
    pthread_join(thread, NULL);
    killed();
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int count = argc > 2 ? atoi(argv[2]) : 1;
    struct {
        const char *name;
        void (*run)(void);
    } const cases[] = {
        {"joined", joined},     {"alive", alive},       {"blocked", blocked},
        {"worker", worker},     {"detached", detached}, {"cancelled", cancelled},
        {"exits", exits},       {"failing", failing},   {"nested", nested},
        {"destroys", destroys}, {"killed", killed},     {"killed-later", killed_later}};
    if (strcmp(what, "short") == 0) {
        shortly(count);
        return 0;
    }
    if (strcmp(what, "many") == 0) {
        many(count);
        return 0;
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (strcmp(what, cases[i].name) == 0) {
            cases[i].run();
            return 0;
        }
    }
    return 2;
}
