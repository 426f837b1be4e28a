/* SPDX-License-Identifier: BSD-3-Clause */
/* Filters: what is parsed, what is refused and where, and what is left out. */
#include "filter/filter.h"
#include "filter/name_pattern.h"
#include "temporary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct fm_filter *parsed(const char *text)
{
    struct fm_filter *filter = NULL;
    struct fm_error error;
    fm_status_t status = fm_filter_parse(text, strlen(text), "f", &filter, &error);
    if (status != FM_OK) {
        fail_msg("%s", error.message);
    }
    return filter;
}

static void refused(const char *text, const char *message)
{
    struct fm_filter *filter = NULL;
    struct fm_error error;
    assert_int_equal(fm_filter_parse(text, strlen(text), "f", &filter, &error), FM_ERR_DATA);
    assert_string_equal(error.message, message);
    assert_null(filter);
}

static void patterns(void **state)
{
    (void)state;
    assert_true(fm_pattern_matches("", ""));
    assert_false(fm_pattern_matches("", "a"));
    assert_false(fm_pattern_matches("a", ""));
    assert_true(fm_pattern_matches("*", ""));
    assert_true(fm_pattern_matches("a*b*c", "aXbYbZc"));
    assert_false(fm_pattern_matches("a*b*c", "aXbYbZ"));
    assert_true(fm_pattern_matches("*::add<*>", "Grid::add<int>"));
    assert_true(fm_pattern_matches("a?c", "abc"));
    assert_false(fm_pattern_matches("a?", "a"));
    assert_true(fm_pattern_matches("[a-cx]1", "b1"));
    assert_true(fm_pattern_matches("[a-cx]1", "x1"));
    assert_false(fm_pattern_matches("[a-cx]1", "d1"));
    assert_true(fm_pattern_matches("[!a-c]1", "d1"));
    assert_false(fm_pattern_matches("[^a-c]1", "a1"));
    assert_true(fm_pattern_matches("[]]", "]"));
    assert_true(fm_pattern_matches("[a-]", "-"));
    assert_true(fm_pattern_matches("[\\]x]", "]"));
    assert_true(fm_pattern_matches("a[b", "a[b"));
    assert_true(fm_pattern_matches("operator\\[\\]", "operator[]"));
    assert_true(fm_pattern_matches("\\*", "*"));
    assert_false(fm_pattern_matches("\\*", "x"));
    assert_true(fm_pattern_matches("a\\", "a\\"));
    assert_true(fm_pattern_matches("[\x80-\xff]", "\xc3"));
}

/* No pattern takes long, whatever it is. */
static void patterns_of_many_stars(void **state)
{
    char pattern[2 * 200 + 2], text[2001];
    (void)state;
    for (size_t i = 0; i < 200; i++) {
        memcpy(pattern + 2 * i, "*a", 2);
    }
    strcpy(pattern + 400, "b");
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_false(fm_pattern_matches(pattern, text));
}

static bool excludes(const struct fm_filter *filter, const char *name)
{
    return fm_filter_excludes(filter, name, NULL, NULL);
}

static void the_last_rule_that_matches_decides(void **state)
{
    struct fm_filter *filter = parsed("# which functions\n"
                                      "SCOREP_REGION_NAMES_BEGIN\n"
                                      "  EXCLUDE * # all\n"
                                      "  INCLUDE main solve_*\n"
                                      "          exchange\n"
                                      "  EXCLUDE solve_tiny INCLUDE solve_tin?\n"
                                      "  EXCLUDE solve_tiny2\n"
                                      "SCOREP_REGION_NAMES_END\n");
    (void)state;
    assert_true(excludes(filter, "other"));
    assert_false(excludes(filter, "main"));
    assert_false(excludes(filter, "exchange"));
    assert_false(excludes(filter, "solve_tiny"));
    assert_true(excludes(filter, "solve_tiny2"));
    assert_false(fm_filter_has_files(filter));
    fm_filter_free(filter);
}

static void blocks_may_come_several_times_and_without_prefix(void **state)
{
    struct fm_filter *filter = parsed("REGION_NAMES_BEGIN EXCLUDE a REGION_NAMES_END\n"
                                      "REGION_NAMES_BEGIN REGION_NAMES_END\n"
                                      "REGION_NAMES_BEGIN EXCLUDE b c SCOREP_REGION_NAMES_END");
    (void)state;
    assert_true(excludes(filter, "a"));
    assert_true(excludes(filter, "c"));
    assert_false(excludes(filter, "d"));
    fm_filter_free(filter);
    filter = parsed("");
    assert_false(excludes(filter, "a"));
    fm_filter_free(filter);
}

static void files(void **state)
{
    struct fm_filter *filter = parsed("FILE_NAMES_BEGIN\n"
                                      "EXCLUDE */lib/* util.c MANGLED src/part/*\n"
                                      "INCLUDE */lib/keep.c\n"
                                      "FILE_NAMES_END\n"
                                      "REGION_NAMES_BEGIN EXCLUDE f INCLUDE g REGION_NAMES_END");
    (void)state;
    assert_true(fm_filter_has_files(filter));
    assert_true(fm_filter_excludes(filter, "x", NULL, "/src/lib/a.c"));
    assert_true(fm_filter_excludes(filter, "x", NULL, "/src/util.c"));
    assert_true(fm_filter_excludes(filter, "x", NULL, "util.c"));
    assert_true(fm_filter_excludes(filter, "x", NULL, "MANGLED"));
    assert_true(fm_filter_excludes(filter, "x", NULL, "src/part/a.c"));
    assert_true(fm_filter_excludes(filter, "x", NULL, "/home/me/src/part/a.c"));
    assert_false(fm_filter_excludes(filter, "x", NULL, "/home/me/mysrc/part/a.c"));
    assert_false(fm_filter_excludes(filter, "x", NULL, "/src/lib/keep.c"));
    assert_true(fm_filter_excludes(filter, "f", NULL, "/src/lib/keep.c"));
    assert_true(fm_filter_excludes(filter, "g", NULL, "/src/util.c")); /* the file is left out */
    assert_false(fm_filter_excludes(filter, "x", NULL, NULL));
    fm_filter_free(filter);
}

static void symbols(void **state)
{
    struct fm_filter *filter = parsed("REGION_NAMES_BEGIN\n"
                                      "EXCLUDE MANGLED _Z* other INCLUDE _Z1fv\n"
                                      "REGION_NAMES_END");
    (void)state;
    assert_true(fm_filter_excludes(filter, "f", "_Z1fv", NULL));
    assert_true(fm_filter_excludes(filter, "x", "other", NULL));
    assert_false(fm_filter_excludes(filter, "other", "x", NULL));
    assert_false(fm_filter_excludes(filter, "_Z1gv", NULL, NULL));
    fm_filter_free(filter);
}

static void what_is_refused(void **state)
{
    struct fm_filter *filter = NULL;
    struct fm_error error;
    (void)state;
    refused("EXCLUDE a", "f:1: a block begins with REGION_NAMES_BEGIN or FILE_NAMES_BEGIN, not "
                         "\"EXCLUDE\"");
    refused("\n# x\nREGION_NAMES_BEGIN\n\n  a\n",
            "f:5: a rule begins with EXCLUDE or INCLUDE, not \"a\"");
    refused("REGION_NAMES_BEGIN\nEXCLUDE\nINCLUDE a\nREGION_NAMES_END",
            "f:3: a rule needs a pattern, not \"INCLUDE\"");
    refused("REGION_NAMES_BEGIN\nEXCLUDE MANGLED\nREGION_NAMES_END",
            "f:3: a rule needs a pattern, not \"REGION_NAMES_END\"");
    refused("\nFILE_NAMES_BEGIN\nEXCLUDE a\nREGION_NAMES_END",
            "f:2: the block that begins here has no FILE_NAMES_END");
    assert_int_equal(fm_filter_parse("# a\0b", 5, "f", &filter, &error), FM_ERR_DATA);
    assert_string_equal(error.message, "f:1: a zero byte: this is no text");
    char missing[300];
    missing_path(missing, sizeof missing);
    assert_int_equal(fm_filter_read(missing, &filter, &error), FM_ERR_USAGE);
    remove_missing(missing);
}

/* Any name, written as a pattern, is a filter that leaves out that name. */
static void names_are_written_as_patterns(void **state)
{
    static const char *const names[] = {
        "f",           "operator[]", "operator new",      "std::map<int, char*>::at",
        "a#b",         "what?",      "back\\slash",       "\\",
        "EXCLUDE",     "MANGLED",    "REGION_NAMES_END",  "SCOREP_REGION_NAMES_END",
        "line\nbreak", "\x1b[31m",   "gr\xc3\xbc\xc3\x9f"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *text = NULL;
        size_t size;
        FILE *file = open_memstream(&text, &size);
        assert_non_null(file);
        fputs("REGION_NAMES_BEGIN\nEXCLUDE ", file);
        fm_filter_write_name(file, names[i]);
        fputs("\nREGION_NAMES_END\n", file);
        fclose(file);
        struct fm_filter *filter = parsed(text);
        assert_true(excludes(filter, names[i]));
        assert_false(excludes(filter, "another"));
        assert_null(strchr(text, '\x1b'));
        fm_filter_free(filter);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns),
        cmocka_unit_test(patterns_of_many_stars),
        cmocka_unit_test(the_last_rule_that_matches_decides),
        cmocka_unit_test(blocks_may_come_several_times_and_without_prefix),
        cmocka_unit_test(files),
        cmocka_unit_test(symbols),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(names_are_written_as_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
