/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact decimal numbers. */
#include "scenario/decimal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void expect_text(const char *text, const char *shown)
{
    fm_decimal value = 0;
    char formatted[FM_DECIMAL_LENGTH];
    if (!fm_decimal_parse(text, strlen(text), &value)) {
        fail_msg("\"%s\" was not accepted", text);
    }
    assert_string_equal(fm_decimal_format(value, formatted), shown);
}

static void numbers_are_exact(void **state)
{
    (void)state;
    expect_text("0", "0");
    expect_text("0.1", "0.1");
    expect_text("-0.5", "-0.5");
    expect_text("+12", "12");
    expect_text("1e-9", "0.000000001");
    expect_text("1.5E3", "1500");
    expect_text("0.1666666667", "0.1666666667");
    expect_text("0.10000000000000000000000", "0.1");
    expect_text("123456789012345678.000000000000000001", "123456789012345678.000000000000000001");
    expect_text("-1e17", "-100000000000000000");
    expect_text("1e17", "100000000000000000");
    expect_text("0e999999999", "0");
    expect_text("5.", "5");
    expect_text(".5", "0.5");
}

static void other_texts_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "-",
        ".",
        "e5",
        "1e",
        "1e+",
        "1.2.3",
        "0x10",
        "1 ",
        " 1",
        "nan",
        "inf",
        "1e99",
        "1e-19",
        "1,5",
        "--1",
        "0.0000000000000000001",
        "99999999999999999999999999999999999999999999999999",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fm_decimal value;
        if (fm_decimal_parse(texts[i], strlen(texts[i]), &value)) {
            fail_msg("\"%s\" was accepted", texts[i]);
        }
    }
}

static void ticks_are_thousandths(void **state)
{
    (void)state;
    char text[FM_DECIMAL_LENGTH];
    assert_string_equal(fm_decimal_format(fm_decimal_from_ticks(1250), text), "1.25");
    assert_string_equal(fm_decimal_format(fm_decimal_from_ticks(-1), text), "-0.001");
    assert_string_equal(fm_decimal_format(fm_decimal_from_ticks(INT64_MAX), text),
                        "9223372036854775.807");
    assert_string_equal(fm_decimal_format(fm_decimal_from_integer(INT64_MIN), text),
                        "-9223372036854775808");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_exact),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(ticks_are_thousandths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
