/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions that the program marks, in the path of functions. */
#include "path_fixture.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marked_regions_hold_together),
        cmocka_unit_test(functions_that_end_with_a_region_do_not_come_back),
        cmocka_unit_test(nested_marked_regions_end_with_the_outer_one),
        cmocka_unit_test(a_region_stands_for_the_function_that_it_marks),
        cmocka_unit_test(marked_functions_end_with_what_is_around_them),
        cmocka_unit_test(loops_over_marked_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
