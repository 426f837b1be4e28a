/* SPDX-License-Identifier: BSD-3-Clause */
/* When a thread is sampled next: jitter, rate, and the weight of a sample. */
#include "record/sampling/sample_period.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MS     UINT64_C(1000000)
#define SECOND (1000 * MS)

enum { DRAWS = 100000 };

/* The mean of a uniform distribution of this width over DRAWS periods deviates by 0.1 % of its mean
 * at one standard error. */
static void periods_are_uniform_within_half_of_the_mean(void **state)
{
    const uint64_t mean = 4 * MS;
    uint64_t random = 12345, sum = 0;
    int tenths[10] = {0};
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        uint64_t drawn = fm_sample_period_draw(&random, mean, mean / 2);
        assert_in_range(drawn, mean / 2, 3 * mean / 2 - 1);
        tenths[(drawn - mean / 2) * 10 / mean]++;
        sum += drawn;
    }
    assert_in_range(sum / DRAWS, mean * 995 / 1000, mean * 1005 / 1000);
    for (int i = 0; i < 10; i++) {
        assert_in_range(tenths[i], DRAWS / 10 * 95 / 100, DRAWS / 10 * 105 / 100);
    }
}

/* A program whose iterations take exactly as long as the mean period is found at all of its places
 * equally often. */
static void instants_are_independent_of_the_rhythm_of_the_program(void **state)
{
    const uint64_t mean = 5 * MS / 2;
    struct fm_sample_period period;
    int tenths[10] = {0};
    (void)state;
    uint64_t now = fm_sample_period_begin(&period, mean, false, 0, 7, 0);
    for (int i = 0; i < DRAWS; i++) {
        fm_sample_period_expire(&period, now, 0);
        tenths[now % mean * 10 / mean]++;
        now = fm_sample_period_next(&period, 0);
    }
    for (int i = 0; i < 10; i++) {
        assert_in_range(tenths[i], DRAWS / 10 * 95 / 100, DRAWS / 10 * 105 / 100);
    }
}

/* Threads that begin at the same time with numbers that follow each other. */
static void threads_have_different_instants(void **state)
{
    (void)state;
    uint64_t sum = 0;
    enum { THREADS = 1000 };
    for (uint64_t seed = 0; seed < THREADS; seed++) {
        struct fm_sample_period period, other;
        uint64_t due = fm_sample_period_begin(&period, 4 * MS, false, 0, seed, 0);
        assert_int_not_equal(due, fm_sample_period_begin(&other, 4 * MS, false, 0, seed + 1, 0));
        sum += due;
    }
    assert_in_range(sum / THREADS, 390 * MS / 100, 410 * MS / 100);
}

/* Expiries of a clock that ticks: each is the first tick at which it is due. @return how many there
 * are in a second */
static double rate_at_ticks(uint64_t mean, uint64_t tick, uint64_t seconds)
{
    struct fm_sample_period period;
    uint64_t due = fm_sample_period_begin(&period, mean, false, tick, 1, 0), count = 0;
    for (uint64_t now = 0; now < seconds * SECOND; now += tick) {
        if (now >= due) {
            fm_sample_period_expire(&period, now, 0);
            count++;
            due = fm_sample_period_next(&period, 0);
            assert_true(due > now);
        }
    }
    return (double)count / (double)seconds;
}

static void ticks_do_not_lower_a_rate_that_they_permit(void **state)
{
    const uint64_t means[] = {5 * MS, 10 * MS, 13 * MS, 40 * MS, SECOND};
    (void)state;
    for (size_t i = 0; i < sizeof means / sizeof means[0]; i++) {
        double rate = rate_at_ticks(means[i], 4 * MS, 1000) * (double)means[i] / 1e9;
        assert_true(rate > 0.98 && rate < 1.02);
    }
}

static void a_higher_rate_than_that_of_ticks_gives_each_tick(void **state)
{
    (void)state;
    double rate = rate_at_ticks(5 * MS / 2, 4 * MS, 100);
    assert_true(rate > 249 && rate < 251);
    rate = rate_at_ticks(2 * MS, 4 * MS, 100);
    assert_true(rate > 249 && rate < 251);
}

/* The thread has blocked its signals for long: there is no burst. */
static void what_was_missed_is_not_made_up_for(void **state)
{
    struct fm_sample_period period;
    (void)state;
    fm_sample_period_begin(&period, 4 * MS, false, 0, 1, 0);
    uint64_t now = 10 * SECOND, begin = now, count = 0;
    while (now < begin + SECOND) {
        fm_sample_period_expire(&period, now, 0);
        now = fm_sample_period_next(&period, 0);
        count++;
    }
    assert_in_range(count, 245, 256);
}

/* Iterations of 3 ms of `first`, 7 ms of `second`, and 10 ms in the kernel for `second`, in which
 * no handler runs: it runs at the end. Instants are those of the process, or at ticks.
 * @return the weight of the samples of `first`, relative to its time */
static double weight_of_the_first_function(uint64_t mean, uint64_t tick)
{
    struct fm_sample_period period;
    const uint64_t first = 3 * MS, computes = 10 * MS, whole = 20 * MS + 1237;
    uint64_t due = fm_sample_period_begin(&period, mean, false, tick, 1, 0), now = 0, sum = 0;
    while (now < 2000 * SECOND) {
        uint64_t at = tick == 0 ? due : (due + tick - 1) / tick * tick, place = at % whole;
        now = place <= computes ? at : at - place + whole;
        uint64_t weight = fm_sample_period_expire(&period, now, tick == 0 ? 0 : now % tick);
        sum += place < first ? weight : 0;
        due = fm_sample_period_next(&period, 0);
    }
    return (double)sum / ((double)now * (double)first / (double)whole);
}

static void a_late_handler_does_not_move_weight(void **state)
{
    (void)state;
    double share = weight_of_the_first_function(4 * MS, 0);
    assert_true(share > 0.98 && share < 1.02);
    share = weight_of_the_first_function(5 * MS / 2, 4 * MS);
    assert_true(share > 0.98 && share < 1.02);
}

static void a_sample_weighs_the_time_between_instants(void **state)
{
    struct fm_sample_period period;
    (void)state;
    uint64_t first = fm_sample_period_begin(&period, 4 * MS, false, 0, 1, 100 * MS);
    assert_int_equal(fm_sample_period_expire(&period, first, 0), first - 100 * MS);
    uint64_t second = fm_sample_period_next(&period, 0);
    assert_int_equal(fm_sample_period_expire(&period, second + MS, 0), second - first);
    assert_int_equal(fm_sample_period_expire(&period, second + MS, 0), 0); /* of somebody else */
    assert_int_equal(fm_sample_period_expire(&period, second + 100 * MS, 0), 12 * MS);
}

/* The time from tick to tick, at most three of the periods that the clock can give. */
static void a_sample_at_ticks_weighs_their_distance(void **state)
{
    struct fm_sample_period period;
    (void)state;
    fm_sample_period_begin(&period, 5 * MS / 2, false, 4 * MS, 1, 0);
    assert_int_equal(fm_sample_period_mean(&period), 4 * MS);
    assert_int_equal(fm_sample_period_expire(&period, 4 * MS + 1000, 1000), 4 * MS);
    assert_int_equal(fm_sample_period_expire(&period, 11 * MS, 3 * MS), 4 * MS);
    assert_int_equal(fm_sample_period_expire(&period, 12 * MS, 0), 4 * MS);
    assert_int_equal(fm_sample_period_expire(&period, 13 * MS, 3 * MS), 0);
    assert_int_equal(fm_sample_period_expire(&period, 200 * MS, 0), 12 * MS);
}

/* Samples for some seconds, each of which takes `cost` nanoseconds. @return their number; *share:
 * of the time that they have taken */
static uint64_t sample(struct fm_sample_period *period, uint64_t *now, uint64_t cost,
                       uint64_t seconds, double *share)
{
    uint64_t end = *now + seconds * SECOND, count = 0;
    while (*now < end) {
        fm_sample_period_expire(period, *now, 0);
        count++;
        *now = fm_sample_period_next(period, cost);
    }
    *share = (double)period->spent / (double)(*now - period->begin);
    return count;
}

static void the_rate_is_as_high_as_its_cost_permits(void **state)
{
    struct fm_sample_period period;
    double share;
    (void)state;
    uint64_t now = fm_sample_period_begin(&period, 5 * MS / 2, true, 0, 1, 0);
    assert_in_range(sample(&period, &now, 6000, 10, &share), 3900, 4100); /* cheap: 400/s */
    assert_true(share < 0.0025);
    now = fm_sample_period_begin(&period, 5 * MS / 2, true, 0, 1, 0);
    assert_in_range(sample(&period, &now, 12000, 10, &share), 2400, 2560); /* 0.3 %: 250/s */
    assert_true(share < 0.00305);
    now = fm_sample_period_begin(&period, 5 * MS / 2, true, 0, 1, 0);
    assert_in_range(sample(&period, &now, 300000, 10, &share), 85, 115); /* 10/s */
    assert_true(share < 0.0033);
}

/* The first sample takes long, for its code is not in the caches; a part of the program has very
 * deep stacks. */
static void a_high_cost_is_made_up_for_and_forgotten(void **state)
{
    struct fm_sample_period period;
    double share;
    (void)state;
    uint64_t now = fm_sample_period_begin(&period, 5 * MS / 2, true, 0, 1, 0);
    fm_sample_period_expire(&period, now, 0);
    now = fm_sample_period_next(&period, 500000);
    assert_true(now < 20 * MS); /* one says little */
    sample(&period, &now, 6000, 2, &share);
    assert_true(share < 0.003);
    sample(&period, &now, 60000, 2, &share);
    assert_true(share < 0.0035);
    sample(&period, &now, 6000, 2, &share);
    assert_true(share < 0.003);
    assert_in_range(sample(&period, &now, 6000, 10, &share), 3900, 4100);
}

static void a_rate_that_was_asked_for_is_kept(void **state)
{
    struct fm_sample_period period;
    double share;
    (void)state;
    uint64_t now = fm_sample_period_begin(&period, MS, false, 0, 1, 0);
    assert_in_range(sample(&period, &now, 50000, 10, &share), 9800, 10200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(periods_are_uniform_within_half_of_the_mean),
        cmocka_unit_test(instants_are_independent_of_the_rhythm_of_the_program),
        cmocka_unit_test(threads_have_different_instants),
        cmocka_unit_test(ticks_do_not_lower_a_rate_that_they_permit),
        cmocka_unit_test(a_higher_rate_than_that_of_ticks_gives_each_tick),
        cmocka_unit_test(what_was_missed_is_not_made_up_for),
        cmocka_unit_test(a_late_handler_does_not_move_weight),
        cmocka_unit_test(a_sample_weighs_the_time_between_instants),
        cmocka_unit_test(a_sample_at_ticks_weighs_their_distance),
        cmocka_unit_test(the_rate_is_as_high_as_its_cost_permits),
        cmocka_unit_test(a_high_cost_is_made_up_for_and_forgotten),
        cmocka_unit_test(a_rate_that_was_asked_for_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
