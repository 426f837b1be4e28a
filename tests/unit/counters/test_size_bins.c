/* SPDX-License-Identifier: BSD-3-Clause */
/* Bins by size: the rules are searched one after the other; the last bin is open. */
#include "check.h"
#include "counters/size_bins.h"

#include <stdio.h>
#include <string.h>

static void finds_the_first_rule_that_holds(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        uint32_t bin;
    } expected[] = {{0, 0},    {1, 0},     {64, 0},    {65, 1},      {1024, 1},
                    {1025, 2}, {65536, 2}, {65537, 3}, {1 << 30, 3}, {UINT64_MAX, 3}};
    struct fm_size_bins bins;
    assert_true(fm_size_bins_read("64,1K,64K", &bins));
    assert_int_equal(bins.rules, 3);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_int_equal(fm_size_bin(&bins, expected[i].bytes), expected[i].bin);
    }
    assert_true(fm_size_bins_read("0", &bins)); /* empty messages, and all others */
    assert_int_equal(fm_size_bin(&bins, 0), 0);
    assert_int_equal(fm_size_bin(&bins, 1), 1);
    bins.rules = 0;
    assert_int_equal(fm_size_bin(&bins, 0), 0); /* no rule: one open bin */
}

static void reads_as_many_rules_as_there_is_room(void **state)
{
    (void)state;
    char text[256] = "";
    struct fm_size_bins bins;
    for (unsigned i = 0; i < FM_SIZE_RULES_MOST; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", i > 0 ? "," : "", 3 * i);
    }
    assert_true(fm_size_bins_read(text, &bins));
    assert_int_equal(bins.rules, FM_SIZE_RULES_MOST);
    for (unsigned i = 0; i < FM_SIZE_RULES_MOST; i++) {
        assert_int_equal(fm_size_bin(&bins, 3 * i), i);
        assert_int_equal(fm_size_bin(&bins, 3 * i + 1), i + 1);
    }
    strcat(text, ",1M");
    assert_false(fm_size_bins_read(text, &bins));
    assert_true(fm_size_bins_read("1M,2G", &bins));
    assert_int_equal(bins.largest[0], 1 << 20);
    assert_int_equal(bins.largest[1], 1LL << 31);
    assert_true(fm_size_bins_read("64,64KB,1MiB", &bins));
    assert_int_equal(bins.largest[1], 64 << 10);
    assert_int_equal(bins.largest[2], 1 << 20);
}

static void refuses_what_is_no_list_of_ascending_sizes(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",      "x",   "-1", "1,",  ",1",   "1,1", "2,1",
        "1K,64", "1 2", "1X", "1KK", "1,,2", "1;2", "9999999999999G"};
    struct fm_size_bins bins;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_false(fm_size_bins_read(wrong[i], &bins));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_first_rule_that_holds),
        cmocka_unit_test(reads_as_many_rules_as_there_is_room),
        cmocka_unit_test(refuses_what_is_no_list_of_ascending_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
