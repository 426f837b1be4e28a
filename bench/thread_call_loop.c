/* SPDX-License-Identifier: BSD-3-Clause */
/* A tight loop of the cheapest constructs of OpenMP and of an uncontended mutex, by one thread
 * (call_loop.h): measures the cost that recording adds to them.
 *
 *   thread_call_loop mutex COUNT         pthread_mutex_lock and pthread_mutex_unlock
 *   thread_call_loop omp-barrier COUNT   a barrier of a team of one thread
 *   thread_call_loop omp-loop COUNT      a loop of one iteration with a dynamic schedule
 *   thread_call_loop omp-critical COUNT  a critical construct
 *
 * The loops have COUNT turns; with a third argument N there are N loops (default 9). */
#include "call_loop.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int work;

static inline void lock_and_unlock(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

static inline void mutex(long count, bool clock)
{
    for (long i = 0; i < count; ++i) {
        CALL(clock, lock_and_unlock());
    }
}

static inline void meet(void)
{
#pragma omp barrier
}

/* Its moments are its begin, the begin of its implied barrier, and the end of both. */
static inline void share(bool clock)
{
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 1; ++i) {
        work = i;
        READ_INSIDE(clock);
    }
}

/* Its moments are those before and behind the acquisition and the release. */
static inline void exclude(bool clock)
{
#pragma omp critical
    {
        READ_INSIDE(clock);
        work = 0;
        READ_INSIDE(clock);
    }
}

static inline void barrier(long count, bool clock)
{
#pragma omp parallel num_threads(1)
    for (long i = 0; i < count; ++i) {
        CALL(clock, meet());
    }
}

static inline void loop(long count, bool clock)
{
#pragma omp parallel num_threads(1)
    for (long i = 0; i < count; ++i) {
        CALL(clock, share(clock));
    }
}

static inline void critical(long count, bool clock)
{
#pragma omp parallel num_threads(1)
    for (long i = 0; i < count; ++i) {
        CALL(clock, exclude(clock));
    }
}

CALL_LOOP(mutex)
CALL_LOOP(barrier)
CALL_LOOP(loop)
CALL_LOOP(critical)

static const struct call_loop loops[] = {
    {"mutex", 1, mutex_plainly, mutex_with_clock},
    {"omp-barrier", 1, barrier_plainly, barrier_with_clock},
    {"omp-loop", 1, loop_plainly, loop_with_clock},
    {"omp-critical", 1, critical_plainly, critical_with_clock},
};

static void *end_at_once(void *argument)
{
    return argument;
}

int main(int argc, char **argv)
{
    const struct call_loop_choice choice =
        call_loop_choose(argc, argv, loops, sizeof loops / sizeof *loops);
    pthread_t thread;
    if (choice.loop == NULL) {
        return 2;
    }
    /* Recording begins with the first thread of a program. */
    if (pthread_create(&thread, NULL, end_at_once, NULL) != 0) {
        return 1;
    }
    pthread_join(thread, NULL);
    const struct call_loop_times times = call_loop_measure(&choice);
    call_loop_print(&times);
    return 0;
}
