/* SPDX-License-Identifier: BSD-3-Clause */
/* The adjustment of loads on every level, and the formulas of imbalance and correlation. */
#include "base/kernel_activity.h"
#include "check.h"
#include "diagnosis/efficiency/load_levels.h"
#include "imbalance/input/gpu_metric.h"

#include <math.h>

static void assert_near(double value, double expected)
{
    assert_true(fabs(value - expected) < 1e-12);
}

static void formulas(void **state)
{
    (void)state;
    const double one_has_all[] = {0, 0, 8, 0}, equal[] = {0.1, 0.1, 0.1},
                 unknown[] = {NAN, 1, 3, NAN}, nothing[] = {0, 0};
    struct fm_load_imbalance spread = fm_load_imbalance_of(one_has_all, 4);
    assert_near(spread.imbalance, 3);
    assert_int_equal(spread.where, 2);
    assert_true(fm_load_imbalance_of(equal, 3).imbalance == 0);
    spread = fm_load_imbalance_of(unknown, 4);
    assert_near(spread.imbalance, 0.5);
    assert_int_equal(spread.count, 2);
    assert_int_equal(spread.where, 2);
    assert_true(isnan(fm_load_imbalance_of(nothing, 2).imbalance));
    assert_true(isnan(fm_load_imbalance_of(NULL, 0).imbalance));
    const double up[] = {1, 2, 3}, down[] = {6, 4, 2}, bent[] = {1, 2, 4};
    assert_near(fm_correlation(up, down, 3), -1);
    assert_near(fm_correlation(up, bent, 3), 3 / sqrt(2 * 14.0 / 3));
    assert_true(isnan(fm_correlation(up, equal, 3)));
    assert_true(isnan(fm_correlation(up, bent, 1)));
}

/* What is recorded is what the readers of profiles understand. */
static void metric_names(void **state)
{
    static const fm_gpu_metric_t metrics[FM_KERNEL_ACTIVITY_COUNT] = {
        [FM_KERNEL_SM] = FM_GPU_SM_EFFICIENCY,
        [FM_KERNEL_WARP] = FM_GPU_WARP_EFFICIENCY,
        [FM_KERNEL_MEMORY] = FM_GPU_MEMORY,
    };
    (void)state;
#define FM_KERNEL_ACTIVITY(symbol, name, unit, all)                                                \
    {                                                                                              \
        const struct fm_gpu_metric_name *found = fm_gpu_metric_find(name);                         \
        assert_non_null(found);                                                                    \
        assert_int_equal(found->metric, metrics[FM_KERNEL_##symbol]);                              \
        assert_near(found->whole, all);                                                            \
    }
    FM_KERNEL_ACTIVITIES(FM_KERNEL_ACTIVITY)
#undef FM_KERNEL_ACTIVITY
}

static const struct {
    fm_metric_t metric;
    uint32_t location; /* two threads each of ranks 0 to 2; rank 2 on a node of its own */
    int64_t ticks;
} times[] = {
    {FM_METRIC_COMP, 0, 8},
    {FM_METRIC_MPI_LATESENDER, 0, 2},
    {FM_METRIC_COMP, 1, 4},
    {FM_METRIC_OMP_IDLE_THREADS, 1, 6},
    {FM_METRIC_COMP, 2, 10},
    {FM_METRIC_COMP, 3, 10},
    {FM_METRIC_COMP, 4, 6},
    {FM_METRIC_MPI_POINT2POINT, 4, 4},
    {FM_METRIC_OMP_IDLE_THREADS, 5, 10},
};

/* One thread of rank 0 is idle for half of the time of the first one: efficiency 0.75. */
static void levels(void **state)
{
    (void)state;
    struct fm_cube *cube = fm_cube_create();
    fm_cube_add_region(cube, "main", "user", NULL, 0);
    fm_cube_add_callpath(cube, FM_CUBE_NONE, 0);
    for (uint32_t l = 0; l < 6; l++) {
        fm_cube_add_location(cube, l, l / 2, l % 2, l < 4 ? "near" : "far", "name");
    }
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        fm_cube_add(cube, times[i].metric, 0, times[i].location, times[i].ticks, NULL);
    }
    assert_int_equal(fm_cube_seal(cube, NULL), FM_OK);
    struct fm_load_levels loads;
    fm_load_levels_make(cube, FM_CUBE_NONE, &loads);
    const struct fm_level_unit *processes = loads.units[FM_LEVEL_PROCESS];
    assert_int_equal(loads.counts[FM_LEVEL_PROCESS], 3);
    assert_near(processes[0].time, 8);
    assert_near(fm_level_efficiency(&processes[0]), 0.75);
    assert_near(fm_level_efficiency(&processes[1]), 1);
    assert_near(fm_level_efficiency(&processes[2]), 0.5);
    assert_near(loads.times[FM_LEVEL_PROCESS].imbalance, 10 / 8.0 - 1);      /* 8 10 6 */
    assert_near(loads.loads[FM_LEVEL_PROCESS].imbalance, 10 * 3 / 19.0 - 1); /* 6 10 3 */
    const struct fm_level_unit *nodes = loads.units[FM_LEVEL_NODE];
    assert_int_equal(loads.counts[FM_LEVEL_NODE], 2);
    assert_near(nodes[0].time, 10);
    assert_near(nodes[0].load, 8);
    assert_int_equal(nodes[0].parts, 2);
    assert_near(fm_level_efficiency(&nodes[0]), 0.8);
    assert_near(nodes[1].load, 3);
    assert_near(loads.loads[FM_LEVEL_NODE].imbalance, 8 / 5.5 - 1);
    fm_load_levels_free(&loads);
    fm_cube_free(cube);
}

/* Two ranks with two streams each; the last stream was not measured, and of stream 2 the half. */
static void streams(void **state)
{
    static const struct {
        fm_metric_t metric;
        uint32_t location;
        int64_t ticks;
    } cells[] = {
        {FM_METRIC_COMP, 0, 20},
        {FM_METRIC_COMP, 3, 40},
        {FM_METRIC_COMP, 1, 8},
        {FM_METRIC_KERNEL_ADJUSTED, 1, 4},
        {FM_METRIC_KERNEL_INACTIVE, 1, 1},
        {FM_METRIC_KERNEL_IDLE, 1, 3},
        {FM_METRIC_KERNEL_COMPOSITE, 1, 6},
        {FM_METRIC_COMP, 2, 10},
        {FM_METRIC_KERNEL_ADJUSTED, 2, 1},
        {FM_METRIC_KERNEL_IDLE, 2, 4},
        {FM_METRIC_KERNEL_COMPOSITE, 2, 2},
        {FM_METRIC_COMP, 4, 12},
        {FM_METRIC_KERNEL_ADJUSTED, 4, 12},
        {FM_METRIC_KERNEL_COMPOSITE, 4, 12},
        {FM_METRIC_COMP, 5, 2},
    };
    (void)state;
    struct fm_cube *cube = fm_cube_create();
    fm_cube_add_region(cube, "main", "user", NULL, 0);
    fm_cube_add_callpath(cube, FM_CUBE_NONE, 0);
    for (uint32_t l = 0; l < 6; l++) {
        fm_cube_add_location(cube, l, l / 3, l % 3, "node", "name");
        cube->locations[l].is_stream = l % 3 != 0;
    }
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        fm_cube_add(cube, cells[i].metric, 0, cells[i].location, cells[i].ticks, NULL);
    }
    assert_int_equal(fm_cube_seal(cube, NULL), FM_OK);
    struct fm_load_levels loads;
    fm_load_levels_make(cube, FM_CUBE_NONE, &loads);
    assert_int_equal(loads.counts[FM_LEVEL_STREAM], 3);
    const struct fm_level_unit *units = loads.units[FM_LEVEL_STREAM];
    assert_int_equal(units[1].first, 2);
    assert_near(units[0].load, 4);
    assert_near(units[1].time, 10);
    assert_near(units[1].total, 5);
    assert_near(units[1].load, 2); /* 10 x 1 / 5 */
    assert_near(units[1].composite, 4);
    assert_near(loads.times[FM_LEVEL_STREAM].imbalance, 12 / 10.0 - 1); /* 8 10 12 */
    assert_near(loads.loads[FM_LEVEL_STREAM].imbalance, 12 / 6.0 - 1);  /* 4 2 12 */
    assert_near(loads.composites[FM_LEVEL_STREAM].imbalance, 12 / (22 / 3.0) - 1);
    assert_near(fm_level_mean_efficiency(&loads, FM_LEVEL_STREAM), 18 / 30.0);
    units = loads.units[FM_LEVEL_THREAD];
    assert_int_equal(loads.counts[FM_LEVEL_THREAD], 2);
    assert_near(units[0].load, 3);
    assert_near(units[0].composite, 5);
    assert_near(units[1].load, 7); /* 12 and 2: nothing is known of the last stream */
    assert_int_equal(units[1].parts, 2);
    assert_near(units[1].time, 40);
    assert_near(loads.measured, (8 + 5 + 12) / 32.0);
    assert_int_equal(loads.composites[FM_LEVEL_PROCESS].count, 0);
    fm_load_levels_free(&loads);
    fm_cube_free(cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas),
        cmocka_unit_test(levels),
        cmocka_unit_test(streams),
        cmocka_unit_test(metric_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
