/* SPDX-License-Identifier: BSD-3-Clause */
/* Visits of instrumented functions: numbers by hand. */
#include "check.h"
#include "record/counting/profile/function_visits.h"

#include <stdlib.h>

enum { MAIN = 7, SOLVE = 8, TINY = 9 };

static int setup(void **state)
{
    struct fm_visits *visits = calloc(1, sizeof *visits);
    assert_non_null(visits);
    visits->count = 1;
    *state = visits;
    return 0;
}

static int teardown(void **state)
{
    free(*state);
    return 0;
}

static const struct fm_function_visits *of(const struct fm_visits *visits, uint32_t site)
{
    for (uint32_t i = 1; i < visits->count; i++) {
        if (visits->functions[i].site == site) {
            return &visits->functions[i];
        }
    }
    fail_msg("no visits of %u", site);
    return NULL;
}

static void check(const struct fm_visits *visits, uint32_t site, uint64_t number, uint64_t ticks,
                  bool leads)
{
    const struct fm_function_visits *function = of(visits, site);
    assert_int_equal(function->visits, number);
    assert_int_equal(function->ticks, ticks);
    assert_int_equal(function->leads_to_call, leads);
}

/* main 100-200 { solve 110-150 { tiny 115-120; call of 20; tiny 145-148 }, tiny 160-170 } */
static void own_time_is_outside_of_what_is_inside(void **state)
{
    struct fm_visits *visits = *state;
    fm_visits_enter(visits, MAIN, 100);
    fm_visits_enter(visits, SOLVE, 110);
    fm_visits_enter(visits, TINY, 115);
    fm_visits_leave(visits, 2, 120);
    fm_visits_call(visits, 20);
    fm_visits_enter(visits, TINY, 145);
    fm_visits_leave(visits, 2, 148);
    fm_visits_leave(visits, 1, 150);
    fm_visits_enter(visits, TINY, 160);
    fm_visits_leave(visits, 1, 170);
    fm_visits_leave(visits, 0, 200);
    check(visits, TINY, 3, 5 + 3 + 10, false);
    check(visits, SOLVE, 1, 40 - 5 - 20 - 3, true);
    check(visits, MAIN, 1, 100 - 40 - 10, true);
}

/* Functions that call themselves, and several that end at once (longjmp). */
static void recursion_and_jumps(void **state)
{
    struct fm_visits *visits = *state;
    fm_visits_enter(visits, SOLVE, 10);
    fm_visits_enter(visits, SOLVE, 20);
    fm_visits_enter(visits, TINY, 25);
    fm_visits_leave(visits, 0, 40);
    check(visits, SOLVE, 2, (30 - 20) + (20 - 15), false);
    check(visits, TINY, 1, 15, false);
    fm_visits_leave(visits, 3, 50); /* nothing is open */
    assert_int_equal(visits->depth, 0);
    fm_visits_call(visits, 5);
    check(visits, SOLVE, 2, 15, false);
}

/* Begun in a pause, before the end of the last one: no time is less than 0. */
static void times_may_go_back(void **state)
{
    struct fm_visits *visits = *state;
    fm_visits_enter(visits, MAIN, 100);
    fm_visits_enter(visits, TINY, 60);
    fm_visits_leave(visits, 1, 50);
    fm_visits_leave(visits, 0, 90);
    check(visits, MAIN, 1, 0, false);
    check(visits, TINY, 1, 0, false);
}

static void deep_visits_are_counted(void **state)
{
    struct fm_visits *visits = *state;
    for (uint64_t i = 0; i < FM_VISITS_DEEPEST + 10; i++) {
        fm_visits_enter(visits, i < FM_VISITS_DEEPEST ? SOLVE : TINY, i);
    }
    fm_visits_call(visits, 1);
    fm_visits_leave(visits, 0, FM_VISITS_DEEPEST + 20);
    assert_int_equal(of(visits, SOLVE)->visits, FM_VISITS_DEEPEST);
    assert_int_equal(of(visits, SOLVE)->ticks, FM_VISITS_DEEPEST + 20); /* of the outermost one */
    assert_int_equal(of(visits, TINY)->visits, 10);
    assert_int_equal(of(visits, TINY)->ticks, 0);
    assert_int_equal(visits->depth, 0);
}

static void functions_beyond_the_table_are_counted_together(void **state)
{
    struct fm_visits *visits = *state;
    for (uint32_t i = 1; i <= FM_VISITS_FUNCTIONS + 4; i++) {
        for (int times = 0; times < 2; times++) {
            fm_visits_enter(visits, i, 10);
            fm_visits_leave(visits, 0, 11);
        }
    }
    assert_int_equal(visits->count, FM_VISITS_FUNCTIONS);
    check(visits, FM_VISITS_FUNCTIONS - 1, 2, 2, false);
    assert_int_equal(visits->functions[0].visits, 2 * 5);
    assert_int_equal(visits->functions[0].ticks, 2 * 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(own_time_is_outside_of_what_is_inside, setup, teardown),
        cmocka_unit_test_setup_teardown(recursion_and_jumps, setup, teardown),
        cmocka_unit_test_setup_teardown(times_may_go_back, setup, teardown),
        cmocka_unit_test_setup_teardown(deep_visits_are_counted, setup, teardown),
        cmocka_unit_test_setup_teardown(functions_beyond_the_table_are_counted_together, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
