/* SPDX-License-Identifier: BSD-3-Clause */
/* Building, sealing and looking things up. */
#include "check.h"
#include "cube/model/callpath_text.h"
#include "sample_cube.h"

#include <stdlib.h>

static void test_seal_sorts_adds_up_and_drops_zeros(void **state)
{
    (void)state;
    struct fm_cube *cube = sample_cube();
    assert_int_equal(fm_cube_value(cube, FM_METRIC_COMP, SAMPLE_SOLVE, 2), 1300000);
    assert_int_equal(fm_cube_value(cube, FM_METRIC_COMP, SAMPLE_SOLVE, 0), 1100000);
    assert_int_equal(fm_cube_value(cube, FM_METRIC_COMP, SAMPLE_BARRIER, 0), 0);
    assert_int_equal(fm_cube_value(cube, FM_METRIC_SYNCS_SEND, SAMPLE_SEND, 0), 0);
    for (size_t i = 0; i < cube->cell_count; i++) {
        assert_int_not_equal(cube->cells[i].value, 0);
        if (i == 0)
            continue;
        const struct fm_cube_cell *a = &cube->cells[i - 1];
        const struct fm_cube_cell *b = &cube->cells[i];
        assert_true(a->metric < b->metric ||
                    (a->metric == b->metric &&
                     (a->callpath < b->callpath ||
                      (a->callpath == b->callpath && a->location < b->location))));
    }
    size_t count;
    fm_cube_metric_cells(cube, FM_METRIC_SYNCS_SEND, &count);
    assert_int_equal(count, 0);
    const struct fm_cube_cell *cells = fm_cube_metric_cells(cube, FM_METRIC_MPI_LATESENDER, &count);
    assert_int_equal(count, 2);
    assert_int_equal(cells[1].location, 2);
    assert_int_equal(cells[1].value, 500000);
    fm_cube_free(cube);
}

static void test_sealing_again_after_more_values(void **state)
{
    (void)state;
    struct fm_cube *cube = sample_cube();
    assert_int_equal(fm_cube_add(cube, FM_METRIC_TIME, SAMPLE_MAIN, 0, 7, NULL), FM_OK);
    assert_int_equal(fm_cube_add(cube, FM_METRIC_COMP, SAMPLE_MAIN, 0, -100000, NULL), FM_OK);
    assert_int_equal(fm_cube_seal(cube, NULL), FM_OK);
    assert_int_equal(fm_cube_value(cube, FM_METRIC_TIME, SAMPLE_MAIN, 0), 7);
    assert_int_equal(fm_cube_value(cube, FM_METRIC_COMP, SAMPLE_MAIN, 0), 0);
    fm_cube_free(cube);
}

static void test_many_repetitions_keep_the_cube_small(void **state)
{
    (void)state;
    struct fm_cube *cube = sample_cube();
    for (uint32_t i = 0; i < 3000000; i++)
        assert_int_equal(fm_cube_add(cube, FM_METRIC_VISITS, i % SAMPLE_CALLPATHS, i % 4, 1, NULL),
                         FM_OK);
    assert_true(cube->cell_capacity <= (size_t)1 << 21);
    assert_int_equal(fm_cube_seal(cube, NULL), FM_OK);
    size_t count;
    int64_t sum = 0;
    const struct fm_cube_cell *cells = fm_cube_metric_cells(cube, FM_METRIC_VISITS, &count);
    for (size_t i = 0; i < count; i++)
        sum += cells[i].value;
    assert_int_equal(sum, 3000000 + 1201);
    fm_cube_free(cube);
}

static void test_what_does_not_exist_is_refused(void **state)
{
    (void)state;
    struct fm_cube *cube = sample_cube();
    struct fm_error error;
    assert_int_equal(fm_cube_add(cube, FM_METRIC_NONE, 0, 0, 1, &error), FM_ERR_FAILED);
    assert_int_equal(fm_cube_add(cube, FM_METRIC_TIME, SAMPLE_CALLPATHS, 0, 1, &error),
                     FM_ERR_FAILED);
    assert_int_equal(fm_cube_add(cube, FM_METRIC_TIME, 0, 5, 1, &error), FM_ERR_FAILED);
    assert_int_equal(fm_cube_add_callpath(cube, SAMPLE_CALLPATHS, 0), FM_CUBE_NONE);
    assert_int_equal(fm_cube_add_callpath(cube, FM_CUBE_NONE, 99), FM_CUBE_NONE);
    fm_cube_free(cube);
}

static void test_sums_beyond_64_bits_are_an_error(void **state)
{
    (void)state;
    struct fm_cube *cube = sample_cube();
    struct fm_error error;
    fm_cube_add(cube, FM_METRIC_VISITS, 1, 1, INT64_MAX, &error);
    fm_cube_add(cube, FM_METRIC_VISITS, 1, 1, 1, &error);
    assert_int_equal(fm_cube_seal(cube, &error), FM_ERR_DATA);
    fm_cube_free(cube);
}

static void test_two_statistics_of_one_metric_are_an_error(void **state)
{
    (void)state;
    struct fm_cube *cube = sample_cube();
    struct fm_cube_statistics again = cube->statistics[0];
    assert_int_equal(fm_cube_add_statistics(cube, &again, NULL), FM_OK);
    assert_int_equal(fm_cube_seal(cube, NULL), FM_ERR_FAILED);
    fm_cube_free(cube);
}

static void test_statistics_are_found(void **state)
{
    (void)state;
    struct fm_cube *cube = sample_cube();
    assert_int_equal(cube->statistics[0].metric, FM_METRIC_MPI_BARRIER_WAIT);
    assert_int_equal(fm_cube_metric_statistics(cube, FM_METRIC_MPI_LATESENDER)->median, 950);
    assert_null(fm_cube_metric_statistics(cube, FM_METRIC_MPI_WAIT_NXN));
    fm_cube_free(cube);
}

/* The cube has its own copy of each problem. */
static void test_many_problems(void **state)
{
    enum { COUNT = 100 };
    (void)state;
    struct fm_cube *cube = sample_cube();
    const uint32_t before = cube->problem_count;
    struct fm_cube_problem problem = cube->problems[0];
    for (uint32_t i = 0; i < COUNT; i++) {
        problem.cost = COUNT - i; /* they are in the order of their costs */
        problem.location_count = i % 2 + 1;
        assert_int_equal(fm_cube_add_problem(cube, &problem, NULL), FM_OK);
    }
    assert_int_equal(cube->problem_count, before + COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        const struct fm_cube_problem *copy = &cube->problems[before + i];
        assert_int_equal(copy->cost, COUNT - i);
        assert_int_equal(copy->location_count, i % 2 + 1);
        assert_ptr_not_equal(copy->locations, problem.locations);
        assert_int_equal(copy->locations[i % 2], problem.locations[i % 2]);
    }
    fm_cube_free(cube);
}

static void test_call_paths_are_found_by_name(void **state)
{
    (void)state;
    struct fm_cube *cube = sample_cube();
    assert_int_equal(fm_cube_find_callpath(cube, "main"), SAMPLE_MAIN);
    assert_int_equal(fm_cube_find_callpath(cube, "/main/solve/MPI_Recv"), SAMPLE_RECV);
    assert_int_equal(fm_cube_find_callpath(cube, "main/MPI_Recv"), FM_CUBE_NONE);
    assert_int_equal(fm_cube_find_callpath(cube, "main/sol"), FM_CUBE_NONE);
    assert_int_equal(fm_cube_find_callpath(cube, "main/solvent"), FM_CUBE_NONE);
    assert_int_equal(fm_cube_find_callpath(cube, "main/"), FM_CUBE_NONE);
    assert_int_equal(fm_cube_find_callpath(cube, "solve"), FM_CUBE_NONE);
    assert_int_equal(fm_cube_find_callpath(cube, ""), FM_CUBE_NONE);
    /* every path can be found by its own text, also where a name holds the separator */
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        char *text = fm_cube_callpath_text(cube, i, "/");
        assert_int_equal(fm_cube_find_callpath(cube, text), i);
        free(text);
    }
    char *text = fm_cube_callpath_text(cube, SAMPLE_SEND, " > ");
    assert_string_equal(text, "main > solve > MPI_Send");
    free(text);
    fm_cube_free(cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seal_sorts_adds_up_and_drops_zeros),
        cmocka_unit_test(test_sealing_again_after_more_values),
        cmocka_unit_test(test_many_repetitions_keep_the_cube_small),
        cmocka_unit_test(test_what_does_not_exist_is_refused),
        cmocka_unit_test(test_sums_beyond_64_bits_are_an_error),
        cmocka_unit_test(test_two_statistics_of_one_metric_are_an_error),
        cmocka_unit_test(test_statistics_are_found),
        cmocka_unit_test(test_many_problems),
        cmocka_unit_test(test_call_paths_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
