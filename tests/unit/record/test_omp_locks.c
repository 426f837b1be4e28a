/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of OpenMP's locks under many threads: while it grows, each address has one lock, with a
 * number of its own. Meant for ThreadSanitizer, too. */
#include "record/openmp/lock_table.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { THREADS = 6, LOCKS = 20000 };

static char addresses[LOCKS];
static struct fm_omp_lock *found[THREADS][LOCKS];
static bool numbered[LOCKS];

/* Threads enter the same locks in orders of their own. */
static void *look_up(void *number)
{
    size_t own = (size_t)number;
    for (size_t i = 0; i < LOCKS; i++) {
        size_t which = (i * 7 + own * 3331) % LOCKS;
        errno = EDOM;
        found[own][which] = fm_omp_lock_at(&addresses[which]);
        assert_int_equal(errno, EDOM);
        assert_non_null(found[own][which]);
    }
    return NULL;
}

static void locks_are_the_same_for_all_threads(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, look_up, (void *)i), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < LOCKS; i++) {
        for (int t = 1; t < THREADS; t++) {
            assert_ptr_equal(found[t][i], found[0][i]);
        }
        assert_true(found[0][i]->address == (uint64_t)(uintptr_t)&addresses[i]);
        uint32_t number = found[0][i]->id - FM_OMP_LOCKS_FIRST;
        assert_true(number < LOCKS && !numbered[number]);
        numbered[number] = true;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(locks_are_the_same_for_all_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
