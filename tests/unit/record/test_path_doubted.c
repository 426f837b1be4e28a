/* SPDX-License-Identifier: BSD-3-Clause */
/* Visits of functions that may have ended and begun anew between two captures of the stack. */
#include "path_fixture.h"

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
        cmocka_unit_test(a_doubted_visit_ends_and_begins_anew),
        cmocka_unit_test(inlined_functions_are_doubted),
        cmocka_unit_test(what_is_known_to_go_on_is_not_doubted),
        cmocka_unit_test(marked_regions_around_a_function_stay_when_it_is_doubted),
        cmocka_unit_test(functions_go_ahead_in_their_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
