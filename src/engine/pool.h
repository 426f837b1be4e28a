/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A pool of threads. An analysis has hundreds of stages, some of them shorter than the start of a
 * thread.
 */
#ifndef FERMATA_ENGINE_POOL_H
#define FERMATA_ENGINE_POOL_H

struct fm_pool;

/** A task, run by each thread of a pool. @param number  of the thread; 0: the caller of
 * fm_pool_run() */
typedef void fm_pool_task_t(void *context, unsigned number);

/** @param threads  at least 1; the caller of fm_pool_run() is one of them, the others are started
 *                 here
 * @return to be freed with fm_pool_free(); NULL with errno set if a thread cannot be started */
struct fm_pool *fm_pool_create(unsigned threads);

/** Ends the threads. @param pool  NULL: nothing happens */
void fm_pool_free(struct fm_pool *pool);

/** Runs a task on all threads at the same time and waits until it has ended on all of them. Writes
 * before the call are visible to the task, writes of the task are visible after the call. Not
 * thread-safe; a task cannot run another one on the same pool. */
void fm_pool_run(struct fm_pool *pool, fm_pool_task_t *task, void *context);

#endif
