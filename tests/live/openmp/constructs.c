/* SPDX-License-Identifier: BSD-3-Clause */
/* Every construct that runtimes tell, with planted delays.
 * A comment `LINE name` marks the line that a region is expected at. */
#include <omp.h>
#include <stdio.h>
#include <time.h>

static void work(int microseconds)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long end = now.tv_sec * 1000000 + now.tv_nsec / 1000 + microseconds;
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec * 1000000 + now.tv_nsec / 1000 < end);
}

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;
static long sum;

/* Thread 1 is late in the barrier: it works until the other threads have come to it, and some more.
 */
static void late_thread(void)
{
    int arrived = 0;
#pragma omp parallel num_threads(3) shared(arrived) /* LINE parallel */
    {
        if (omp_get_thread_num() != 1) {
            __atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
        } else {
            while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < 2) {
                work(1000);
            }
            work(10000);
        }
#pragma omp barrier /* LINE barrier */
        work(100);
    }
}

static void loops(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(dynamic) /* LINE dynamic */
        for (int i = 0; i < 8; i++) {
            work(500);
        }
#pragma omp for schedule(static) /* LINE static */
        for (int i = 0; i < 8; i++) {
            work(i < 4 ? 2000 : 100);
        }
#pragma omp for schedule(guided) nowait /* LINE nowait */
        for (int i = 0; i < 8; i++) {
            work(100);
        }
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < 4; i++) {
#pragma omp ordered /* LINE ordered */
            work(500);
        }
    }
#pragma omp parallel for schedule(dynamic, 2) num_threads(2) /* LINE combined */
    for (int i = 0; i < 8; i++) {
        work(200);
    }
}

static void blocks(void)
{
    int copied = 0;
#pragma omp parallel num_threads(2) firstprivate(copied)
    {
#pragma omp sections /* LINE sections */
        {
#pragma omp section
            work(1000);
#pragma omp section
            work(300);
        }
#pragma omp single /* LINE single */
        work(1000);
#pragma omp single copyprivate(copied) /* LINE copied */
        {
            work(500);
            copied = 7;
        }
#pragma omp critical /* LINE critical */
        {
            work(1000);
            sum += copied;
        }
#pragma omp critical(name) /* LINE named */
        sum += copied;
    }
}

/* GCC's optimized code jumps to the barrier at the end of the single. */
static void ends_with_single(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        work(500);
    }
}

static void locks(void)
{
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
#pragma omp parallel num_threads(2)
    {
        omp_set_lock(&lock);
        work(2000);
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nest_lock);
        omp_set_nest_lock(&nest_lock);
        omp_unset_nest_lock(&nest_lock);
        omp_unset_nest_lock(&nest_lock);
    }
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest_lock);
}

/* Teams of changing size, and nested ones. */
static void teams(void)
{
    for (int i = 0; i < 6; i++) {
#pragma omp parallel num_threads(1 + i % 3) /* LINE changing */
        work(100);
    }
    omp_set_max_active_levels(2);
    for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2) /* LINE outer */
        {
            work(100);
#pragma omp parallel num_threads(2) /* LINE inner */
            work(omp_get_thread_num() == 1 ? 1000 : 100);
        }
    }
}

int main(void)
{
    late_thread();
    loops();
    blocks();
    ends_with_single();
    locks();
    teams();
    printf("%ld\n", sum);
    return 0;
}
