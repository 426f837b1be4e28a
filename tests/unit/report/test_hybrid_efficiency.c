/* SPDX-License-Identifier: BSD-3-Clause */
/* The efficiencies of processes and of their threads multiply to the parallel efficiency. */
#include "check.h"
#include "cube/model/cube.h"
#include "diagnosis/efficiency/efficiency.h"
#include "diagnosis/efficiency/hybrid_efficiency.h"

static const struct {
    fm_metric_t metric;
    uint32_t location; /* two threads each of ranks 0 and 1 */
    int64_t ticks;
} times[] = {
    {FM_METRIC_COMP, 0, 6},
    {FM_METRIC_MPI_LATESENDER, 0, 2},
    {FM_METRIC_OMP_IBARRIER_WAIT, 0, 2},
    {FM_METRIC_COMP, 1, 4},
    {FM_METRIC_OMP_IDLE_THREADS, 1, 6},
    {FM_METRIC_COMP, 2, 8},
    {FM_METRIC_MPI_POINT2POINT, 2, 2},
    {FM_METRIC_COMP, 3, 6},
    {FM_METRIC_OMP_IDLE_THREADS, 3, 4},
};

/* @return a cube of 2 ranks with 2 threads; without threads the first ones only */
static struct fm_cube *make_cube(bool with_threads)
{
    struct fm_cube *cube = fm_cube_create();
    assert_non_null(cube);
    assert_int_equal(fm_cube_add_region(cube, "main", "user", NULL, 0), 0);
    assert_int_equal(fm_cube_add_callpath(cube, FM_CUBE_NONE, 0), 0);
    for (uint32_t l = 0; l < 4; l++) {
        if (with_threads || l % 2 == 0) {
            fm_cube_add_location(cube, l, l / 2, l % 2, "node", "name");
        }
    }
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        const uint32_t location = with_threads ? times[i].location : times[i].location / 2;
        if (with_threads || times[i].location % 2 == 0) {
            assert_int_equal(fm_cube_add(cube, times[i].metric, 0, location, times[i].ticks, NULL),
                             FM_OK);
        }
    }
    assert_int_equal(fm_cube_seal(cube, NULL), FM_OK);
    return cube;
}

static void assert_near(double value, double expected)
{
    assert_true(value > expected - 1e-12 && value < expected + 1e-12);
}

/* Both first threads are outside of MPI for 8 of 10 ticks; the threads compute 6, 4, 8 and 6. */
static void factors_multiply(void **state)
{
    (void)state;
    struct fm_cube *cube = make_cube(true);
    struct fm_hybrid_efficiency hybrid;
    assert_true(fm_hybrid_efficiency(cube, &hybrid));
    assert_near(hybrid.processes, 0.8);
    assert_near(hybrid.process_balance, 1);
    assert_near(hybrid.process_communication, 0.8);
    assert_near(hybrid.threads, 6.0 / 8);
    assert_near(hybrid.thread_balance, 6.0 / 7);
    assert_near(hybrid.thread_work, 7.0 / 8);
    const struct fm_efficiency whole = fm_efficiency_of_cube(cube, NULL);
    assert_near(hybrid.processes * hybrid.threads, whole.parallel);
    assert_near(whole.parallel, 0.6);
    fm_cube_free(cube);
}

static void single_threads_have_none(void **state)
{
    (void)state;
    struct fm_cube *cube = make_cube(false);
    struct fm_hybrid_efficiency hybrid;
    assert_false(fm_hybrid_efficiency(cube, &hybrid));
    fm_cube_free(cube);
}

/* A run of one call path has an efficiency, one of a single location has none. */
static void whole_runs(void **state)
{
    (void)state;
    const struct fm_diagnosis_options options = {.width = 80, .utf8 = true};
    struct fm_diagnosis diagnosis;
    struct fm_efficiency efficiency;
    struct fm_cube *cube = make_cube(false);
    assert_int_equal(fm_diagnosis_make(&diagnosis, cube, &options, NULL), FM_OK);
    assert_true(fm_diagnosis_efficiency(&diagnosis, &efficiency));
    assert_near(efficiency.parallel, 0.7);
    assert_near(efficiency.load_balance, 7.0 / 8);
    fm_cube_free(cube);
    cube = fm_cube_create();
    assert_non_null(cube);
    assert_int_equal(fm_cube_add_region(cube, "main", "user", NULL, 0), 0);
    assert_int_equal(fm_cube_add_callpath(cube, FM_CUBE_NONE, 0), 0);
    assert_int_equal(fm_cube_add_location(cube, 0, 0, 0, "node", "name"), 0);
    assert_int_equal(fm_cube_add(cube, FM_METRIC_COMP, 0, 0, 10, NULL), FM_OK);
    assert_int_equal(fm_cube_seal(cube, NULL), FM_OK);
    assert_int_equal(fm_diagnosis_make(&diagnosis, cube, &options, NULL), FM_OK);
    assert_false(fm_diagnosis_efficiency(&diagnosis, &efficiency));
    fm_cube_free(cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_multiply),
        cmocka_unit_test(single_threads_have_none),
        cmocka_unit_test(whole_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
