/* From which size on sends wait, from single calls. */
#include "check.h"

#include "analysis/p2p/blocking_size.h"

#define NEVER UINT64_MAX

/* Two parts, as of two workers. */
static struct fm_late_sends parts[2];

/* Adds calls that left before their t (passed), which was after 1000 ticks. */
static void passed(uint32_t bytes, uint64_t duration, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        fm_late_sends_add(&parts[i % 2], FM_SAME_NODE, bytes, 1000, duration);
    }
}

/* Adds calls that contained their t. */
static void contained(uint32_t bytes, uint64_t lateness, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        fm_late_sends_add(&parts[i % 2], FM_SAME_NODE, bytes, lateness, lateness + i);
    }
}

/* @return the limit of one locality; the calls are forgotten */
static uint64_t limit_of(fm_locality_t locality)
{
    struct fm_blocking_sizes sizes;
    fm_blocking_sizes_find(&sizes, parts, 2, NULL);
    for (int p = 0; p < 2; p++) {
        fm_late_sends_free(&parts[p]);
        parts[p] = (struct fm_late_sends){0};
    }
    return sizes.from[locality];
}

static uint64_t limit(void)
{
    return limit_of(FM_SAME_NODE);
}

static void nothing_is_known(void **state)
{
    (void)state;
    assert_int_equal(limit(), NEVER);
    passed(1 << 20, 5, 3);
    assert_int_equal(limit(), NEVER);
    const struct fm_blocking_sizes never = {{NEVER, NEVER}};
    assert_false(fm_send_can_wait(&never, FM_SAME_NODE, UINT32_MAX));
}

static void the_smallest_size_that_waits(void **state)
{
    (void)state;
    passed(4, 5, 3);
    passed(4096, 7, 3);
    contained(65536, 800, 3);
    contained(1 << 20, 900, 3);
    assert_int_equal(limit(), 65536);
    const struct fm_blocking_sizes sizes = {{65536, NEVER}};
    assert_false(fm_send_can_wait(&sizes, FM_SAME_NODE, 65535));
    assert_true(fm_send_can_wait(&sizes, FM_SAME_NODE, 65536));
    assert_false(fm_send_can_wait(&sizes, FM_OTHER_NODE, 65536));
}

static void zero_bytes_can_wait(void **state)
{
    (void)state;
    contained(0, 10, 1);
    assert_int_equal(limit(), 0);
}

static void half_of_the_calls(void **state)
{
    (void)state;
    passed(64, 5, 2);
    contained(64, 500, 2);
    assert_int_equal(limit(), 64);
    passed(64, 5, 3);
    contained(64, 500, 2);
    assert_int_equal(limit(), NEVER);
}

/* A short call contains a t that comes soon, whether it waits or not. */
static void short_calls_show_nothing(void **state)
{
    (void)state;
    contained(8, 20, 50);
    passed(8, 20, 2);
    contained(1024, 21, 2);
    assert_int_equal(limit(), 1024);
    contained(8, 20, 50); /* of a size below one that passed in as long a time */
    passed(512, 20, 1);
    assert_int_equal(limit(), NEVER);
    contained(8, 21, 1); /* later than any call that passed */
    passed(512, 20, 1);
    assert_int_equal(limit(), 8);
    contained(1024, 20, 1); /* no larger one passed */
    passed(512, 90, 1);
    assert_int_equal(limit(), 1024);
}

static void localities_have_limits_of_their_own(void **state)
{
    (void)state;
    passed(100, 5, 1);
    fm_late_sends_add(&parts[0], FM_OTHER_NODE, 100, 3, 4);
    fm_late_sends_add(&parts[1], FM_OTHER_NODE, 200, 3, 2);
    assert_int_equal(limit_of(FM_OTHER_NODE), 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known),
        cmocka_unit_test(the_smallest_size_that_waits),
        cmocka_unit_test(zero_bytes_can_wait),
        cmocka_unit_test(half_of_the_calls),
        cmocka_unit_test(short_calls_show_nothing),
        cmocka_unit_test(localities_have_limits_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
