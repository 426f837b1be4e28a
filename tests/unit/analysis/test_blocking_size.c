/* SPDX-License-Identifier: BSD-3-Clause */
/* From which size on sends wait, from sampled calls. */
#include "check.h"

#include "analysis/p2p/blocking_size.h"

static struct fm_send_samples workers[2], passed, waited;
static struct fm_blocking_sizes sizes;

static void pass(uint32_t bytes, uint64_t duration)
{
    fm_send_samples_pass(&workers[bytes % 2], FM_SAME_NODE, bytes, duration);
}

static void share(struct fm_send_samples *all)
{
    struct fm_send_samples *const own[] = {&workers[0], &workers[1]};
    fm_send_samples_share(all, own, 2, NULL);
}

static void wait(unsigned worker, uint32_t bytes, uint64_t lateness)
{
    fm_send_samples_wait(&workers[worker], &passed, FM_SAME_NODE, bytes, lateness);
}

/* @return the limit; the samples are forgotten */
static uint64_t limit(void)
{
    share(&waited);
    sizes = fm_blocking_sizes_find(&passed, &waited);
    fm_send_samples_free(&passed);
    fm_send_samples_free(&waited);
    return sizes.from[FM_SAME_NODE];
}

static void nothing_is_known(void **state)
{
    (void)state;
    share(&passed);
    assert_int_equal(limit(), UINT64_MAX);
    assert_false(fm_send_can_wait(&sizes, FM_SAME_NODE, UINT32_MAX));
    pass(100, 5);
    share(&passed);
    assert_int_equal(limit(), UINT64_MAX);
}

static void smallest_size_of_which_half_waited(void **state)
{
    (void)state;
    pass(64, 5);
    pass(64, 5);
    pass(4096, 5);
    pass(4097, 5);
    pass(4097, 5);
    share(&passed);
    wait(0, 64, 1000);
    wait(1, 4096, 1000);
    wait(0, 8192, 1000);
    wait(1, 8192, 6);
    assert_int_equal(limit(), 4096);
    assert_false(fm_send_can_wait(&sizes, FM_SAME_NODE, 4095));
    assert_true(fm_send_can_wait(&sizes, FM_SAME_NODE, 4096));
    assert_true(fm_send_can_wait(&sizes, FM_SAME_NODE, 4097));
    assert_false(fm_send_can_wait(&sizes, FM_OTHER_NODE, UINT32_MAX));
}

/* Samples of different workers are added up. */
static void halves_of_two_workers(void **state)
{
    (void)state;
    fm_send_samples_pass(&workers[0], FM_SAME_NODE, 64, 5);
    fm_send_samples_pass(&workers[1], FM_SAME_NODE, 64, 9);
    share(&passed);
    wait(0, 64, 1000);
    wait(1, 64, 9); /* by chance */
    assert_int_equal(limit(), UINT64_MAX);
    fm_send_samples_pass(&workers[0], FM_SAME_NODE, 64, 5);
    fm_send_samples_pass(&workers[1], FM_SAME_NODE, 64, 9);
    share(&passed);
    wait(0, 64, 1000);
    wait(1, 64, 10);
    assert_int_equal(limit(), 64);
}

static void zero_bytes_can_wait(void **state)
{
    (void)state;
    share(&passed);
    wait(0, 0, 1);
    assert_int_equal(limit(), 0);
    assert_true(fm_send_can_wait(&sizes, FM_SAME_NODE, 0));
}

/* Calls that contain t by chance are no samples: those no longer late than the longest call that
 * passed with as many bytes or more, not one with less. */
static void chance(void **state)
{
    (void)state;
    pass(4, 3);
    pass(256, 20);
    pass(1024, 7);
    share(&passed);
    wait(0, 4, 20);
    wait(0, 16, 20);
    wait(0, 256, 20);
    wait(0, 1024, 7);
    wait(0, 2048, 1);
    assert_int_equal(limit(), 2048);
    pass(256, 20);
    pass(1024, 7);
    share(&passed);
    wait(0, 16, 21);
    wait(0, 1024, 8);
    assert_int_equal(limit(), 16);
}

static void localities_are_apart(void **state)
{
    (void)state;
    fm_send_samples_pass(&workers[0], FM_OTHER_NODE, 8, 50);
    fm_send_samples_pass(&workers[0], FM_SAME_NODE, 4, 1);
    share(&passed);
    fm_send_samples_wait(&workers[0], &passed, FM_OTHER_NODE, 8, 50);
    fm_send_samples_wait(&workers[0], &passed, FM_OTHER_NODE, 16, 50);
    fm_send_samples_wait(&workers[0], &passed, FM_SAME_NODE, 8, 50);
    assert_int_equal(limit(), 8);
    assert_int_equal(sizes.from[FM_OTHER_NODE], 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known),
        cmocka_unit_test(smallest_size_of_which_half_waited),
        cmocka_unit_test(halves_of_two_workers),
        cmocka_unit_test(zero_bytes_can_wait),
        cmocka_unit_test(chance),
        cmocka_unit_test(localities_are_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
