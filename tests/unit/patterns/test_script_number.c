/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers in the parameters of patterns: suffixes are powers of 1024, and all else is refused. */
#include "check.h"
#include "patterns/script.h"

static void test_numbers(void **state)
{
    static const struct {
        const char *text;
        double number;
    } numbers[] = {{"0", 0},        {"7", 7},           {"-2.5", -2.5},        {"1e3", 1000},
                   {"1K", 1024},    {"4K", 4096},       {"0.5K", 512},         {"1M", 1048576},
                   {"3M", 3145728}, {"1G", 1073741824}, {"-2G", -2147483648.0}};
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        double number;
        assert_true(fm_script_number(numbers[i].text, &number));
        assert_true(number == numbers[i].number);
    }
}

static void test_no_numbers(void **state)
{
    static const char *const texts[] = {"",   "K",   "x",     "1x",  "1k",  "1KB", "1KK",
                                        "1T", "1 K", "1e999", "inf", "nan", "K1",  "1K "};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double number;
        assert_false(fm_script_number(texts[i], &number));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_no_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
