/* SPDX-License-Identifier: BSD-3-Clause */
/* The sampling rate that a run obtained, and what is said of it. */
#include "record/sampling/obtained_rate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#define SECOND UINT64_C(1000000000)

static void expect(struct fm_obtained_rate run, const char *expected)
{
    char text[256] = "unchanged";
    assert_int_equal(fm_obtained_rate_describe(&run, text, sizeof text), expected != NULL);
    assert_string_equal(text, expected != NULL ? expected : "unchanged");
}

static void a_lower_rate_is_stated(void **state)
{
    (void)state;
    expect((struct fm_obtained_rate){5000, 2480, 10 * SECOND, 250},
           "sampling timers fired 248 times a second of CPU time, not 5000 times: CPU timers of "
           "this machine tick 250 times a second");
    expect((struct fm_obtained_rate){10000, 990, SECOND, 1000},
           "sampling timers fired 990 times a second of CPU time, not 10000 times: CPU timers of "
           "this machine tick 1000 times a second");
    expect((struct fm_obtained_rate){1000, 799, SECOND, 0},
           "sampling timers fired 799 times a second of CPU time, not 1000 times");
}

static void a_rate_that_was_obtained_is_not(void **state)
{
    (void)state;
    expect((struct fm_obtained_rate){1000, 800, SECOND, 250}, NULL);
    expect((struct fm_obtained_rate){100, 990, 10 * SECOND, 250}, NULL);
    expect((struct fm_obtained_rate){100, 2000, 10 * SECOND, 250}, NULL);
}

static void a_default_rate_is_not(void **state)
{
    (void)state;
    expect((struct fm_obtained_rate){0, 10, 10 * SECOND, 250}, NULL);
    expect((struct fm_obtained_rate){0, 0, 10 * SECOND, 250}, NULL);
}

static void a_short_run_is_not_judged(void **state)
{
    (void)state;
    expect((struct fm_obtained_rate){5000, 240, SECOND - 1, 250}, NULL);
    expect((struct fm_obtained_rate){2, 1, 10 * SECOND - 1, 250}, NULL);
    expect((struct fm_obtained_rate){2, 5, 10 * SECOND, 250},
           "sampling timers fired 0.5 times a second of CPU time, not 2.0 times");
    expect((struct fm_obtained_rate){5000, 0, 0, 250}, NULL);
}

/* Ticks of 250 Hz do not explain these: signals that are blocked, a rate that ticks permit, and
 * timers that do not depend on ticks. */
static void a_reason_is_given_only_where_the_facts_prove_it(void **state)
{
    (void)state;
    expect((struct fm_obtained_rate){5000, 500, 10 * SECOND, 250},
           "sampling timers fired 50 times a second of CPU time, not 5000 times");
    expect((struct fm_obtained_rate){100, 0, 10 * SECOND, 250},
           "sampling timers fired 0.0 times a second of CPU time, not 100 times");
    expect((struct fm_obtained_rate){250, 1900, 10 * SECOND, 250},
           "sampling timers fired 190 times a second of CPU time, not 250 times");
    expect((struct fm_obtained_rate){5000, 2760, 10 * SECOND, 250},
           "sampling timers fired 276 times a second of CPU time, not 5000 times");
}

static void a_rate_that_cannot_be_had_is_stated_when_it_is_asked_for(void **state)
{
    char text[256] = "unchanged";
    (void)state;
    assert_false(fm_obtained_rate_expect_less(
        &(struct fm_obtained_rate){.asked = 250, .ticks = 250}, text, sizeof text));
    assert_false(
        fm_obtained_rate_expect_less(&(struct fm_obtained_rate){.asked = 5000}, text, sizeof text));
    assert_false(
        fm_obtained_rate_expect_less(&(struct fm_obtained_rate){.ticks = 250}, text, sizeof text));
    assert_string_equal(text, "unchanged");
    assert_true(fm_obtained_rate_expect_less(
        &(struct fm_obtained_rate){.asked = 5000, .ticks = 250}, text, sizeof text));
    assert_string_equal(text,
                        "5000 samples a second cannot be had: CPU timers of this machine tick "
                        "250 times a second; threads get about 250 samples in a second of "
                        "CPU time");
}

static void clocks_have_names(void **state)
{
    (void)state;
    assert_string_equal(fm_sample_clock_name(true, false), "perf task clock");
    assert_string_equal(fm_sample_clock_name(false, true), "CPU timers");
    assert_string_equal(fm_sample_clock_name(true, true), "perf task clock, CPU timers");
}

static void the_rate_is_that_of_cpu_time(void **state)
{
    (void)state;
    assert_true(fm_obtained_rate(&(struct fm_obtained_rate){.signals = 50, .cpu = SECOND / 2}) ==
                100);
    assert_true(fm_obtained_rate(&(struct fm_obtained_rate){.signals = 0, .cpu = SECOND}) == 0);
    assert_true(fm_obtained_rate(&(struct fm_obtained_rate){.signals = 3, .cpu = 0}) == 0);
}

static void ticks_are_those_of_the_coarse_clock(void **state)
{
    struct timespec tick;
    uint32_t ticks = fm_system_ticks();
    (void)state;
    assert_int_equal(clock_getres(CLOCK_MONOTONIC_COARSE, &tick), 0);
    if (ticks != 0) {
        double product = (double)ticks * (double)tick.tv_nsec;
        assert_true(product > 0.99e9 && product < 1.01e9);
    } else {
        assert_true(tick.tv_sec != 0 || tick.tv_nsec < 100000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lower_rate_is_stated),
        cmocka_unit_test(a_rate_that_was_obtained_is_not),
        cmocka_unit_test(a_default_rate_is_not),
        cmocka_unit_test(a_short_run_is_not_judged),
        cmocka_unit_test(a_reason_is_given_only_where_the_facts_prove_it),
        cmocka_unit_test(a_rate_that_cannot_be_had_is_stated_when_it_is_asked_for),
        cmocka_unit_test(clocks_have_names),
        cmocka_unit_test(the_rate_is_that_of_cpu_time),
        cmocka_unit_test(ticks_are_those_of_the_coarse_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
