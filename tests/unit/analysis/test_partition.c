/* SPDX-License-Identifier: BSD-3-Clause */
/* Partitions that the user names: what the text means, and every mistake is told. */
#include "check.h"

#include "analysis/model/partition.h"

#include <string.h>

/* Three processes, the last one with three threads. */
static struct fm_process processes[3] = {
    {.first_location = 0, .location_count = 1},
    {.first_location = 1, .location_count = 1},
    {.first_location = 2, .location_count = 3},
};
static struct fm_trace trace = {.processes = processes, .process_count = 3, .location_count = 5};

/* Checks the partition of each location, as digits. */
static void expect(const char *text, const char *names, const char *of_location, uint32_t count)
{
    struct fm_partitions partitions;
    struct fm_error error;
    uint32_t *assigned = NULL, found = 0;
    if (fm_partitions_parse(text, &partitions, &error) != FM_OK ||
        fm_partitions_assign(&partitions, &trace, &assigned, &found, &error) != FM_OK) {
        fail_msg("%s: %s", text, error.message);
    }
    char known[64] = "", digits[8] = "";
    for (size_t i = 0; i < partitions.names.count; ++i) {
        strcat(known, partitions.names.items[i]);
        strcat(known, "|");
    }
    for (uint32_t l = 0; l < trace.location_count; ++l) {
        digits[l] = (char)('0' + assigned[l]);
    }
    assert_string_equal(known, names);
    assert_string_equal(digits, of_location);
    assert_int_equal(found, count);
    fm_free(assigned);
    fm_partitions_free(&partitions);
}

static void texts_name_locations(void **state)
{
    (void)state;
    expect("io:0,solver:1-2", "io|solver|", "01111", 2);
    expect("io:0,2,solver:1", "io|solver|", "01000", 2);
    expect("io:0", "io|", "01111", 2);
    expect("all:*", "all|", "00000", 1);
    expect("main:*.0,workers:*.1-2", "main|workers|", "00011", 2);
    expect("main:0-2.0, workers:2.1", "main|workers|", "00012", 3);
    expect("two words : 1 ,b:2.2", "two words|b|", "20221", 3);
    expect("a:0,b:1,a:2", "a|b|", "01000", 2);
    expect("# comment\n\nio: 0 # first\nsolver: 1,\n 2\n", "io|solver|", "01111", 2);
}

static void refuse_text(const char *text, const char *reason)
{
    struct fm_partitions partitions;
    struct fm_error error;
    assert_int_equal(fm_partitions_parse(text, &partitions, &error), FM_ERR_USAGE);
    if (strstr(error.message, reason) == NULL) {
        fail_msg("%s: %s", text, error.message);
    }
    fm_partitions_free(&partitions);
}

static void other_texts_are_refused(void **state)
{
    (void)state;
    refuse_text("", "no partition");
    refuse_text(" # nothing\n", "no partition");
    refuse_text("0-3", "has no name");
    refuse_text(":0", "has no name");
    refuse_text("io:", "names no ranks");
    refuse_text("io:a", "names no ranks");
    refuse_text("io:3-", "names no ranks");
    refuse_text("io:3-1", "names no ranks");
    refuse_text("io:-1", "names no ranks");
    refuse_text("io:1.", "names no ranks");
    refuse_text("io:1.2.3", "names no ranks");
    refuse_text("io:0,,solver:1", "names no ranks");
    refuse_text("io:99999999999", "names no ranks");
    refuse_text("io:0:1", "names no ranks");
}

static void refuse_for_trace(const char *text, const char *reason)
{
    struct fm_partitions partitions;
    struct fm_error error;
    uint32_t *assigned = NULL, count;
    assert_int_equal(fm_partitions_parse(text, &partitions, &error), FM_OK);
    assert_int_equal(fm_partitions_assign(&partitions, &trace, &assigned, &count, &error),
                     FM_ERR_USAGE);
    assert_null(assigned);
    if (strstr(error.message, reason) == NULL) {
        fail_msg("%s: %s", text, error.message);
    }
    fm_partitions_free(&partitions);
}

static void what_does_not_exist_is_refused(void **state)
{
    (void)state;
    refuse_for_trace("io:3", "no rank 3");
    refuse_for_trace("io:0-4294967294", "no rank 4294967294");
    refuse_for_trace("io:0-1.1", "no threads from 1");
    refuse_for_trace("io:2.3", "no threads from 3");
    refuse_for_trace("io:0-1,solver:1-2", "rank 1, thread 0 is named twice: in the partitions io "
                                          "and solver");
    refuse_for_trace("io:1,1", "named twice");
}

/* Any text is either understood or refused. */
static void no_text_does_harm(void **state)
{
    (void)state;
    static const char characters[] = "ab01239:::,,,---...**#\n ";
    uint64_t random = 42;
    unsigned understood = 0;
    for (int i = 0; i < 20000; ++i) {
        char text[24] = "a:";
        size_t length = next_random(&random) % (sizeof text - 3);
        for (size_t c = 0; c < length; ++c) {
            text[2 + c] = characters[next_random(&random) % (sizeof characters - 1)];
        }
        struct fm_partitions partitions;
        struct fm_error error;
        uint32_t *assigned = NULL, count;
        if (fm_partitions_parse(text, &partitions, &error) == FM_OK &&
            fm_partitions_assign(&partitions, &trace, &assigned, &count, &error) == FM_OK) {
            for (uint32_t l = 0; l < trace.location_count; ++l) {
                assert_true(assigned[l] < count);
            }
            ++understood;
        }
        fm_free(assigned);
        fm_partitions_free(&partitions);
    }
    assert_true(understood > 100 && understood < 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_name_locations),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(what_does_not_exist_is_refused),
        cmocka_unit_test(no_text_does_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
