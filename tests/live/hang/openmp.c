/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenMP programs that deadlock, and one that is only slow. They are killed.
 *
 * usage: openmp FOLDER NAME */
#include "note.h"

#include <omp.h>
#include <string.h>

static omp_lock_t locks[2];
static int taken;

static void wait_until_taken(int count)
{
    while (__atomic_load_n(&taken, __ATOMIC_SEQ_CST) < count) {
        usleep(1000);
    }
}

static void take(int lock)
{
    omp_set_lock(&locks[lock]);
    __atomic_fetch_add(&taken, 1, __ATOMIC_SEQ_CST);
}

static void omp_lock_order(void)
{
#pragma omp parallel num_threads(2)
    {
        const int own = omp_get_thread_num();
        take(own);
        wait_until_taken(2);
        take(1 - own);
    }
}

static void omp_lock_and_barrier(void) /* thread 0 waits in the barrier, with the lock */
{
#pragma omp parallel num_threads(2)
    {
        wait_until_taken(omp_get_thread_num());
        take(0);
#pragma omp barrier
        omp_unset_lock(&locks[0]);
    }
}

static void omp_busy_critical(void)
{
#pragma omp parallel num_threads(2)
    {
        wait_until_taken(omp_get_thread_num());
#pragma omp critical(part)
        {
            __atomic_fetch_add(&taken, 1, __ATOMIC_SEQ_CST);
            compute();
        }
    }
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        return 2;
    }
    omp_init_lock(&locks[0]);
    omp_init_lock(&locks[1]);
    note_begin(argv[1], 0);
    if (strcmp(argv[2], "omp_lock_order") == 0) {
        omp_lock_order();
    } else if (strcmp(argv[2], "omp_lock_and_barrier") == 0) {
        omp_lock_and_barrier();
    } else {
        omp_busy_critical();
    }
    return 0;
}
