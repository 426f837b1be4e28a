/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of profiles in all notations, units, lists of instances. */
#include "check.h"
#include "imbalance/input/csv_number.h"

#include <math.h>

static void notations(void **state)
{
    (void)state;
    assert_int_equal(fm_number_notation("1,234.5"), FM_DECIMAL_POINT);
    assert_int_equal(fm_number_notation("1.234,5"), FM_DECIMAL_COMMA);
    assert_int_equal(fm_number_notation("1,234,567"), FM_DECIMAL_POINT);
    assert_int_equal(fm_number_notation("1.234.567"), FM_DECIMAL_COMMA);
    assert_int_equal(fm_number_notation("9,00"), FM_DECIMAL_COMMA);
    assert_int_equal(fm_number_notation("9.0"), FM_DECIMAL_POINT);
    assert_int_equal(fm_number_notation("0,123"), FM_DECIMAL_COMMA);
    assert_int_equal(fm_number_notation("1234,567"), FM_DECIMAL_COMMA);
    assert_int_equal(fm_number_notation("1 234,567"), FM_DECIMAL_COMMA);
    assert_int_equal(fm_number_notation("1,234"), FM_DECIMAL_UNKNOWN);
    assert_int_equal(fm_number_notation("123"), FM_DECIMAL_UNKNOWN);
    assert_int_equal(fm_number_notation("n/a"), FM_DECIMAL_UNKNOWN);
    assert_true(fm_number_is_ambiguous("1,234"));
    assert_true(fm_number_is_ambiguous("1.234"));
    assert_false(fm_number_is_ambiguous("1234"));
}

static void reads(const char *text, enum fm_decimal_mark decimal, double expected)
{
    const struct fm_number number = fm_number_read(text, decimal);
    if (number.kind != FM_NUMBER_VALUE || number.value != expected) {
        fail_msg("'%s' is read as %g", text, number.value);
    }
}

static void values(void **state)
{
    (void)state;
    reads("1,234.5", FM_DECIMAL_POINT, 1234.5);
    reads("1.234,5", FM_DECIMAL_COMMA, 1234.5);
    reads("1'234'567.25", FM_DECIMAL_POINT, 1234567.25);
    reads("1\xe2\x80\xaf"
          "234,5",
          FM_DECIMAL_COMMA, 1234.5);
    reads(" -12 ", FM_DECIMAL_POINT, -12);
    reads("1.5e+03", FM_DECIMAL_POINT, 1500);
    reads("99.53%", FM_DECIMAL_POINT, 99.53);
    reads("99.53 %", FM_DECIMAL_POINT, 99.53);
    reads("Mid (5)", FM_DECIMAL_POINT, 5);
    reads("12.5 (10; 15)", FM_DECIMAL_POINT, 12.5);
    assert_true(fm_number_read("99.53%", FM_DECIMAL_POINT).is_percent);
    assert_int_equal(fm_number_read("OVERFLOW", FM_DECIMAL_POINT).kind, FM_NUMBER_MISSING);
    assert_int_equal(fm_number_read("n/a", FM_DECIMAL_POINT).kind, FM_NUMBER_MISSING);
    assert_int_equal(fm_number_read("", FM_DECIMAL_POINT).kind, FM_NUMBER_MISSING);
    static const char *const wrong[] = {"12x",   "1,23.5", "12,34",  "1.2.3", "x",       "1e",
                                        "1e999", "--1",    "1,2345", ".",     "Mid (x)", "1 (2"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (fm_number_read(wrong[i], FM_DECIMAL_POINT).kind != FM_NUMBER_WRONG) {
            fail_msg("'%s' is taken for a number", wrong[i]);
        }
    }
}

static void instances(void **state)
{
    (void)state;
    const char *list = fm_number_read("12.5 (10; 1,015; 3)", FM_DECIMAL_POINT).instances;
    double value = 0;
    assert_true(fm_number_next_instance(&list, FM_DECIMAL_POINT, &value) && value == 10);
    assert_true(fm_number_next_instance(&list, FM_DECIMAL_POINT, &value) && value == 1015);
    assert_true(fm_number_next_instance(&list, FM_DECIMAL_POINT, &value) && value == 3);
    assert_false(fm_number_next_instance(&list, FM_DECIMAL_POINT, &value));
}

static void units(void **state)
{
    (void)state;
    assert_true(fm_unit_of_time("nsecond") == 1e-9);
    assert_true(fm_unit_of_time("usecond") == 1e-6);
    assert_true(fm_unit_of_time("\xc2\xb5s") == 1e-6);
    assert_true(fm_unit_of_time("seconds") == 1);
    assert_true(fm_unit_of_time("%") == 0);
    assert_true(fm_unit_of_time("") == 0);
    assert_true(fm_unit_of("cycle", "cycle") == 1);
    assert_true(fm_unit_of("Kcycle", "cycle") == 1e3);
    assert_true(fm_unit_of("Mcycles", "cycle") == 1e6);
    assert_true(fm_unit_of("byte", "cycle") == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notations),
        cmocka_unit_test(values),
        cmocka_unit_test(instances),
        cmocka_unit_test(units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
