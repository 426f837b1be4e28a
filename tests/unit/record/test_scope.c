/* SPDX-License-Identifier: BSD-3-Clause */
/* What of a run is selected: what options mean, what is refused, and how it is told. */
#include "record/selection/scope.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool accepts(enum fm_scope_kind kind, const char *text)
{
    struct fm_scope scope = fm_scope_all();
    return fm_scope_set(&scope, kind, text) == NULL;
}

static void ranks_are_lists_of_ranges(void **state)
{
    (void)state;
    struct fm_scope scope = fm_scope_all();
    assert_true(fm_scope_has_rank(&scope, 0));
    assert_null(fm_scope_set(&scope, FM_SCOPE_RANKS, "0-3,7,10-4294967295"));
    for (uint32_t rank = 0; rank < 12; rank++) {
        assert_int_equal(fm_scope_has_rank(&scope, rank), rank <= 3 || rank == 7 || rank >= 10);
    }
    assert_true(fm_scope_has_rank(&scope, UINT32_MAX));
    const char *wrong[] = {"",
                           ",",
                           "1,",
                           ",1",
                           "3-1",
                           "a",
                           "1-",
                           "-1",
                           "1;",
                           "1 2",
                           "1,,2",
                           "0x1",
                           "99999999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_false(accepts(FM_SCOPE_RANKS, wrong[i]));
    }
}

static void windows_are_seconds(void **state)
{
    (void)state;
    struct fm_scope scope = fm_scope_all();
    assert_null(fm_scope_set(&scope, FM_SCOPE_WINDOW, "2.5:10"));
    assert_true(fabs(scope.begin - 2.5) < 1e-12);
    assert_true(fabs(scope.end - 10) < 1e-12);
    scope = fm_scope_all();
    assert_null(fm_scope_set(&scope, FM_SCOPE_WINDOW, ":0.125"));
    assert_true(scope.begin <= 0);
    assert_true(fabs(scope.end - 0.125) < 1e-12);
    scope = fm_scope_all();
    assert_null(fm_scope_set(&scope, FM_SCOPE_WINDOW, ".5:"));
    assert_true(fabs(scope.begin - 0.5) < 1e-12);
    assert_true(isinf(scope.end));
    scope = fm_scope_all();
    assert_null(fm_scope_set(&scope, FM_SCOPE_WINDOW, "500ms:2s"));
    assert_true(fabs(scope.begin - 0.5) < 1e-12);
    assert_true(fabs(scope.end - 2) < 1e-12);
    const char *wrong[] = {"1m:2m", "2s:1s", "",      "2",    "3:2", "2:2",
                           ":0",    "a:b",   "1:2:3", "-1:2", ".:1", "1e3:"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_false(accepts(FM_SCOPE_WINDOW, wrong[i]));
    }
}

static void phases_have_names_and_visits(void **state)
{
    (void)state;
    struct fm_scope scope = fm_scope_all();
    assert_false(fm_scope_is_phase(&scope, "", 0));
    assert_null(fm_scope_set(&scope, FM_SCOPE_PHASE, "time step:10-12"));
    assert_true(fm_scope_is_phase(&scope, "time step", 9));
    assert_false(fm_scope_is_phase(&scope, "time steps", 10));
    assert_false(fm_scope_is_phase(&scope, "time", 4));
    assert_int_equal(scope.first, 10);
    assert_int_equal(scope.last, 12);
    scope = fm_scope_all();
    assert_null(fm_scope_set(&scope, FM_SCOPE_PHASE, "solver::step")); /* colons of a name */
    assert_true(fm_scope_is_phase(&scope, "solver::step", 12));
    assert_int_equal(scope.first, 0);
    assert_true(scope.last == UINT64_MAX);
    scope = fm_scope_all();
    assert_null(fm_scope_set(&scope, FM_SCOPE_PHASE, "step:3"));
    assert_int_equal(scope.first, 3);
    assert_int_equal(scope.last, 3);
    assert_false(accepts(FM_SCOPE_PHASE, ""));
    assert_false(accepts(FM_SCOPE_PHASE, ":3-4"));
}

static void two_signals_can_be_named(void **state)
{
    (void)state;
    struct fm_scope scope = fm_scope_all();
    assert_null(fm_scope_set(&scope, FM_SCOPE_SIGNAL, "SIGUSR2"));
    assert_int_equal(scope.signal, SIGUSR2);
    assert_null(fm_scope_set(&scope, FM_SCOPE_SIGNAL, "USR1"));
    assert_int_equal(scope.signal, SIGUSR1);
    assert_non_null(fm_scope_set(&scope, FM_SCOPE_SIGNAL, "KILL"));
    assert_int_equal(scope.signal, SIGUSR1); /* stays as it was */
}

static void it_is_told_in_words(void **state)
{
    char text[256];
    (void)state;
    struct fm_scope scope = fm_scope_all();
    assert_false(fm_scope_describe(&scope, fm_process_noun(FM_NOUN_RANK), text, sizeof text));
    assert_string_equal(text, "");
    fm_scope_set(&scope, FM_SCOPE_RANKS, "0-3");
    fm_scope_set(&scope, FM_SCOPE_WINDOW, "2:10");
    assert_true(fm_scope_describe(&scope, fm_process_noun(FM_NOUN_RANK), text, sizeof text));
    assert_string_equal(text, "ranks 0-3 only, 2 s to 10 s after initialization");
    scope = fm_scope_all();
    fm_scope_set(&scope, FM_SCOPE_RANKS, "12");
    fm_scope_describe(&scope, fm_process_noun(FM_NOUN_RANK), text, sizeof text);
    assert_string_equal(text, "rank 12 only");
    fm_scope_describe(&scope, fm_process_noun(FM_NOUN_PE), text, sizeof text);
    assert_string_equal(text, "PE 12 only");
    fm_scope_describe(&scope, fm_process_noun(FM_NOUN_IMAGE), text, sizeof text);
    assert_string_equal(text, "rank 12 only"); /* image 13 */
    scope = fm_scope_all();
    fm_scope_set(&scope, FM_SCOPE_PHASE, "solve:1-2");
    fm_scope_set(&scope, FM_SCOPE_SIGNAL, "USR1");
    fm_scope_describe(&scope, fm_process_noun(FM_NOUN_RANK), text, sizeof text);
    assert_string_equal(text, "visits of the phase solve, number 1 to 2, switched by SIGUSR1");
    assert_true(fm_scope_describe(&scope, fm_process_noun(FM_NOUN_RANK), text,
                                  8)); /* a short text is cut */
    assert_string_equal(text, "visits ");
}

static void the_environment_selects(void **state)
{
    struct fm_scope scope;
    (void)state;
    setenv("FERMATA_RANKS", "1", 1);
    setenv("FERMATA_WINDOW", "", 1);
    assert_int_equal(fm_scope_read(&scope), FM_SCOPE_KINDS);
    assert_true(fm_scope_has_rank(&scope, 1));
    assert_false(fm_scope_has_rank(&scope, 0));
    setenv("FERMATA_WINDOW", "never", 1);
    assert_int_equal(fm_scope_read(&scope), FM_SCOPE_WINDOW);
    assert_true(isinf(scope.end)); /* what is not understood selects nothing */
    assert_false(fm_scope_has_rank(&scope, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_lists_of_ranges),    cmocka_unit_test(windows_are_seconds),
        cmocka_unit_test(phases_have_names_and_visits), cmocka_unit_test(two_signals_can_be_named),
        cmocka_unit_test(it_is_told_in_words),          cmocka_unit_test(the_environment_selects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
