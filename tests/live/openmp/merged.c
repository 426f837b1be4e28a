/* SPDX-License-Identifier: BSD-3-Clause */
/* Many short events of each kind that is merged beyond a budget: tasks, critical constructs and
 * locks that are free, marked regions; and some critical constructs that another thread has to wait
 * for. */
#include <fermata/fermata.h>
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { FIBONACCI = 16, LOOPS = 3000, STEPS = 10, ROUNDS = 5, HELD = 10000 /* us */ };

static long fibonacci(int n)
{
    long a = 0, b = 0;
    if (n < 2) {
        return n;
    }
#pragma omp task shared(a) /* LINE first */
    a = fibonacci(n - 1);
#pragma omp task shared(b) /* LINE second */
    b = fibonacci(n - 2);
#pragma omp taskwait /* LINE taskwait */
    return a + b;
}

/* Each thread has its own locks, so that they are free. */
static long take_free_locks(void)
{
    long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        omp_lock_t lock;
        omp_init_lock(&lock);
        for (int i = 0; i < LOOPS; i++) {
            if (omp_get_thread_num() == 0) {
#pragma omp critical(even) /* LINE even */
                sum += 2;
            } else {
#pragma omp critical(odd) /* LINE odd */
                sum++;
            }
            omp_set_lock(&lock);
            sum++;
            omp_unset_lock(&lock);
        }
        omp_destroy_lock(&lock);
    }
    return sum;
}

/* The second thread finds the lock taken in each round, unless it loses its processor just then. */
static long wait_for_lock(void)
{
    static atomic_int taken, coming;
    long sum = 0;
#pragma omp parallel num_threads(2)
    for (int i = 1; i <= ROUNDS; i++) {
        if (omp_get_thread_num() == 0) {
#pragma omp critical(shared) /* LINE holder */
            {
                atomic_store(&taken, i);
                while (atomic_load(&coming) < i) {
                    sched_yield();
                }
                usleep(HELD);
                sum++;
            }
        } else {
            while (atomic_load(&taken) < i) {
                sched_yield();
            }
            atomic_store(&coming, i);
#pragma omp critical(shared) /* LINE waiter */
            sum++;
        }
#pragma omp barrier /* LINE barrier */
    }
    return sum;
}

static long mark_steps(void)
{
    long sum = 0;
    for (int i = 0; i < LOOPS; i++) {
        FERMATA_BEGIN("sweep");
        for (int k = 0; k < STEPS; k++) {
            FERMATA_BEGIN("step");
            sum += k;
            FERMATA_END("step");
        }
        FERMATA_END("sweep");
    }
    return sum;
}

int main(void)
{
    long number = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    number = fibonacci(FIBONACCI);
    printf("%ld %ld %ld %ld\n", number, take_free_locks(), wait_for_lock(), mark_steps());
    return 0;
}
