/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers with a point: as printf writes them in the C locale, in any locale and rounding mode. */
#include "base/decimal_text.h"
#include "check.h"

#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANDOM_NUMBERS = 20000 };

/* Numbers of all sizes that occur, and of few digits, which are halves more often. */
static double random_number(uint64_t *random)
{
    const uint64_t number = next_random(random);
    const double size = (double)(number >> 20) / 1e3;
    const int shift = (int)(next_random(random) % 15) - 9;
    return number % 3 == 0   ? (double)(number % 4096) / 64
           : number % 3 == 1 ? size * pow(10, shift)
                             : -(double)(number % 1000000) / 1e6;
}

static void check_fixed(double value, unsigned digits)
{
    char expected[400];
    snprintf(expected, sizeof expected, "%.*f", (int)digits, value);
    assert_string_equal(fm_decimal(value, digits).text, expected);
}

static void check_short(double value, unsigned digits)
{
    char expected[64];
    snprintf(expected, sizeof expected, "%.*g", (int)digits, value);
    assert_string_equal(fm_decimal_short(value, digits).text, expected);
}

static void fixed_numbers_are_those_of_printf(void **state)
{
    static const double special[] = {0,       -0.0,     0.5,      1.5,      2.5,    0.125,
                                     0.0625,  999.9995, 1e15,     1e18,     0x1p63, 1e-12,
                                     1.0 / 3, NAN,      INFINITY, -INFINITY};
    uint64_t random = 5;
    (void)state;
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        for (unsigned digits = 0; digits <= 9; digits += 3) {
            check_fixed(special[i], digits);
        }
    }
    for (int i = 0; i < RANDOM_NUMBERS; i++) {
        check_fixed(random_number(&random), (unsigned)(i % 7));
    }
    assert_string_equal(fm_decimal(0x1p70, 3).text, "1.1805916207174113e+21");
}

static void short_numbers_are_those_of_printf(void **state)
{
    static const double special[] = {0,       1,    100,   123456, 1234567,  0.0001,
                                     0.00001, 1e10, 1e300, 1e-300, 99999.95, 999999.5,
                                     -2.5,    400,  -0.0,  NAN,    -INFINITY};
    uint64_t random = 6;
    (void)state;
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        check_short(special[i], 3);
        check_short(special[i], 6);
    }
    for (int i = 0; i < RANDOM_NUMBERS; i++) {
        check_short(random_number(&random), 3 + (unsigned)(i % 13));
    }
}

static void numbers_are_read(void **state)
{
    double value = -1;
    (void)state;
    assert_string_equal(fm_decimal_read("1.5kHz", &value), "kHz");
    assert_true(value == 1.5);
    assert_string_equal(fm_decimal_read(".25", &value), "");
    assert_true(value == 0.25);
    assert_string_equal(fm_decimal_read("12", &value), "");
    assert_true(value == 12);
    assert_null(fm_decimal_read(".", &value));
    assert_null(fm_decimal_read("-1", &value));
    assert_null(fm_decimal_read("", &value));
    assert_true(value == 12);
}

/* The point of the locale, where there is one with another point, and the rounding mode. */
static void nothing_of_the_process_changes_them(void **state)
{
    static const char *const commas[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    double value = 0;
    (void)state;
    for (size_t i = 0; i < 4 && setlocale(LC_ALL, commas[i]) == NULL; i++) {
    }
    for (size_t i = 0; i < 3; i++) {
        fesetround(modes[i]);
        assert_string_equal(fm_decimal(1234.5678, 2).text, "1234.57");
        assert_string_equal(fm_decimal_short(0.15625, 4).text, "0.1562");
        assert_string_equal(fm_decimal_read("2.5", &value), "");
        assert_true(value == 2.5);
    }
    fesetround(FE_TONEAREST);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_numbers_are_those_of_printf),
        cmocka_unit_test(short_numbers_are_those_of_printf),
        cmocka_unit_test(numbers_are_read),
        cmocka_unit_test(nothing_of_the_process_changes_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
