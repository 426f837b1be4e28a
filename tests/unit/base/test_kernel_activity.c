/* SPDX-License-Identifier: BSD-3-Clause */
/* The efficiencies of kernels: what values are, and how the time of a kernel divides. */
#include "base/kernel_activity.h"
#include "check.h"

#include <math.h>

static void names(void **state)
{
    (void)state;
    assert_int_equal(fm_kernel_activity_named("dram__throughput.avg.pct_of_peak_sustained_elapsed"),
                     FM_KERNEL_MEMORY);
    assert_int_equal(fm_kernel_activity_named("dram__throughput.avg"), FM_KERNEL_ACTIVITY_COUNT);
    assert_int_equal(fm_kernel_activity_named(""), FM_KERNEL_ACTIVITY_COUNT);
}

static void fractions(void **state)
{
    (void)state;
    assert_true(fm_kernel_fraction(FM_KERNEL_SM, 25) == 0.25);
    assert_true(fm_kernel_fraction(FM_KERNEL_WARP, 8) == 0.25);
    assert_true(fm_kernel_fraction(FM_KERNEL_MEMORY, 0) == 0);
    assert_true(fm_kernel_fraction(FM_KERNEL_SM, 100.001) == 1);
    assert_true(isnan(fm_kernel_fraction(FM_KERNEL_SM, -1)));
    assert_true(isnan(fm_kernel_fraction(FM_KERNEL_SM, NAN)));
    assert_true(isnan(fm_kernel_fraction(FM_KERNEL_SM, INFINITY)));
}

static void check_load(uint64_t ticks, double sm, double warp, double memory,
                       struct fm_kernel_load expected)
{
    const double fractions_of[] = {
        [FM_KERNEL_SM] = sm, [FM_KERNEL_WARP] = warp, [FM_KERNEL_MEMORY] = memory};
    const struct fm_kernel_load load = fm_kernel_load_of(ticks, fractions_of);
    assert_int_equal(load.idle, expected.idle);
    assert_int_equal(load.inactive, expected.inactive);
    assert_int_equal(load.adjusted, expected.adjusted);
    assert_int_equal(load.composite, expected.composite);
}

static void loads(void **state)
{
    (void)state;
    check_load(800, 0.75, 0.5, NAN, (struct fm_kernel_load){200, 300, 300, 490});     /* 489.9 */
    check_load(1600, 0.25, 0.25, 0.75, (struct fm_kernel_load){1200, 300, 100, 800}); /* b = 1/4 */
    check_load(100, 0.25, 1, 0, (struct fm_kernel_load){75, 0, 25, 25});              /* b = 1 */
    check_load(100, 0.1, 0.1, 1, (struct fm_kernel_load){90, 9, 1, 100});             /* b = 0 */
    check_load(3, 0.5, 0.5, NAN, (struct fm_kernel_load){1, 1, 1, 2}); /* 1.5, 0.75 */
    check_load(0, 1, 1, NAN, (struct fm_kernel_load){0, 0, 0, 0});
    check_load(UINT64_MAX >> 10, 1, 1, NAN, /* beyond the integers of a double */
               (struct fm_kernel_load){0, 0, UINT64_MAX >> 10, (UINT64_MAX >> 10) + 1});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(fractions),
        cmocka_unit_test(loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
