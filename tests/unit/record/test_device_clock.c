/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of CUPTI as times of the recorder's clock: exact between moments, in order everywhere. */
#include "record/cuda/device_clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { RATE = 3000000000u };

static struct fm_device_clock clock_of(size_t count, const struct fm_device_moment *moments)
{
    struct fm_device_clock clock = {.count = 0};
    for (size_t i = 0; i < count; i++) {
        fm_device_clock_add(&clock, moments[i]);
    }
    return clock;
}

static void test_nothing_known(void **state)
{
    (void)state;
    struct fm_device_clock clock = {.count = 0};
    assert_int_equal(fm_device_clock_ticks(&clock, 17, RATE), 0);
}

static void test_one_moment_uses_the_rate(void **state)
{
    (void)state;
    struct fm_device_clock clock = clock_of(1, (struct fm_device_moment[]){{1000, 9000}});
    assert_int_equal(fm_device_clock_ticks(&clock, 1000, RATE), 9000);
    assert_int_equal(fm_device_clock_ticks(&clock, 1001, RATE), 9003);
    assert_int_equal(fm_device_clock_ticks(&clock, 999, RATE), 8997);
}

/* Between the moments, and beyond: 7 ticks in 2 ns, then 1 tick in 2 ns. */
static void test_between_moments(void **state)
{
    (void)state;
    struct fm_device_clock clock =
        clock_of(3, (struct fm_device_moment[]){{100, 1000}, {102, 1007}, {104, 1008}});
    static const uint64_t expected[][2] = {{98, 993},   {99, 996},   {100, 1000}, {101, 1003},
                                           {102, 1007}, {103, 1007}, {104, 1008}, {106, 1009}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_int_equal(fm_device_clock_ticks(&clock, expected[i][0], RATE), expected[i][1]);
    }
}

/* Nanoseconds since 1970 and a clock of 3 GHz after a year: products need more than 64 bits. */
static void test_large_numbers(void **state)
{
    (void)state;
    const uint64_t since = 1800000000000000000u, ticks = 94608000000000000u;
    struct fm_device_clock clock =
        clock_of(2, (struct fm_device_moment[]){
                        {since, ticks}, {since + 86400000000000u, ticks + 259200000000001u}});
    assert_int_equal(fm_device_clock_ticks(&clock, since + 43200000000000u, RATE),
                     ticks + 129600000000000u);
    assert_int_equal(fm_device_clock_ticks(&clock, since + 86400000000000u, RATE),
                     ticks + 259200000000001u);
}

static void test_moments_that_do_not_fit(void **state)
{
    (void)state;
    struct fm_device_clock clock = clock_of(
        4, (struct fm_device_moment[]){{100, 1000}, {100, 1001}, {101, 1000}, {110, 1010}});
    assert_int_equal(clock.count, 2);
    fm_device_clock_add(&clock, (struct fm_device_moment){50, 2000}); /* was set back */
    assert_int_equal(clock.count, 1);
    assert_int_equal(fm_device_clock_ticks(&clock, 50, RATE), 2000);
}

/* Many moments are thinned out; the order of times remains. */
static void test_many_moments(void **state)
{
    (void)state;
    struct fm_device_clock clock = {.count = 0};
    uint64_t last = 0;
    for (uint64_t i = 1; i <= 5000; i++) {
        fm_device_clock_add(&clock, (struct fm_device_moment){1000 * i, 3000 * i + i % 7});
        assert_true(clock.count <= FM_DEVICE_MOMENTS_MOST);
    }
    for (uint64_t device = 1; device < 5000000; device += 333) {
        uint64_t ticks = fm_device_clock_ticks(&clock, device, RATE);
        assert_true(ticks >= last);
        assert_true(ticks + 7 >= 3 * device && ticks <= 3 * device + 10);
        last = ticks;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_known),
        cmocka_unit_test(test_one_moment_uses_the_rate),
        cmocka_unit_test(test_between_moments),
        cmocka_unit_test(test_large_numbers),
        cmocka_unit_test(test_moments_that_do_not_fit),
        cmocka_unit_test(test_many_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
