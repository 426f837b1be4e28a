/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that the compiler has instrumented, in the path of the call stack. */
#include "path_fixture.h"

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

/* What a sample between two times writes before it. */
static void sampled(struct fm_path *path, uint64_t from, uint64_t to, const char *expected)
{
    text[0] = '\0';
    assert_true(fm_path_settle_sample(path, &sites, &writer, from, to));
    assert_string_equal(text, expected);
}

static void samples_find_functions_that_have_told_their_end(void **state)
{
    struct fm_path path = {0};
    (void)state;
    change(&path, 0, 2, 1, 3);
    entered(&path, 1, FM_PATH_MORE, 2, " a@2");
    entered(&path, 3, 0, 3, " b10@3");
    left(&path, 1, 4, " -b@4");
    sampled(&path, 4, 5, ""); /* in b, before it returns: in a */
    entered(&path, 3, 0, 6, " b10@6");
    left(&path, 1, 7, " -b@7");
    change(&path, 0, 1, 2);
    sampled(&path, 7, 8, ""); /* in a, behind the call */
    change(&path, 0, 2, 1, 3);
    sampled(&path, 9, 10, " b10@10"); /* b may have been called without telling of it */
    entered(&path, 3, 0, 11, "");
    left(&path, 1, 12, " -b@12");
    change(&path, 1, 1, 4);
    sampled(&path, 12, 13, " c10@13"); /* another function */
    left(&path, 0, 14, " -c@14 -a@14");
    ended(&path, "");
}

static void a_further_call_of_a_function_that_has_ended_reports_itself(void **state)
{
    struct fm_path path = {0};
    (void)state;
    change(&path, 0, 2, 1, 3);
    entered(&path, 1, FM_PATH_MORE, 2, " a@2");
    entered(&path, 3, 0, 3, " b10@3");
    left(&path, 1, 4, " -b@4");
    change(&path, 0, 2, 2, 3);
    sampled(&path, 4, 5, ""); /* in another line of a */
    entered(&path, 3, 0, 6, " b11@6");
    left(&path, 0, 7, " -b@7 -a@7");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instrumented_functions_are_those_of_the_stack),
        cmocka_unit_test(instrumented_functions_begin_again_without_a_change_of_the_stack),
        cmocka_unit_test(instrumented_functions_that_the_stack_does_not_tell_of),
        cmocka_unit_test(instrumented_functions_left_behind_end_with_the_stack),
        cmocka_unit_test(samples_find_functions_before_they_tell_of_themselves),
        cmocka_unit_test(samples_find_functions_that_have_told_their_end),
        cmocka_unit_test(a_further_call_of_a_function_that_has_ended_reports_itself),
        cmocka_unit_test(regions_and_instrumented_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
