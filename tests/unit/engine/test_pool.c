/* SPDX-License-Identifier: BSD-3-Clause */
/* Each thread does its task once a round, however short or long others take, and the caller sees
 * what all have done. */
#include "check.h"

#include "engine/pool.h"

#include <time.h>

#define MOST   9
#define ROUNDS 600

struct round {
    unsigned number;
    unsigned slow; /* thread that takes its time; MOST: none */
    unsigned done[MOST];
    unsigned before[MOST]; /* what each thread saw of thread 0's last round */
};

static void work(void *context, unsigned number)
{
    struct round *round = context;
    if (number == round->slow) {
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    round->before[number] = round->number;
    round->done[number]++;
}

static void check_round(struct round *round, struct fm_pool *pool, unsigned threads)
{
    round->number++;
    fm_pool_run(pool, work, round);
    for (unsigned n = 0; n < MOST; n++) {
        assert_int_equal(round->done[n], n < threads ? round->number : 0);
        assert_int_equal(round->before[n], n < threads ? round->number : 0);
    }
}

static void every_thread_works_once_a_round(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= MOST; threads++) {
        struct fm_pool *pool = fm_pool_create(threads);
        struct round round = {.slow = MOST};
        for (unsigned r = 0; r < ROUNDS; r++) {
            check_round(&round, pool, threads);
        }
        fm_pool_free(pool);
    }
}

static void one_may_be_slow(void **state)
{
    (void)state;
    struct fm_pool *pool = fm_pool_create(3);
    struct round round = {0};
    for (unsigned r = 0; r < 30; r++) {
        round.slow = r % 4;
        check_round(&round, pool, 3);
    }
    fm_pool_free(pool);
}

/* The others sleep meanwhile. */
static void the_caller_may_pause(void **state)
{
    (void)state;
    struct fm_pool *pool = fm_pool_create(4);
    struct round round = {.slow = MOST};
    for (unsigned r = 0; r < 20; r++) {
        check_round(&round, pool, 4);
        nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
    }
    fm_pool_free(pool);
}

static void a_pool_may_end_unused(void **state)
{
    (void)state;
    fm_pool_free(fm_pool_create(5));
    fm_pool_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_thread_works_once_a_round),
        cmocka_unit_test(one_may_be_slow),
        cmocka_unit_test(the_caller_may_pause),
        cmocka_unit_test(a_pool_may_end_unused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
