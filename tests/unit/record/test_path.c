/* From changes of the call stack to Enter and Leave: written as text, one word for each. */
#include "record/conversion/path.h"

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
    {FM_CALLSITE_UNKNOWN, FM_DEFINE_NONE, false},
    {REGION('a'), 10, false},
    {REGION('a'), 11, false},
    {REGION('b'), 20, false},
    {REGION('c'), 30, false},
    {REGION('b'), 21, false},
    {REGION('d'), 40, false},
    {REGION('b'), 21, false},
    {REGION('d'), 41, false},
    {REGION('b'), 22, false},
    {REGION('d'), 40, false},
    {REGION('a'), 12, false},
    {REGION('a'), 13, false},
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
static void change(struct fm_path *path, uint32_t kept, int count, ...)
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
static void limited(struct fm_path *path, const struct fm_callsites *of, uint64_t from, uint64_t to,
                    const char *expected)
{
    text[0] = '\0';
    assert_true(fm_path_settle(path, of, &writer, from, to));
    assert_string_equal(text, expected);
    assert_true(fm_path_is_settled(path));
}

static void settled(struct fm_path *path, uint64_t from, uint64_t to, const char *expected)
{
    limited(path, &sites, from, to, expected);
}

/* A marked region begins at a time, the path changes before. */
static void begin(struct fm_path *path, char letter, uint64_t time)
{
    struct fm_path_times times = {.over = time - 1, .begun = time - 1, .marked = time};
    assert_true(fm_path_begin(path, &sites, REGION(letter), &writer, &times));
    assert_true(fm_path_is_settled(path));
}

static void ended(struct fm_path *path, const char *expected)
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

static void functions_begin_and_end_between_events(void **state)
{
    struct fm_path path = {0};
    (void)state;
    change(&path, 0, 3, 1, 3, 4);
    settled(&path, 1, 2, " a@2 b10@2 c20@2");
    assert_int_equal(fm_path_line(&path, &sites), 30);
    settled(&path, 3, 4, "");
    change(&path, 2, 0);
    settled(&path, 5, 6, " -c@5");
    assert_int_equal(fm_path_line(&path, &sites), 20);
    change(&path, 1, 1, 4);
    settled(&path, 7, 8, " -b@7 c10@8");
    ended(&path, " -c@1000 -a@1000");
}

static void no_more_functions_are_shown_than_wanted(void **state)
{
    struct fm_callsites two = sites;
    struct fm_path path = {0};
    (void)state;
    two.deepest = 2;
    change(&path, 0, 2, 1, 5); /* with d inlined into b */
    limited(&path, &two, 1, 2, " a@2 b10@2");
    change(&path, 2, 1, 4);
    limited(&path, &two, 3, 4, "");
    begin(&path, 'm', 4);
    change(&path, 1, 1, 4);
    limited(&path, &two, 5, 6, " c10@6"); /* regions that the program marks do not count */
    assert_int_equal(fm_path_line(&path, &two), 30);
    change(&path, 2, 1, 3);
    limited(&path, &two, 7, 8, "");
    assert_int_equal(fm_path_line(&path, &two), FM_DEFINE_NONE);
    change(&path, 2, 0);
    limited(&path, &two, 9, 10, "");
    assert_int_equal(fm_path_line(&path, &two), 30);
    ended(&path, " -c@1000 -m@1000 -b@1000 -a@1000");
}

static void another_line_of_a_function_is_the_same_call_of_it(void **state)
{
    struct fm_path path = {0};
    (void)state;
    change(&path, 0, 2, 1, 3);
    settled(&path, 1, 2, " a@2 b10@2");
    change(&path, 0, 1, 2); /* a goes on to line 11 */
    settled(&path, 3, 4, " -b@3");
    assert_int_equal(fm_path_line(&path, &sites), 11);
    change(&path, 0, 2, 1, 3);
    settled(&path, 5, 6, " b10@6");
    change(&path, 0, 2, 2, 3); /* b is called from another line: another call */
    settled(&path, 7, 8, " -b@7 b11@8");
    ended(&path, " -b@1000 -a@1000");
}

/* Of support functions that call each other the outermost is shown, and none at the begin of a
 * thread. */
static void inner_support_functions_are_not_shown(void **state)
{
    /* 1  s, a support function, into which t and a are inlined; 2  t, at line 50; 3  b at line 60,
     * into which s and t are inlined; 4  c at line 70 */
    struct fm_callsite_frame some[] = {
        {FM_CALLSITE_UNKNOWN, FM_DEFINE_NONE, false},
        {REGION('s'), 20, true},
        {REGION('t'), 30, true},
        {REGION('a'), 40, false},
        {REGION('t'), 50, true},
        {REGION('b'), 60, false},
        {REGION('s'), 61, true},
        {REGION('t'), 62, true},
        {REGION('c'), 70, false},
    };
    uint32_t starts[] = {0, 1, 4, 5, 8, 9};
    uint32_t unknown[] = {FM_DEFINE_NONE, FM_DEFINE_NONE, FM_DEFINE_NONE, FM_DEFINE_NONE,
                          FM_DEFINE_NONE};
    struct fm_callsites code = {.count = 5, .first = starts, .frames = some, .called = unknown};
    struct fm_path path = {0};
    (void)state;
    change(&path, 0, 4, 1, 2, 2, 4);
    limited(&path, &code, 1, 2, " a@2 t40@2 c50@2");
    assert_int_equal(fm_path_line(&path, &code), 70);
    change(&path, 1, 2, 3, 2);
    limited(&path, &code, 3, 4, " -c@3 -t@3 b40@4 s60@4");
    assert_int_equal(fm_path_line(&path, &code), 61); /* of the innermost function that is shown */
    change(&path, 0, 2, 2, 2);
    limited(&path, &code, 5, 6, " -s@5 -b@5 -a@5");
    change(&path, 2, 1, 4);
    limited(&path, &code, 7, 8, " c@8");
    change(&path, 0, 0);
    limited(&path, &code, 9, 10, " -c@9");
    /* 4 calls s for sure, which makes a tail call of t. */
    bool to_support[] = {false, false, false, false, true};
    unknown[4] = REGION('s');
    code.calls_support = to_support;
    change(&path, 0, 3, 4, 2, 2);
    limited(&path, &code, 11, 12, " c@12 s70@12");
    change(&path, 0, 0);
    limited(&path, &code, 13, 14, " -s@13 -c@13");
    code.whole = true;
    change(&path, 0, 3, 2, 2, 4);
    limited(&path, &code, 15, 16, " t@16 t50@16 c50@16 s70@16");
    ended(&path, " -s@1000 -c@1000 -t@1000 -t@1000");
}

/* What the innermost function calls from another line leaves the path as it is: in one step it
 * comes to the same as in two. */
static void another_line_of_the_innermost_function_changes_nothing(void **state)
{
    struct fm_path path = {0};
    (void)state;
    assert_false(fm_path_move(&path, &sites, 0, false, 1));
    change(&path, 0, 2, 1, 5);
    assert_false(fm_path_move(&path, &sites, 1, false, 6)); /* nothing is entered yet */
    settled(&path, 1, 2, " a@2 b10@2 d21@2");
    assert_true(fm_path_move(&path, &sites, 1, false, 6));
    settled(&path, 3, 4, "");
    assert_int_equal(fm_path_line(&path, &sites), 41);
    assert_false(fm_path_move(&path, &sites, 1, false, 7)); /* d is inlined a second time */
    assert_false(fm_path_move(&path, &sites, 1, false, 3)); /* without d */
    assert_false(fm_path_move(&path, &sites, 1, true, 5));  /* the stack goes on behind it */
    assert_false(fm_path_move(&path, &sites, 0, false, 2)); /* it is not the innermost function */
    assert_false(fm_path_move(&path, &sites, 2, false, 5)); /* another one inside it */
    assert_int_equal(fm_path_line(&path, &sites), 41);
    assert_true(fm_path_push(&path, 4)); /* and another one is called from there */
    settled(&path, 5, 6, " c41@6");
    change(&path, 0, 1, 1);
    settled(&path, 7, 8, " -c@7 -d@7 -b@7");
    assert_false(fm_path_move(&path, &sites, 0, false, 8)); /* which calls b */
    assert_true(fm_path_move(&path, &sites, 0, false, 2));
    settled(&path, 9, 10, "");
    ended(&path, " -a@1000");
}

/* The same changes, half of which only move the innermost function, in one step and in two. */
static void moves_are_changes(void **state)
{
    struct fm_path moved = {0}, changed = {0};
    uint64_t random = 1, time = 0;
    size_t moves = 0;
    char expected[sizeof text];
    (void)state;
    for (int i = 0; i < 20000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint32_t count = (uint32_t)changed.site_count, draw = (uint32_t)(random >> 33);
        uint32_t kept = count == 0 ? 0 : draw % 2 == 0 ? count - 1 : draw / 2 % (count + 1);
        uint32_t site = 1 + draw / 64 % 10, inner = draw / 4096 % 3 == 0 && count < 12 ? 4 : 0;
        bool cut = draw / 65536 % 16 == 0;
        bool is_moved = fm_path_move(&moved, &sites, kept, cut, site);
        moves += is_moved;
        if (!is_moved) {
            assert_true(fm_path_pop(&moved, kept, cut) && fm_path_push(&moved, site));
        }
        assert_true(fm_path_pop(&changed, kept, cut) && fm_path_push(&changed, site));
        if (inner != 0) {
            assert_true(fm_path_push(&moved, inner) && fm_path_push(&changed, inner));
            assert_int_equal(fm_path_due(&moved), fm_path_due(&changed));
        }
        last = time;
        text[0] = '\0';
        assert_true(fm_path_settle(&changed, &sites, &writer, time + 1, time + 2));
        strcpy(expected, text);
        last = time;
        limited(&moved, &sites, time + 1, time + 2, expected);
        assert_int_equal(fm_path_line(&moved, &sites), fm_path_line(&changed, &sites));
        time += 2;
    }
    assert_true(moves > 100);
    assert_int_equal(fm_path_open(&moved), fm_path_open(&changed));
    fm_path_free(&moved);
    fm_path_free(&changed);
    last = 0;
}

static void inlined_functions_are_functions(void **state)
{
    struct fm_path path = {0};
    (void)state;
    change(&path, 0, 2, 1, 5);
    settled(&path, 1, 2, " a@2 b10@2 d21@2");
    assert_int_equal(fm_path_line(&path, &sites), 40);
    change(&path, 1, 1, 6);
    settled(&path, 3, 4, "");
    assert_int_equal(fm_path_line(&path, &sites), 41);
    change(&path, 1, 1, 7); /* d is inlined a second time */
    settled(&path, 5, 6, " -d@5 d22@6");
    change(&path, 1, 1, 3);
    settled(&path, 7, 8, " -d@7");
    ended(&path, " -b@1000 -a@1000");
}

static void functions_gone_by_tail_calls_are_put_back(void **state)
{
    struct fm_path path = {0};
    (void)state;
    change(&path, 0, 1, 8); /* a calls b, but the recorded call is a's as far as the stack tells */
    settled(&path, 1, 2, " a@2 b12@2");
    assert_int_equal(fm_path_line(&path, &sites), FM_DEFINE_NONE);
    change(&path, 1, 1, 3); /* now b itself is there */
    settled(&path, 3, 4, "");
    assert_int_equal(fm_path_line(&path, &sites), 20);
    change(&path, 1, 1, 4); /* b's last act was to call c */
    settled(&path, 5, 6, " c@6");
    assert_int_equal(fm_path_line(&path, &sites), 30);
    change(&path, 0, 2, 10, 3); /* a calls c, whose last act was to call b */
    settled(&path, 7, 8, " -c@7 -b@7 c13@8 b@8");
    ended(&path, " -b@1000 -c@1000 -a@1000");
}

static void hidden_and_unknown_code(void **state)
{
    struct fm_path path = {0};
    (void)state;
    change(&path, 0, 3, 1, 9, 4); /* what is not shown shows no call site either */
    settled(&path, 1, 2, " a@2 c10@2");
    change(&path, 1, 2, 0, 4);
    settled(&path, 3, 4, " -c@3 ?10@4 c@4");
    change(&path, 1, 1, 77); /* a call site that there is not */
    settled(&path, 5, 6, " -c@5");
    ended(&path, " -?@1000 -a@1000");
}

static void marked_regions_hold_together(void **state)
{
    struct fm_path path = {0};
    (void)state;
    change(&path, 0, 2, 1, 3);
    settled(&path, 1, 2, " a@2 b10@2");
    text[0] = '\0';
    begin(&path, 'm', 3);
    change(&path, 1, 1, 4); /* b has returned, m has not ended */
    settled(&path, 3, 4, " c10@4");
    text[0] = '\0';
    fm_path_end(&path, REGION('m'), &writer, 5); /* c goes on */
    assert_string_equal(text, " -c@5 -m@5 -b@5");
    assert_int_equal(fm_path_open(&path), 1);
    settled(&path, 5, 6, " c10@6");
    ended(&path, " -c@1000 -a@1000");
}

static void functions_that_end_with_a_region_do_not_come_back(void **state)
{
    struct fm_path path = {0};
    (void)state;
    change(&path, 0, 1, 1);
    settled(&path, 1, 2, " a@2");
    begin(&path, 'm', 3);
    change(&path, 1, 1, 3);
    settled(&path, 3, 4, " b10@4");
    text[0] = '\0';
    fm_path_end(&path, REGION('m'), &writer, 5);
    assert_string_equal(text, " -b@5 -m@5");
    change(&path, 1, 1, 4); /* b has returned as well */
    settled(&path, 5, 6, " c10@6");
    text[0] = '\0';
    fm_path_end(&path, REGION('m'), &writer, 7); /* not open: nothing */
    assert_string_equal(text, "");
    ended(&path, " -c@1000 -a@1000");
}

static void nested_marked_regions_end_with_the_outer_one(void **state)
{
    struct fm_path path = {0};
    (void)state;
    text[0] = '\0';
    begin(&path, 'm', 1);
    begin(&path, 'n', 2);
    fm_path_end(&path, REGION('m'), &writer, 3);
    assert_string_equal(text, " m@1 n@2 -n@3 -m@3");
    ended(&path, "");
}

static void a_region_stands_for_the_function_that_it_marks(void **state)
{
    struct fm_path path = {0};
    (void)state;
    change(&path, 0, 2, 1, 4);
    text[0] = '\0';
    begin(&path, 'm', 2); /* first thing in c, which a calls at line 10 */
    assert_string_equal(text, " a@1 m10@2");
    change(&path, 2, 1, 3);
    settled(&path, 3, 4, " b30@4");
    change(&path, 1, 1, 4); /* b has returned */
    settled(&path, 5, 6, " -b@5");
    assert_int_equal(fm_path_line(&path, &sites), 30);
    text[0] = '\0';
    fm_path_end(&path, REGION('m'), &writer, 7);
    assert_string_equal(text, " -m@7");
    settled(&path, 7, 8, " c10@8"); /* c goes on, with an event of its own */
    text[0] = '\0';
    begin(&path, 'm', 9);
    assert_string_equal(text, " m@9"); /* a part of what c does */
    begin(&path, 'n', 10);
    fm_path_end(&path, REGION('m'), &writer, 11);
    change(&path, 1, 0);
    settled(&path, 12, 13, " -c@12");
    ended(&path, " -a@1000");
}

static void marked_functions_end_with_what_is_around_them(void **state)
{
    struct fm_path path = {0};
    (void)state;
    change(&path, 0, 2, 1, 3);
    settled(&path, 1, 2, " a@2 b10@2");
    begin(&path, 'n', 3);
    change(&path, 2, 1, 4);
    text[0] = '\0';
    begin(&path, 'm', 5);
    assert_string_equal(text, " m20@5");
    change(&path, 1, 0); /* c and b are gone, their regions are not */
    settled(&path, 6, 7, "");
    text[0] = '\0';
    fm_path_end(&path, REGION('n'), &writer, 8);
    assert_string_equal(text, " -m@8 -n@8 -b@8");
    settled(&path, 9, 10, "");
    ended(&path, " -a@1000");
}

static void loops_over_marked_functions(void **state)
{
    struct fm_path path = {0};
    (void)state;
    for (uint64_t time = 0; time < 30; time += 10) {
        change(&path, 0, 2, 1, 4);
        text[0] = '\0';
        begin(&path, 'm', time + 2);
        fm_path_end(&path, REGION('m'), &writer, time + 3);
        begin(&path, 'm', time + 4); /* twice in one call of c: nothing happens in between */
        fm_path_end(&path, REGION('m'), &writer, time + 5);
        const char *expected[] = {" a@1 m10@2 -m@3 m10@4 -m@5", " m10@12 -m@13 m10@14 -m@15",
                                  " m10@22 -m@23 m10@24 -m@25"};
        assert_string_equal(text, expected[time / 10]);
        change(&path, 1, 0);
    }
    ended(&path, " -a@1000");
}

static void a_stack_is_not_deeper_than_it_was(void **state)
{
    struct fm_path path = {0};
    (void)state;
    assert_false(fm_path_pop(&path, 1, false));
    change(&path, 0, 2, 1, 3);
    assert_false(fm_path_pop(&path, 3, false));
    assert_true(fm_path_pop(&path, 2, true));
    settled(&path, 1, 2, " a@2 b10@2");
    assert_int_equal(fm_path_line(&path, &sites), FM_DEFINE_NONE); /* there is more inside b */
    ended(&path, " -b@1000 -a@1000");
}

/* What an instrumented function writes that begins: the one that a call site is in. */
static void entered(struct fm_path *path, uint32_t site, unsigned known, uint64_t time,
                    const char *expected)
{
    struct fm_path_times times = {.over = time - 1, .begun = time - 1, .marked = time};
    text[0] = '\0';
    assert_true(fm_path_enter_function(path, &sites, site, known, &writer, &times));
    assert_string_equal(text, expected);
}

/* What is written when all instrumented functions but the outer `count` have ended. */
static void left(struct fm_path *path, uint32_t count, uint64_t time, const char *expected)
{
    text[0] = '\0';
    fm_path_leave_functions(path, count, &writer, time);
    assert_string_equal(text, expected);
}

static void instrumented_functions_are_those_of_the_stack(void **state)
{
    struct fm_path path = {0};
    (void)state;
    change(&path, 0, 3, 1, 3, 4);
    entered(&path, 1, FM_PATH_MORE, 2, " a@2");
    entered(&path, 4, 0, 5, " b10@4 c20@5");
    assert_true(fm_path_is_settled(&path));
    left(&path, 1, 7, " -c@7"); /* b does not tell of itself: it may go on */
    change(&path, 2, 0);
    settled(&path, 7, 8, "");
    left(&path, 0, 9, " -b@9 -a@9");
    ended(&path, "");
}

static void instrumented_functions_begin_again_without_a_change_of_the_stack(void **state)
{
    struct fm_path path = {0};
    (void)state;
    change(&path, 0, 2, 1, 3);
    entered(&path, 1, FM_PATH_MORE, 2, " a@2");
    entered(&path, 3, 0, 3, " b10@3");
    left(&path, 1, 4, " -b@4");
    entered(&path, 3, 0, 5, " b10@5");
    left(&path, 1, 6, " -b@6");
    change(&path, 0, 1, 8); /* b is gone from the stack by a tail call */
    entered(&path, 3, 0, 7, " b12@7");
    left(&path, 1, 8, " -b@8");
    entered(&path, 3, 0, 9, " b12@9");
    left(&path, 0, 10, " -b@10 -a@10");
    ended(&path, "");
}

static void instrumented_functions_that_the_stack_does_not_tell_of(void **state)
{
    struct fm_path path = {0};
    (void)state;
    entered(&path, 1, 0, 1, " a@1"); /* no stack at all */
    entered(&path, 1, 0, 2, " a@2"); /* it calls itself */
    entered(&path, 3, 0, 3, " b@3");
    left(&path, 1, 4, " -b@4 -a@4");
    left(&path, 0, 5, " -a@5");
    change(&path, 0, 2, 1, 4);
    entered(&path, 3, FM_PATH_MORE, 6, " b30@6"); /* inlined around what comes next */
    entered(&path, 1, FM_PATH_MORE, 7, " a@7");
    entered(&path, 4, 0, 8, " c10@8");
    left(&path, 0, 9, " -c@9 -a@9 -b@9");
    change(&path, 0, 1, 1);
    entered(&path, 3, 0, 10, " a@9 b10@10"); /* inlined, inside of all */
    ended(&path, " -b@1000 -a@1000");
}

static void instrumented_functions_left_behind_end_with_the_stack(void **state)
{
    struct fm_path path = {0};
    (void)state;
    change(&path, 0, 3, 1, 3, 4);
    entered(&path, 1, FM_PATH_MORE, 2, " a@2");
    entered(&path, 3, FM_PATH_MORE, 3, " b10@3");
    entered(&path, 4, 0, 4, " c20@4");
    change(&path, 1, 0); /* longjmp() */
    settled(&path, 5, 6, " -c@5 -b@5");
    left(&path, 1, 7, "");
    entered(&path, 4, FM_PATH_APART, 8, " c@8"); /* seen when it was gone */
    left(&path, 1, 9, " -c@9");
    ended(&path, " -a@1000");
}

static void samples_find_functions_before_they_tell_of_themselves(void **state)
{
    struct fm_path path = {0};
    (void)state;
    change(&path, 0, 2, 1, 3);
    settled(&path, 1, 2, " a@2 b10@2");
    entered(&path, 1, FM_PATH_MORE, 3, "");
    entered(&path, 3, 0, 4, "");
    left(&path, 1, 5, " -b@5");
    left(&path, 0, 6, " -a@6");
    ended(&path, "");
}

static void regions_and_instrumented_functions(void **state)
{
    struct fm_path path = {0};
    (void)state;
    change(&path, 0, 2, 1, 3);
    entered(&path, 1, FM_PATH_MORE, 2, " a@2");
    entered(&path, 3, 0, 3, " b10@3");
    text[0] = '\0';
    begin(&path, 'z', 4);
    assert_string_equal(text, " z@4");
    left(&path, 1, 5, ""); /* the region goes on, and b with it */
    change(&path, 0, 2, 2, 4);
    entered(&path, 4, 0, 6, " c11@6");
    text[0] = '\0';
    fm_path_end(&path, REGION('z'), &writer, 7); /* inside of it: c goes on */
    assert_string_equal(text, " -c@7 -z@7 -b@7");
    settled(&path, 7, 8, " c11@8");
    left(&path, 1, 9, " -c@9");
    left(&path, 0, 10, " -a@10");
    ended(&path, "");
}

/* ---- visits ---- */

static void doubted(struct fm_path *path, uint64_t from, uint64_t to, const char *expected)
{
    fm_path_doubt(path);
    assert_false(fm_path_is_settled(path));
    settled(path, from, to, expected);
}

static void a_doubted_visit_ends_and_begins_anew(void **state)
{
    struct fm_path path = {0};
    (void)state;
    change(&path, 0, 2, 1, 3);
    doubted(&path, 1, 2, " a@2 b10@2");
    doubted(&path, 3, 4, " -b@3 b10@4");
    change(&path, 1, 2, 3, 4); /* b goes on to call c: b may be another visit of it */
    doubted(&path, 5, 6, " -b@5 b10@6 c20@6");
    change(&path, 1, 1,
           4); /* a calls c instead of b: a may be another visit, but it is outermost */
    doubted(&path, 7, 8, " -c@7 -b@7 c10@8");
    change(&path, 0, 3, 1, 3, 4);
    doubted(&path, 9, 10, " -c@9 b10@10 c20@10");
    change(&path, 2, 1, 3); /* b calls itself instead of c: b may be another visit */
    doubted(&path, 11, 12, " -c@11 -b@11 b10@12 b20@12");
    ended(&path, " -b@1000 -b@1000 -a@1000");
}

static void inlined_functions_are_doubted(void **state)
{
    struct fm_path path = {0};
    (void)state;
    change(&path, 0, 1, 5); /* d is inlined into b, the outermost function */
    settled(&path, 1, 2, " b@2 d21@2");
    doubted(&path, 3, 4, " -d@3 d21@4");
    ended(&path, " -d@1000 -b@1000");
}

static void what_is_known_to_go_on_is_not_doubted(void **state)
{
    struct fm_path path = {0}, cut = {0};
    (void)state;
    change(&path, 0, 1, 1);
    settled(&path, 1, 2, " a@2");
    doubted(&path, 3, 4, ""); /* the outermost function */
    change(&path, 1, 1, 3);
    settled(&path, 5, 6, " b10@6");
    begin(&path, 'd', 7); /* b has begun d, which is open */
    text[0] = '\0';
    doubted(&path, 8, 9, "");
    fm_path_end(&path, REGION('d'), &writer, 10);
    doubted(&path, 11, 12, " -b@11 b10@12");
    ended(&path, " -b@1000 -a@1000");
    change(&cut, 0, 2, 1, 3);
    settled(&cut, 1, 2, " a@2 b10@2");
    assert_true(fm_path_pop(&cut, 2, true)); /* b calls functions that are not shown */
    doubted(&cut, 3, 4, "");
    ended(&cut, " -b@1000 -a@1000");
}

static void marked_regions_around_a_function_stay_when_it_is_doubted(void **state)
{
    struct fm_path path = {0};
    (void)state;
    change(&path, 0, 1, 1);
    begin(&path, 'd', 2);
    change(&path, 1, 1, 3);
    settled(&path, 3, 4, " b10@4");
    doubted(&path, 5, 6, " -b@5 b10@6");
    ended(&path, " -b@1000 -d@1000 -a@1000");
}

static void functions_go_ahead_in_their_code(void **state)
{
    struct fm_path path = {0};
    (void)state;
    change(&path, 0, 2, 1, 3);
    assert_false(fm_path_is_ahead(&path, &sites));
    settled(&path, 1, 2, " a@2 b10@2");
    assert_false(fm_path_is_ahead(&path, &sites)); /* the same call again */
    change(&path, 1, 1, 5);
    assert_true(fm_path_is_ahead(&path, &sites));
    settled(&path, 3, 4, " d21@4");
    assert_true(fm_path_move(&path, &sites, 1, false, 6));
    assert_true(fm_path_is_ahead(&path, &sites));
    settled(&path, 5, 6, "");
    assert_true(fm_path_move(&path, &sites, 1, false, 5));
    assert_false(fm_path_is_ahead(&path, &sites)); /* back */
    settled(&path, 7, 8, "");
    change(&path, 1, 1, 4); /* another function */
    assert_false(fm_path_is_ahead(&path, &sites));
    settled(&path, 9, 10, " -d@9 -b@9 c10@10");
    change(&path, 0, 2, 2, 3); /* the caller goes on, and calls yet another one */
    assert_true(fm_path_is_ahead(&path, &sites));
    settled(&path, 11, 12, " -c@11 b11@12");
    ended(&path, " -b@1000 -a@1000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_begin_and_end_between_events),
        cmocka_unit_test(a_doubted_visit_ends_and_begins_anew),
        cmocka_unit_test(inlined_functions_are_doubted),
        cmocka_unit_test(what_is_known_to_go_on_is_not_doubted),
        cmocka_unit_test(marked_regions_around_a_function_stay_when_it_is_doubted),
        cmocka_unit_test(functions_go_ahead_in_their_code),
        cmocka_unit_test(no_more_functions_are_shown_than_wanted),
        cmocka_unit_test(another_line_of_a_function_is_the_same_call_of_it),
        cmocka_unit_test(inner_support_functions_are_not_shown),
        cmocka_unit_test(another_line_of_the_innermost_function_changes_nothing),
        cmocka_unit_test(moves_are_changes),
        cmocka_unit_test(inlined_functions_are_functions),
        cmocka_unit_test(functions_gone_by_tail_calls_are_put_back),
        cmocka_unit_test(hidden_and_unknown_code),
        cmocka_unit_test(marked_regions_hold_together),
        cmocka_unit_test(functions_that_end_with_a_region_do_not_come_back),
        cmocka_unit_test(nested_marked_regions_end_with_the_outer_one),
        cmocka_unit_test(a_region_stands_for_the_function_that_it_marks),
        cmocka_unit_test(marked_functions_end_with_what_is_around_them),
        cmocka_unit_test(loops_over_marked_functions),
        cmocka_unit_test(a_stack_is_not_deeper_than_it_was),
        cmocka_unit_test(instrumented_functions_are_those_of_the_stack),
        cmocka_unit_test(instrumented_functions_begin_again_without_a_change_of_the_stack),
        cmocka_unit_test(instrumented_functions_that_the_stack_does_not_tell_of),
        cmocka_unit_test(instrumented_functions_left_behind_end_with_the_stack),
        cmocka_unit_test(samples_find_functions_before_they_tell_of_themselves),
        cmocka_unit_test(regions_and_instrumented_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
