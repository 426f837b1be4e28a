/* From which size on sends wait, from counted calls. */
#include "check.h"

#include "analysis/p2p/blocking_size.h"

#include <string.h>

static struct fm_late_sends sends;
static struct fm_blocking_sizes sizes;

static void begin(void)
{
    memset(&sends, 0, sizeof sends);
}

static void count(uint32_t bytes, uint64_t lateness, unsigned waited, unsigned passed)
{
    for (unsigned i = 0; i < waited + passed; i++) {
        fm_late_sends_count(&sends, FM_SAME_NODE, bytes, lateness, i < waited);
    }
}

/* The smallest power of two that can wait; 0: none. */
static uint32_t limit(uint64_t lateness)
{
    fm_blocking_sizes_find(&sizes, &sends);
    for (unsigned digit = 0; digit < 32; digit++) {
        if (fm_send_can_wait(&sizes, FM_SAME_NODE, UINT32_C(1) << digit, lateness)) {
            return UINT32_C(1) << digit;
        }
    }
    return 0;
}

static void nothing_is_known(void **state)
{
    (void)state;
    begin();
    assert_int_equal(limit(1000), 0);
    assert_false(fm_send_can_wait(&sizes, FM_SAME_NODE, UINT32_MAX, 1000));
    count(1 << 20, 1000, 0, 3);
    assert_int_equal(limit(1000), 0);
}

static void limit_lies_between(void **state)
{
    (void)state;
    begin();
    count(4, 1000, 0, 3);
    count(4096, 1000, 0, 3);
    count(65536, 1000, 3, 0);
    assert_int_equal(limit(1000), 65536);
    assert_false(fm_send_can_wait(&sizes, FM_SAME_NODE, 65535, 1000));
    assert_true(fm_send_can_wait(&sizes, FM_SAME_NODE, 65536, 1000));
    assert_true(fm_send_can_wait(&sizes, FM_SAME_NODE, UINT32_MAX, 1000));
    assert_false(fm_send_can_wait(&sizes, FM_OTHER_NODE, UINT32_MAX, 1000));
}

static void zero_bytes_can_wait(void **state)
{
    (void)state;
    begin();
    count(0, 1000, 1, 0);
    fm_blocking_sizes_find(&sizes, &sends);
    assert_true(fm_send_can_wait(&sizes, FM_SAME_NODE, 0, 1000));
}

/* Few calls that contradict the others do not move the limit. */
static void few_contradict(void **state)
{
    (void)state;
    begin();
    count(4, 1000, 1, 5);
    count(100, 1000, 1, 9);
    count(8192, 1000, 7, 1);
    assert_int_equal(limit(1000), 8192);
}

static void as_many_of_each(void **state)
{
    (void)state;
    begin();
    count(64, 1000, 2, 2);
    assert_int_equal(limit(1000), 64); /* at least half of them waited */
    count(64, 1000, 0, 1);
    assert_int_equal(limit(1000), 0);
}

/* Calls that were late by a moment only show nothing about longer waits. */
static void lateness_is_similar(void **state)
{
    (void)state;
    begin();
    count(8, 3, 50, 10);
    assert_int_equal(limit(3), 8);
    assert_int_equal(limit(1), 8);
    assert_int_equal(limit(511), 8); /* 2 and 9 digits: not yet 8 apart */
    assert_int_equal(limit(1024), 0);
    count(1024, 100000, 2, 0);
    assert_int_equal(limit(1024), 1024);
    assert_int_equal(limit(UINT64_C(100000) << 8), 1024);
    assert_int_equal(limit(UINT64_C(100000) << 9), 0);
    assert_int_equal(limit(UINT64_MAX), 0);
}

static void counts_add_up(void **state)
{
    (void)state;
    static struct fm_late_sends other;
    begin();
    count(16, 1000, 1, 0);
    other = sends;
    begin();
    count(16, 1000, 0, 2);
    assert_int_equal(limit(1000), 0);
    fm_late_sends_add(&sends, &other);
    fm_late_sends_add(&sends, &other);
    assert_int_equal(limit(1000), 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known),    cmocka_unit_test(limit_lies_between),
        cmocka_unit_test(zero_bytes_can_wait), cmocka_unit_test(few_contradict),
        cmocka_unit_test(as_many_of_each),     cmocka_unit_test(lateness_is_similar),
        cmocka_unit_test(counts_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
