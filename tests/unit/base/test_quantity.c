/* SPDX-License-Identifier: BSD-3-Clause */
/* Durations and sizes as users write them. */
#include "base/quantity.h"
#include "check.h"

#include <string.h>

static void durations_are_numbers_with_units(void **state)
{
    static const struct {
        const char *text;
        uint64_t nanoseconds;
    } good[] = {{"0", 0},
                {"2", 2000000000},
                {"2s", 2000000000},
                {"0.5", 500000000},
                {".5", 500000000},
                {"5.", 5000000000},
                {"0.5s", 500000000},
                {"500ms", 500000000},
                {"2.5ms", 2500000},
                {"1us", 1000},
                {"0.0000001us", 0},
                {"1.5ns", 2},
                {"0.123456789", 123456789},
                {"0.12345678999999999999999", 123456789},
                {"86400s", 86400000000000}};
    static const char *const bad[] = {
        "",     "s",   "ms",    ".",           ".s",
        "-1",   "+1",  " 1",    "1 s",         "1min",
        "1e3",  "0x1", "nan",   "inf",         "1S",
        "1s ",  "1ss", "1,5s",  "1..5",        "1m",
        "soon", "1h",  "1msms", "9223372037s", "99999999999999999999"};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        uint64_t nanoseconds = 1;
        assert_true(fm_duration_read(good[i].text, &nanoseconds));
        assert_int_equal(nanoseconds, good[i].nanoseconds);
        bool has_unit = good[i].text[strlen(good[i].text) - 1] == 's';
        assert_int_equal(fm_duration_read_with_unit(good[i].text, &nanoseconds), has_unit);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t nanoseconds = 7;
        assert_false(fm_duration_read(bad[i], &nanoseconds));
        assert_false(fm_duration_read_with_unit(bad[i], &nanoseconds));
        assert_int_equal(nanoseconds, 7);
    }
}

static void sizes_are_powers_of_1024(void **state)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"0", 0},
                {"64", 64},
                {"64B", 64},
                {"7k", 7 << 10},
                {"64K", 64 << 10},
                {"64KB", 64 << 10},
                {"64KiB", 64 << 10},
                {"64kib", 64 << 10},
                {"3M", 3 << 20},
                {"3MB", 3 << 20},
                {"3MiB", 3 << 20},
                {"2G", (uint64_t)2 << 30},
                {"2gb", (uint64_t)2 << 30},
                {"5T", (uint64_t)5 << 40},
                {"5TiB", (uint64_t)5 << 40},
                {"8589934591G", (uint64_t)8589934591 << 30},
                {"9223372036854775807", INT64_MAX}};
    static const char *const bad[] = {"",      "K",           "KB",       "-1M",
                                      "+1M",   " 1M",         "1 M",      "1MB ",
                                      "1Mi",   "1iB",         "1MBB",     "1KK",
                                      "1X",    "1.5G",        "0x10",     "1e3",
                                      "1Mbit", "8589934592G", "9999999T", "99999999999999999999"};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        uint64_t bytes = 1;
        assert_true(fm_size_read(good[i].text, &bytes));
        assert_int_equal(bytes, good[i].bytes);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t bytes = 7;
        assert_false(fm_size_read(bad[i], &bytes));
        assert_int_equal(bytes, 7);
    }
}

static void parts_end_where_something_else_begins(void **state)
{
    uint64_t value;
    (void)state;
    assert_string_equal(fm_duration_part("500ms:2s", &value), ":2s");
    assert_int_equal(value, 500000000);
    assert_string_equal(fm_duration_part("2:10", &value), ":10");
    assert_null(fm_duration_part(":10", &value));
    assert_string_equal(fm_size_part("64KB,1M", &value), ",1M");
    assert_int_equal(value, 64 << 10);
    assert_string_equal(fm_size_part("16M,always", &value), ",always");
    assert_null(fm_size_part("always", &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_are_numbers_with_units),
        cmocka_unit_test(sizes_are_powers_of_1024),
        cmocka_unit_test(parts_end_where_something_else_begins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
