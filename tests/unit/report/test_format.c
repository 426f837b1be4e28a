/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of ranks and shares as reports print them. */
#include "check.h"
#include "diagnosis/number_format.h"

#include <stdlib.h>
#include <string.h>

static void expect_ranges(const char *members, unsigned limit, const char *expected)
{
    bool member[32];
    uint32_t count = (uint32_t)strlen(members);
    for (uint32_t i = 0; i < count; i++)
        member[i] = members[i] == 'x';
    char *text = fm_format_ranges(member, count, limit);
    assert_string_equal(text, expected);
    free(text);
}

static void test_ranges(void **state)
{
    (void)state;
    expect_ranges("", 8, "");
    expect_ranges("---", 8, "");
    expect_ranges("x", 8, "0");
    expect_ranges("-xx", 8, "1 and 2");
    expect_ranges("-xxx", 8, "1-3");
    expect_ranges("xx-xxx-xx-x", 8, "0, 1, 3-5, 7, 8 and 10");
    expect_ranges("x-x-x", 3, "0, 2 and 4");
    expect_ranges("x-x-x-x", 3, "0, 2, 4, ...");
    expect_ranges("x-x-xx", 3, "0, 2, 4, ...");
    expect_ranges("xxxx-xxxx", 1, "0-3, ...");
}

static void expect_percent(int64_t part, int64_t whole, const char *expected)
{
    char text[FM_FORMAT_SIZE];
    assert_string_equal(fm_format_percent(text, part, whole), expected);
}

static void test_percent_hides_no_rest(void **state)
{
    (void)state;
    expect_percent(0, 100000, "0.0%");
    expect_percent(1, 100000, "<0.1%");
    expect_percent(50, 100000, "0.1%");
    expect_percent(99949, 100000, "99.9%");
    expect_percent(99999, 100000, ">99.9%");
    expect_percent(100000, 100000, "100.0%");
    expect_percent(132500, 100000, "132.5%");
    expect_percent(5, 0, "0.0%");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_percent_hides_no_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
