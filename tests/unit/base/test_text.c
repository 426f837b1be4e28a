/* SPDX-License-Identifier: BSD-3-Clause */
/* Text from traces stays harmless. */
#include "base/text.h"
#include "check.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_decode(const char *text, size_t length, uint32_t expected)
{
    uint32_t code_point;
    assert_int_equal(fm_text_decode(text, &code_point), length);
    assert_int_equal(code_point, expected);
}

static void test_decode_accepts_exactly_valid_utf8(void **state)
{
    (void)state;
    check_decode("A", 1, 'A');
    check_decode("\xc3\xa4", 2, 0xe4);
    check_decode("\xe2\x82\xac", 3, 0x20ac);
    check_decode("\xf0\x9f\x98\x80", 4, 0x1f600);
    check_decode("\xf4\x8f\xbf\xbf", 4, 0x10ffff);
    const char *const invalid[] = {"\xff",
                                   "\x80",
                                   "\xc3",
                                   "\xc0\x80",
                                   "\xe0\x80\x80",
                                   "\xc3(",
                                   "\xed\xa0\x80",
                                   "\xf0\x80\x80\x80",
                                   "\xe2\x82",
                                   "\xf0\x9f",
                                   "\xf4\x90\x80\x80"};
    for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++)
        check_decode(invalid[i], 1, UINT32_MAX);
}

static void check_printable(const char *text, bool utf8, const char *expected)
{
    char *printable = fm_text_printable(text, utf8);
    assert_string_equal(printable, expected);
    free(printable);
}

static void test_printable_disarms_the_terminal(void **state)
{
    (void)state;
    check_printable("MPI_Send", true, "MPI_Send");
    check_printable("a\033[2Jb\r\n\t\x7f", true, "a\\x1b[2Jb\\x0d\\x0a\\x09\\x7f");
    check_printable("\xc2\x9b"
                    "31m",
                    true, "\\u{9b}31m"); /* the 8-bit form of ESC [ */
    check_printable("\xe2\x80\xae"
                    "txt",
                    true, "\\u{202e}txt"); /* right-to-left override */
    check_printable("\xc3\xa4\xff", true, "\xc3\xa4\\xff");
    check_printable("\xc3\xa4\xff", false, "\\u{e4}\\xff");
    check_printable("", true, "");
}

static void test_columns_and_fit_do_not_split_characters(void **state)
{
    (void)state;
    if (setlocale(LC_CTYPE, "C.UTF-8") == NULL)
        skip();
    assert_int_equal(fm_text_columns("a\xc3\xa4\xe6\xbc\xa2"), 4); /* the last one is wide */
    assert_int_equal(fm_text_fit("a\xc3\xa4\xe6\xbc\xa2", 3), 3);
    assert_int_equal(fm_text_fit("a\xc3\xa4\xe6\xbc\xa2", 4), 6);
    assert_int_equal(fm_text_fit("abc", 10), 3);
}

static char *written(void (*write)(FILE *, const char *), const char *text)
{
    char *result = NULL;
    size_t size;
    FILE *stream = open_memstream(&result, &size);
    write(stream, text);
    fclose(stream);
    return result;
}

static void check_written(void (*write)(FILE *, const char *), const char *text,
                          const char *expected)
{
    char *result = written(write, text);
    assert_string_equal(result, expected);
    free(result);
}

static void test_json_strings(void **state)
{
    (void)state;
    check_written(fm_text_write_json, "a\"\\/\n\x01\x7f", "\"a\\\"\\\\/\\u000a\\u0001\\u007f\"");
    check_written(fm_text_write_json, "\xc3\xa4\xff\xe2\x82",
                  "\"\xc3\xa4\xef\xbf\xbd\xef\xbf\xbd"
                  "\xef\xbf\xbd\"");
    check_written(fm_text_write_json, NULL, "null");
}

static void test_csv_fields(void **state)
{
    (void)state;
    check_written(fm_text_write_csv, "MPI_Send", "MPI_Send");
    check_written(fm_text_write_csv, "f(a, \"b\")", "\"f(a, \"\"b\"\")\"");
    check_written(fm_text_write_csv, "a\nb\xff", "a\\x0ab\xef\xbf\xbd");
    check_written(fm_text_write_csv, "a;b", "\"a;b\"");
    check_written(fm_text_write_csv, "", "");
}

static void test_csv_fields_are_neither_formulas_nor_escape_sequences(void **state)
{
    (void)state;
    check_written(fm_text_write_csv, "=HYPERLINK(\"x\")", "\"'=HYPERLINK(\"\"x\"\")\"");
    check_written(fm_text_write_csv, "+1", "'+1");
    check_written(fm_text_write_csv, "-[NSObject foo]", "'-[NSObject foo]");
    check_written(fm_text_write_csv, "@SUM(A1)", "'@SUM(A1)");
    check_written(fm_text_write_csv,
                  "\xef\xbc\x9d"
                  "1",
                  "'\xef\xbc\x9d"
                  "1");
    check_written(fm_text_write_csv, "a=b", "a=b");
    check_written(fm_text_write_csv, "\t=1", "\\x09=1");
    check_written(fm_text_write_csv, "\r=1", "\\x0d=1");
    check_written(fm_text_write_csv, "\x1b[31mred", "\\x1b[31mred");
    check_written(fm_text_write_csv,
                  "\xc2\x9b"
                  "31m",
                  "\\u{9b}31m");
    check_written(fm_text_write_csv, "\xe2\x80\xaegnp", "\\u{202e}gnp");
}

static void test_shortest_numbers_read_back(void **state)
{
    (void)state;
    char buffer[FM_TEXT_NUMBER];
    assert_string_equal(fm_text_shortest(buffer, 0.3), "0.3");
    assert_string_equal(fm_text_shortest(buffer, 0.1 + 0.2), "0.30000000000000004");
    assert_string_equal(fm_text_shortest(buffer, 0), "0");
    assert_string_equal(fm_text_shortest(buffer, 123456789.125), "123456789.125");
    assert_string_equal(fm_text_shortest(buffer, 1e-9), "1e-09");
    srand(1);
    for (int i = 0; i < 20000; i++) {
        double value = (double)rand() * (double)rand() / ((double)rand() + 1);
        assert_true(strtod(fm_text_shortest(buffer, value), NULL) == value);
    }
}

static void test_counts_and_percentages(void **state)
{
    (void)state;
    char buffer[FM_TEXT_NUMBER];
    assert_string_equal(fm_text_count(buffer, 0), "0");
    assert_string_equal(fm_text_count(buffer, -12345), "-12,345");
    assert_string_equal(fm_text_count(buffer, INT64_MIN), "-9,223,372,036,854,775,808");
    assert_string_equal(fm_text_percent(buffer, 1, 3), "33.3%");
    assert_string_equal(fm_text_percent(buffer, 1, 0), "0.0%");
    assert_string_equal(fm_text_percent(buffer, 1, 200002), "<0.1%");
    assert_string_equal(fm_text_percent(buffer, 200001, 200002), ">99.9%");
    assert_string_equal(fm_text_percent(buffer, 5, 5), "100.0%");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode_accepts_exactly_valid_utf8),
        cmocka_unit_test(test_printable_disarms_the_terminal),
        cmocka_unit_test(test_columns_and_fit_do_not_split_characters),
        cmocka_unit_test(test_json_strings),
        cmocka_unit_test(test_csv_fields),
        cmocka_unit_test(test_csv_fields_are_neither_formulas_nor_escape_sequences),
        cmocka_unit_test(test_shortest_numbers_read_back),
        cmocka_unit_test(test_counts_and_percentages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
