/* SPDX-License-Identifier: BSD-3-Clause */
/* How exact a report says that its efficiencies and sums of waiting are. */
#include "answer_cube.h"
#include "diagnosis/efficiency/efficiency.h"
#include "diagnosis/uncertainty.h"

static void expect_efficiency(bool known, double share, const char *expected)
{
    struct fm_cube *cube = make_cube();
    struct fm_diagnosis diagnosis;
    struct fm_efficiency run;
    char text[FM_UNCERTAIN_SIZE];
    make_diagnosis(cube, &diagnosis);
    assert_true(fm_diagnosis_efficiency(&diagnosis, &run));
    cube->errors.are_known = known;
    cube->errors.computation = (uint64_t)(share * run.time);
    assert_string_equal(
        fm_format_efficiency(text, &diagnosis, 0.75, fm_errors_of_efficiency(cube, &run).parallel),
        expected);
    fm_cube_free(cube);
}

static void assert_near(double found, double expected)
{
    assert_true(found > expected - 1e-12 && found < expected + 1e-12);
}

/* A run of 1000 ticks on 4 locations: on average 600 of computation, 750 on the busiest one; 800 on
 * an ideal network. The recorder took 40 of all 4000 ticks, 20 of them on one location; clocks of
 * nodes differ by 8. */
static void test_errors_of_the_efficiencies(void **state)
{
    (void)state;
    struct fm_cube *cube = make_cube();
    const struct fm_efficiency run = {.parallel = 0.6,
                                      .load_balance = 0.8,
                                      .communication = 0.75,
                                      .serialization = 0.9375,
                                      .transfer = 0.8,
                                      .time = 4000,
                                      .duration = 1000};
    cube->errors =
        (struct fm_cube_errors){.clock = 8, .computation = 40, .longest_computation = 20};
    assert_near(fm_errors_of_efficiency(cube, &run).parallel, 0); /* not known */
    cube->errors.are_known = true;
    struct fm_efficiency errors = fm_errors_of_efficiency(cube, &run);
    assert_near(errors.parallel, 0.01);
    assert_near(errors.communication, 0.02);
    assert_near(errors.load_balance, 0.8 * 0.02 / 0.75);
    assert_near(errors.transfer, 0.02);
    assert_near(errors.serialization, 20.0 / 800);
    /* One node has one clock, unless each process has its own. */
    cube->clock.is_estimated = true;
    errors = fm_errors_of_efficiency(cube, &run);
    assert_near(errors.communication, 0.02);
    assert_near(errors.transfer, 0.028);
    assert_near(errors.serialization, (20 + 0.9375 * 8) / 800);
    cube->clock.is_estimated = false;
    free(cube->locations[1].node);
    cube->locations[1].node = strdup("other");
    assert_near(fm_errors_of_efficiency(cube, &run).transfer, 0.028);
    fm_cube_free(cube);
}

/* Half of the waiting has half of the error; a gain is as wrong as so much waiting. */
static void test_errors_of_parts_of_the_waiting(void **state)
{
    (void)state;
    struct fm_cube *cube = make_cube();
    struct fm_diagnosis diagnosis;
    char text[FM_UNCERTAIN_SIZE];
    const struct fm_cube_statistics late = {
        .metric = FM_METRIC_MPI_LATESENDER, .count = 2, .sum = 400, .error = 40};
    const struct fm_cube_link link = {
        .to = 1, .metric = FM_METRIC_MPI_LATESENDER, .amount = 100, .error = 3};
    assert_int_equal(fm_cube_add_statistics(cube, &late, NULL), FM_OK);
    make_diagnosis(cube, &diagnosis);
    assert_int_equal(fm_error_of_waiting(cube, 200), 0); /* not known */
    cube->errors.are_known = true;
    assert_int_equal(fm_error_of_waiting(cube, 200), 20);
    assert_int_equal(fm_error_of_link(cube, FM_MATRIX_DELAYS, &link), 3);
    assert_int_equal(fm_error_of_link(cube, FM_MATRIX_BLAME, &link), 10);
    assert_int_equal(fm_error_of_link(cube, FM_MATRIX_MESSAGES, &link), 0);
    assert_string_equal(fm_format_uncertain_time(text, &diagnosis, 200, 20, 1000),
                        "200.0 ms (\u00b120.00 ms)");
    assert_string_equal(fm_format_uncertain_time(text, &diagnosis, 200, 20, 50000), "200.0 ms");
    assert_string_equal(fm_format_error(text, &diagnosis, ", ", 20, 1000), ", \u00b12.0%");
    assert_string_equal(fm_format_error(text, &diagnosis, ", ", 20, 50000), "");
    fm_cube_free(cube);
}

static void test_error_of_the_efficiency(void **state)
{
    (void)state;
    expect_efficiency(true, 0.02, "75.0% (\u00b12.0)");
    expect_efficiency(true, 0.0001, "75.0%");
    expect_efficiency(false, 0.02, "75.0%");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_of_the_efficiency),
        cmocka_unit_test(test_errors_of_the_efficiencies),
        cmocka_unit_test(test_errors_of_parts_of_the_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
