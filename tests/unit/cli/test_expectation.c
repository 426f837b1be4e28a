/* SPDX-License-Identifier: BSD-3-Clause */
/* Expectations against a cube built by hand. */
#include "cli/expectation/expectation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct fm_cube *make_cube(void)
{
    struct fm_error error;
    struct fm_cube *cube = fm_cube_create();
    assert_non_null(cube);
    uint32_t region = fm_cube_add_region(cube, "main", "user", NULL, 0);
    uint32_t barrier = fm_cube_add_region(cube, "MPI_Barrier", "mpi", NULL, 0);
    uint32_t root = fm_cube_add_callpath(cube, FM_CUBE_NONE, region);
    uint32_t leaf = fm_cube_add_callpath(cube, root, barrier);
    for (uint32_t rank = 0; rank < 2; rank++) {
        fm_cube_add_location(cube, rank, rank, 0, "node", "thread");
    }
    assert_int_equal(fm_cube_add(cube, FM_METRIC_MPI_SYNC_COLLECTIVE, leaf, 0, 700, &error), FM_OK);
    assert_int_equal(fm_cube_add(cube, FM_METRIC_MPI_BARRIER_WAIT, leaf, 0, 1500, &error), FM_OK);
    assert_int_equal(fm_cube_add(cube, FM_METRIC_MPI_BARRIER_WAIT, leaf, 1, 250, &error), FM_OK);
    assert_int_equal(fm_cube_add(cube, FM_METRIC_SYNCS_SEND, leaf, 0, 3, &error), FM_OK);
    assert_int_equal(fm_cube_add(cube, FM_METRIC_SYNCS_COLL, leaf, 0, 4, &error), FM_OK);
    assert_int_equal(fm_cube_seal(cube, &error), FM_OK);
    return cube;
}

/* The only expectation of a scenario with 3 ranks, of which the analysis saw 2. */
static fm_status_t compare(const char *line, struct fm_expectation_result *result,
                           struct fm_error *error)
{
    char text[256] = "ranks 3\n";
    struct fm_scenario *scenario = NULL;
    struct fm_cube *cube = make_cube();
    strcat(text, line);
    assert_int_equal(fm_scenario_parse("f.scn", text, strlen(text), &scenario, error), FM_OK);
    fm_status_t status =
        fm_expectation_compare(scenario, &scenario->expectations[0], cube, result, error);
    fm_scenario_free(scenario);
    fm_cube_free(cube);
    return status;
}

static void check(const char *line, bool holds, const char *actual)
{
    struct fm_expectation_result result;
    struct fm_error error;
    char text[FM_DECIMAL_LENGTH];
    assert_int_equal(compare(line, &result, &error), FM_OK);
    if (result.holds != holds || strcmp(fm_decimal_format(result.actual, text), actual) != 0) {
        fail_msg("%s: %s, actual %s", line, result.holds ? "holds" : "fails", text);
    }
}

static void values_are_exact(void **state)
{
    (void)state;
    check("expect mpi_barrier_wait main/MPI_Barrier 0 1.5", true, "1.5");
    check("expect mpi_barrier_wait main/MPI_Barrier 0 1.500000000001", false, "1.5");
    check("expect mpi_barrier_wait main/MPI_Barrier 0 1.51 0.01", true, "1.5");
    check("expect mpi_barrier_wait main/MPI_Barrier 0 1.51 0.009999", false, "1.5");
    check("expect mpi_barrier_wait main/MPI_Barrier 1 0.25", true, "0.25");
}

static void stars_are_sums(void **state)
{
    (void)state;
    check("expect mpi_barrier_wait * * 1.75", true, "1.75");
    check("expect mpi_barrier_wait * 1 0.25", true, "0.25");
    check("expect mpi_barrier_wait main/MPI_Barrier * 1.75", true, "1.75");
    check("expect mpi_barrier_wait main * 0", true, "0");
}

static void only_the_time_tree_is_exclusive(void **state)
{
    (void)state;
    check("expect mpi_sync_collective * * 0.7", true, "0.7");
    check("expect time * * 0", true, "0");
    check("expect syncs * * 7", true, "7");
    check("expect syncs_p2p * 0 3", true, "3");
}

static void what_does_not_exist_is_zero(void **state)
{
    (void)state;
    check("expect mpi_barrier_wait main/foo 0 0", true, "0");
    check("expect mpi_barrier_wait main/foo * 1", false, "0");
    check("expect mpi_barrier_wait main/MPI_Barrier 2 0", true, "0");
}

static void metrics_that_do_not_exist(void **state)
{
    (void)state;
    struct fm_expectation_result result;
    struct fm_error error;
    assert_int_equal(compare("expect mpi_bogus * * 0", &result, &error), FM_ERR_DATA);
    assert_non_null(strstr(error.message, "f.scn:2: there is no metric \"mpi_bogus\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_exact),
        cmocka_unit_test(stars_are_sums),
        cmocka_unit_test(only_the_time_tree_is_exclusive),
        cmocka_unit_test(what_does_not_exist_is_zero),
        cmocka_unit_test(metrics_that_do_not_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
