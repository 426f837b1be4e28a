/* SPDX-License-Identifier: BSD-3-Clause */
/* From changes of the call stack to Enter and Leave: written as text, one word for each. */
#include "path_fixture.h"

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
        {FM_CALLSITE_UNKNOWN, FM_DEFINE_NONE, false, false, 0},
        {REGION('s'), 20, true, false, 0},
        {REGION('t'), 30, true, false, 0},
        {REGION('a'), 40, false, false, 0},
        {REGION('t'), 50, true, false, 0},
        {REGION('b'), 60, false, false, 0},
        {REGION('s'), 61, true, false, 0},
        {REGION('t'), 62, true, false, 0},
        {REGION('c'), 70, false, false, 0},
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

/* Functions without symbols in a shared library are part of the function of the library that calls
 * them. */
static void nameless_functions_of_libraries_are_not_shown(void **state)
{
    enum { PROGRAM = 0, LIBRARY = 3, OTHER = 4 };
    /* 1  a, in the program; 2  s, exported by a library; 3  t, nameless there; 4  b, nameless in
     * the program; 5  c, nameless in another library */
    struct fm_callsite_frame some[] = {
        {FM_CALLSITE_UNKNOWN, FM_DEFINE_NONE, false, false, 0},
        {REGION('a'), 10, false, false, PROGRAM},
        {REGION('s'), 20, false, false, LIBRARY},
        {REGION('t'), 30, false, true, LIBRARY},
        {REGION('b'), 40, false, true, PROGRAM},
        {REGION('c'), 50, false, true, OTHER},
    };
    uint32_t starts[] = {0, 1, 2, 3, 4, 5, 6};
    uint32_t unknown[] = {FM_DEFINE_NONE, FM_DEFINE_NONE, FM_DEFINE_NONE,
                          FM_DEFINE_NONE, FM_DEFINE_NONE, FM_DEFINE_NONE};
    struct fm_callsites code = {.count = 6, .first = starts, .frames = some, .called = unknown};
    struct fm_path path = {0};
    (void)state;
    change(&path, 0, 4, 1, 2, 3, 3);
    limited(&path, &code, 1, 2, " a@2 s10@2");
    assert_int_equal(fm_path_line(&path, &code), 20);
    change(&path, 4, 1, 4); /* a function of the program that the library calls */
    limited(&path, &code, 3, 4, " b20@4");
    change(&path, 1, 2, 3, 5); /* no function with a name is around them */
    limited(&path, &code, 5, 6, " -b@5 -s@5 t10@6 c30@6");
    ended(&path, " -c@1000 -t@1000 -a@1000");
    change(&path, 0, 0);
    code.whole = true;
    change(&path, 0, 3, 1, 2, 3);
    limited(&path, &code, 7, 8, " a@8 s10@8 t20@8");
    ended(&path, " -t@1000 -s@1000 -a@1000");
}

/* A function of a library is named as its caller calls it, where this is known; so is what it makes
 * a tail call to, if that has no name. */
static void functions_of_libraries_are_named_by_their_callers(void **state)
{
    enum { LIBRARY = 3 };
    /* 1  a, which calls at 300 of the library, by the name s; 2  a, which calls at 400, by the name
     * d; 3  t, nameless, begins at 300; 4  t, nameless, at 500 */
    struct fm_callsite_frame some[] = {
        {FM_CALLSITE_UNKNOWN, FM_DEFINE_NONE, false, false, 0},
        {REGION('a'), 10, false, false, 0},
        {REGION('a'), 11, false, false, 0},
        {REGION('t'), 30, false, true, LIBRARY},
        {REGION('t'), 50, false, true, LIBRARY},
    };
    struct fm_callsite_function inside[] = {
        {0}, {1, 0, 100}, {1, 0, 100}, {LIBRARY, LIBRARY, 300}, {LIBRARY, LIBRARY, 500}};
    struct fm_callsite_function targets[] = {
        {0}, {LIBRARY, LIBRARY, 300}, {LIBRARY, LIBRARY, 400}, {0}, {0}};
    uint32_t starts[] = {0, 1, 2, 3, 4, 5};
    uint32_t names[] = {FM_DEFINE_NONE, REGION('s'), REGION('d'), FM_DEFINE_NONE, FM_DEFINE_NONE};
    struct fm_callsites code = {.count = 5,
                                .first = starts,
                                .frames = some,
                                .called = names,
                                .inside = inside,
                                .targets = targets};
    struct fm_path path = {0};
    (void)state;
    change(&path, 0, 3, 1, 3, 4);
    limited(&path, &code, 1, 2, " a@2 s10@2");
    change(&path, 0, 2, 2, 4); /* the function at 400 has jumped to that at 500 */
    limited(&path, &code, 3, 4, " -s@3 d11@4");
    ended(&path, " -d@1000 -a@1000");
    change(&path, 0, 0);
    code.whole = true;
    change(&path, 0, 3, 1, 3, 4);
    limited(&path, &code, 5, 6, " a@6 s10@6 t30@6");
    change(&path, 0, 2, 2, 4);
    limited(&path, &code, 7, 8, " -t@7 -s@7 d11@8 t@8");
    ended(&path, " -t@1000 -d@1000 -a@1000");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_begin_and_end_between_events),
        cmocka_unit_test(no_more_functions_are_shown_than_wanted),
        cmocka_unit_test(another_line_of_a_function_is_the_same_call_of_it),
        cmocka_unit_test(inner_support_functions_are_not_shown),
        cmocka_unit_test(nameless_functions_of_libraries_are_not_shown),
        cmocka_unit_test(functions_of_libraries_are_named_by_their_callers),
        cmocka_unit_test(another_line_of_the_innermost_function_changes_nothing),
        cmocka_unit_test(moves_are_changes),
        cmocka_unit_test(inlined_functions_are_functions),
        cmocka_unit_test(functions_gone_by_tail_calls_are_put_back),
        cmocka_unit_test(hidden_and_unknown_code),
        cmocka_unit_test(a_stack_is_not_deeper_than_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
