/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Call sites, and a writer of events as text: for the tests of paths. */
#ifndef FERMATA_TESTS_UNIT_RECORD_PATH_FIXTURE_H
#define FERMATA_TESTS_UNIT_RECORD_PATH_FIXTURE_H

#include "record/conversion/paths/path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Regions are letters: the definition's number is that of the letter. Lines are numbers. */
#define REGION(letter) ((uint32_t)(letter) - 'a')

/* Call sites by number:
 *   1  a at line 10      2  a at line 11      3  b at line 20     4  c at line 30
 *   5  b, into which d is inlined at line 21, at line 40
 *   6  b, into which d is inlined at line 21, at line 41
 *   7  b, into which d is inlined at line 22, at line 40
 *   8  a at line 12, which calls b for sure    9  not shown   10  a at line 13, which calls c */
static struct fm_callsite_frame frames[] = {
    {FM_CALLSITE_UNKNOWN, FM_DEFINE_NONE, false, false, 0},
    {REGION('a'), 10, false, false, 0},
    {REGION('a'), 11, false, false, 0},
    {REGION('b'), 20, false, false, 0},
    {REGION('c'), 30, false, false, 0},
    {REGION('b'), 21, false, false, 0},
    {REGION('d'), 40, false, false, 0},
    {REGION('b'), 21, false, false, 0},
    {REGION('d'), 41, false, false, 0},
    {REGION('b'), 22, false, false, 0},
    {REGION('d'), 40, false, false, 0},
    {REGION('a'), 12, false, false, 0},
    {REGION('a'), 13, false, false, 0},
};
static uint32_t first[] = {0, 1, 2, 3, 4, 5, 7, 9, 11, 12, 12, 13};
static uint32_t called[] = {FM_DEFINE_NONE, FM_DEFINE_NONE, FM_DEFINE_NONE, FM_DEFINE_NONE,
                            FM_DEFINE_NONE, FM_DEFINE_NONE, FM_DEFINE_NONE, FM_DEFINE_NONE,
                            REGION('b'),    FM_DEFINE_NONE, REGION('c')};
/* In the code they are in the order of their lines. */
static uint64_t addresses[] = {0, 10, 11, 20, 30, 40, 41, 50, 12, 0, 13};
static const struct fm_callsites sites = {
    .count = 11, .first = first, .frames = frames, .called = called, .addresses = addresses};

static char text[4096];
static uint64_t last;

/* An Enter is written as its region, the line that calls it, and its time: `b10@5`; a Leave with a
 * minus before it. */
static void write_event(void *context, bool enter, uint32_t number, uint64_t time)
{
    size_t length = strlen(text);
    uint32_t line = number / 32;
    (void)context;
    snprintf(text + length, sizeof text - length, "%s%c", enter ? " " : " -",
             number % 32 == 31 ? '?' : (int)('a' + number % 32));
    length = strlen(text);
    if (enter && line != 0) {
        snprintf(text + length, sizeof text - length, "%u", line);
        length = strlen(text);
    }
    snprintf(text + length, sizeof text - length, "@%u", (unsigned)time);
    assert_true(time >= last);
    last = time;
}

static uint32_t number_region(void *context, uint32_t region, uint32_t line)
{
    (void)context;
    uint32_t letter = region == FM_CALLSITE_UNKNOWN ? 31 : region;
    return letter + 32 * (line == FM_DEFINE_NONE ? 0 : line);
}

/* Region m marks function c. */
static bool is_marked_by(void *context, uint32_t function, uint32_t region)
{
    (void)context;
    return region == REGION('m') && function == REGION('c');
}

static const struct fm_path_writer writer = {write_event, number_region, is_marked_by, NULL};

/* The stack becomes `kept` functions and those of the call sites behind. */
static inline void change(struct fm_path *path, uint32_t kept, int count, ...)
{
    va_list list;
    va_start(list, count);
    assert_true(fm_path_pop(path, kept, false));
    for (int i = 0; i < count; i++) {
        assert_true(fm_path_push(path, va_arg(list, uint32_t)));
    }
    va_end(list);
}

/* What an event between times `from` and `to` writes before it. */
static inline void limited(struct fm_path *path, const struct fm_callsites *of, uint64_t from,
                           uint64_t to, const char *expected)
{
    text[0] = '\0';
    assert_true(fm_path_settle(path, of, &writer, from, to));
    assert_string_equal(text, expected);
    assert_true(fm_path_is_settled(path));
}

static inline void settled(struct fm_path *path, uint64_t from, uint64_t to, const char *expected)
{
    limited(path, &sites, from, to, expected);
}

/* A marked region begins at a time, the path changes before. */
static inline void begin(struct fm_path *path, char letter, uint64_t time)
{
    struct fm_path_times times = {.over = time - 1, .begun = time - 1, .marked = time};
    assert_true(fm_path_begin(path, &sites, REGION(letter), &writer, &times));
    assert_true(fm_path_is_settled(path));
}

static inline void ended(struct fm_path *path, const char *expected)
{
    text[0] = '\0';
    size_t open = fm_path_open(path), written = 0;
    fm_path_end_all(path, &writer, 1000);
    assert_string_equal(text, expected);
    for (const char *c = text; *c != '\0'; c++) {
        written += *c == '-';
    }
    assert_int_equal(written, open);
    fm_path_free(path);
    last = 0;
}

#endif
