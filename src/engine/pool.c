/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/pool.h"

#include "base/memory.h"
#include "engine/backoff.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct helper {
    struct fm_pool *pool;
    unsigned number;
    pthread_t thread;
};

struct fm_pool {
    unsigned threads;
    struct helper *helpers; /* [threads]; the first one is the caller and has no thread */
    fm_pool_task_t *task;   /* NULL: the threads end */
    void *context;
    atomic_uint rounds;  /* begun so far */
    atomic_uint running; /* helpers that have not ended the round */
    pthread_mutex_t lock;
    pthread_cond_t begun, ended;
};

/* Waits while a number is (`is_same`), or is not, the value: spins first, then sleeps. */
static void wait_while(struct fm_pool *pool, atomic_uint *number, unsigned value, bool is_same,
                       pthread_cond_t *changed)
{
    unsigned turn = 0;
    do {
        if ((atomic_load(number) == value) != is_same) {
            return;
        }
    } while (fm_spin(turn++));
    pthread_mutex_lock(&pool->lock);
    while ((atomic_load(number) == value) == is_same) {
        pthread_cond_wait(changed, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
}

static void begin_round(struct fm_pool *pool, fm_pool_task_t *task, void *context)
{
    pool->task = task;
    pool->context = context;
    atomic_store(&pool->running, pool->threads - 1);
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->rounds, 1);
    pthread_cond_broadcast(&pool->begun);
    pthread_mutex_unlock(&pool->lock);
}

static void end_round(struct fm_pool *pool)
{
    if (atomic_fetch_sub(&pool->running, 1) == 1) {
        pthread_mutex_lock(&pool->lock);
        pthread_cond_signal(&pool->ended);
        pthread_mutex_unlock(&pool->lock);
    }
}

static void *help(void *argument)
{
    const struct helper *helper = argument;
    struct fm_pool *pool = helper->pool;
    for (unsigned round = 0;; ++round) {
        wait_while(pool, &pool->rounds, round, true, &pool->begun);
        if (pool->task == NULL) {
            return NULL;
        }
        pool->task(pool->context, helper->number);
        end_round(pool);
    }
}

static void end_helpers(struct fm_pool *pool, unsigned started)
{
    begin_round(pool, NULL, NULL);
    for (unsigned n = 1; n < started; ++n) {
        pthread_join(pool->helpers[n].thread, NULL);
    }
    pthread_cond_destroy(&pool->begun);
    pthread_cond_destroy(&pool->ended);
    pthread_mutex_destroy(&pool->lock);
    fm_free(pool->helpers);
    fm_free(pool);
}

struct fm_pool *fm_pool_create(unsigned threads)
{
    struct fm_pool *pool = fm_allocate_apart(1, sizeof *pool);
    pool->threads = threads;
    pool->helpers = fm_allocate(threads, sizeof *pool->helpers);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->begun, NULL);
    pthread_cond_init(&pool->ended, NULL);
    for (unsigned n = 1; n < threads; ++n) {
        struct helper *helper = &pool->helpers[n];
        *helper = (struct helper){.pool = pool, .number = n};
        int reason = pthread_create(&helper->thread, NULL, help, helper);
        if (reason != 0) {
            end_helpers(pool, n);
            errno = reason;
            return NULL;
        }
    }
    return pool;
}

void fm_pool_free(struct fm_pool *pool)
{
    if (pool != NULL) {
        end_helpers(pool, pool->threads);
    }
}

void fm_pool_run(struct fm_pool *pool, fm_pool_task_t *task, void *context)
{
    if (pool->threads > 1) {
        begin_round(pool, task, context);
    }
    task(context, 0);
    if (pool->threads > 1) {
        wait_while(pool, &pool->running, 0, false, &pool->ended);
    }
}
