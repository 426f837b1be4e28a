/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks: created by one thread, nested, in a group, in loops, with arguments of many sizes; some
 * are not deferred. The sums show whether the arguments arrive. */
#include <omp.h>
#include <stdio.h>
#include <string.h>
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

struct large {
    double values[16];
};
struct huge {
    double values[100];
};

struct vast {
    double values[3000];
};

static long fibonacci(int n)
{
    long a = 0, b = 0;
    if (n < 2) {
        return n;
    }
#pragma omp task shared(a) /* LINE nested */
    a = fibonacci(n - 1);
#pragma omp task shared(b)
    b = fibonacci(n - 2);
#pragma omp taskwait /* LINE taskwait */
    return a + b;
}

static double spread(void)
{
    double sum = 0;
    struct large large;
    struct huge huge;
    struct vast vast;
    for (int i = 0; i < 100; i++) {
        huge.values[i] = i;
        large.values[i % 16] = i;
    }
    memset(&vast, 0, sizeof vast);
    vast.values[2999] = 1000;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int i = 0; i < 8; i++) {
#pragma omp task firstprivate(i, large) shared(sum) /* LINE large */
            {
                work(i == 0 ? 5000 : 200);
#pragma omp atomic
                sum += large.values[i];
            }
        }
#pragma omp task firstprivate(huge) shared(sum) /* LINE huge */
#pragma omp atomic
        sum += huge.values[99];
#pragma omp task firstprivate(vast) shared(sum) /* LINE vast */
#pragma omp atomic
        sum += vast.values[2999];
#pragma omp task if (0) shared(sum) /* LINE undeferred */
#pragma omp atomic
        sum += 0.5;
    }
    return sum;
}

static long loops(void)
{
    long sum = 0;
    unsigned long long product = 1;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp taskgroup /* LINE taskgroup */
        {
#pragma omp task shared(sum) /* LINE grouped */
#pragma omp atomic
            sum += 1000;
        }
#pragma omp taskloop shared(sum) num_tasks(4) /* LINE taskloop */
        for (int i = 0; i < 40; i++) {
#pragma omp atomic
            sum += i;
        }
#pragma omp taskloop reduction(* : product) num_tasks(3)
        for (unsigned long long i = 1; i < 6; i++) {
            product *= i;
        }
    }
    return sum + (long)product;
}

static int detached(void)
{
    int done = 0;
#pragma omp parallel num_threads(2) shared(done)
#pragma omp single
    {
        omp_event_handle_t event;
#pragma omp task detach(event) shared(done) /* LINE detached */
        {
            done = 1;
            omp_fulfill_event(event);
        }
#pragma omp taskwait
        done = done == 1 ? 2 : 0;
    }
    return done;
}

/* The runtime combines what the tasks have added. */
static long reduced(void)
{
    long sum = 0;
#pragma omp parallel num_threads(2) reduction(task, + : sum) /* LINE reduced */
    {
        sum += 1;
#pragma omp single
        for (int i = 0; i < 3; i++) {
#pragma omp task in_reduction(+ : sum) /* LINE added */
            sum += 10;
        }
    }
    return sum;
}

int main(void)
{
    long number = 0;
#pragma omp parallel num_threads(3) shared(number)
#pragma omp single
    number = fibonacci(7);
    double sum = spread();
    long loop = loops();
    printf("%ld %.1f %ld %d %ld\n", number, sum, loop, detached(), reduced());
    return 0;
}
