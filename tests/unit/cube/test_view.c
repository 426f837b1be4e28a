/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over the cube: exclusive, inclusive, selected, restricted. */
#include "check.h"
#include "cube/view/view.h"
#include "sample_cube.h"

#include <string.h>

static int64_t total(const struct fm_cube *cube, struct fm_selection selection)
{
    struct fm_view view;
    assert_int_equal(fm_view_prepare(&view, cube, &selection, NULL), FM_OK);
    int64_t sum = fm_view_total(&view);
    fm_view_release(&view);
    return sum;
}

static void test_metric_tree(void **state)
{
    (void)state;
    struct fm_cube *cube = sample_cube();
    struct fm_view view;
    struct fm_selection all = fm_selection_all();
    int64_t exclusive[FM_METRIC_COUNT];
    int64_t inclusive[FM_METRIC_COUNT];
    assert_int_equal(fm_view_prepare(&view, cube, &all, NULL), FM_OK);
    fm_view_metrics(&view, exclusive, inclusive);
    assert_int_equal(exclusive[FM_METRIC_TIME], 0);
    assert_int_equal(inclusive[FM_METRIC_TIME], 10000000); /* 5 locations of 2 s */
    assert_int_equal(exclusive[FM_METRIC_MPI_LATESENDER], 1200000);
    assert_int_equal(inclusive[FM_METRIC_MPI_LATESENDER], 1260000);
    assert_int_equal(inclusive[FM_METRIC_MPI_LATESENDER_WO], 60000);
    assert_int_equal(inclusive[FM_METRIC_MPI_RMA_PAIRSYNC_COUNT], 18);
    assert_int_equal(inclusive[FM_METRIC_VISITS], 1201);
    fm_view_release(&view);
    fm_cube_free(cube);
}

static void test_call_tree(void **state)
{
    (void)state;
    struct fm_cube *cube = sample_cube();
    struct fm_view view;
    struct fm_selection selection = fm_selection_all();
    selection.metric = FM_METRIC_TIME;
    int64_t exclusive[SAMPLE_CALLPATHS];
    int64_t inclusive[SAMPLE_CALLPATHS];
    assert_int_equal(fm_view_prepare(&view, cube, &selection, NULL), FM_OK);
    fm_view_callpaths(&view, exclusive, inclusive);
    assert_int_equal(exclusive[SAMPLE_MAIN], 219999);
    assert_int_equal(inclusive[SAMPLE_MAIN], 10000000);
    assert_int_equal(inclusive[SAMPLE_RECV], 1300000);
    assert_int_equal(inclusive[SAMPLE_SOLVE], exclusive[SAMPLE_SOLVE] + inclusive[SAMPLE_RECV] +
                                                  inclusive[SAMPLE_SEND] + inclusive[SAMPLE_WAIT] +
                                                  inclusive[SAMPLE_EVIL]);
    int64_t alone[SAMPLE_CALLPATHS];
    fm_view_callpaths(&view, NULL, alone);
    assert_memory_equal(alone, inclusive, sizeof alone);
    int64_t locations[5];
    fm_view_locations(&view, locations);
    for (int i = 0; i < 5; i++)
        assert_int_equal(locations[i], 2000000);
    fm_view_release(&view);
    fm_cube_free(cube);
}

static void test_selections(void **state)
{
    (void)state;
    struct fm_cube *cube = sample_cube();
    struct fm_selection selection = fm_selection_all();
    selection.metric = FM_METRIC_TIME;
    selection.rank = 3;
    assert_int_equal(total(cube, selection), 4000000);
    selection.thread = 1;
    assert_int_equal(total(cube, selection), 2000000);
    selection = fm_selection_all();
    selection.metric = FM_METRIC_COMP;
    selection.callpath = SAMPLE_SOLVE;
    assert_int_equal(total(cube, selection), 7149999);
    selection.callpath_exclusive = true;
    assert_int_equal(total(cube, selection), 6999999);
    selection = fm_selection_all();
    selection.metric = FM_METRIC_MPI_RMA_EARLY_WAIT;
    assert_int_equal(total(cube, selection), 520000);
    selection.metric_exclusive = true;
    assert_int_equal(total(cube, selection), 370000);
    fm_cube_free(cube);
}

static void test_restriction_to_a_subtree(void **state)
{
    (void)state;
    struct fm_cube *cube = sample_cube();
    struct fm_cube *part;
    assert_int_equal(fm_cube_restrict(cube, SAMPLE_SOLVE, &part, NULL), FM_OK);
    assert_int_equal(part->callpath_count, 5);
    assert_int_equal(part->callpaths[0].parent, FM_CUBE_NONE);
    assert_int_equal(fm_cube_find_callpath(part, "solve/MPI_Recv"), 1);
    assert_int_equal(fm_cube_find_callpath(part, "main"), FM_CUBE_NONE);
    struct fm_selection selection = fm_selection_all();
    selection.metric = FM_METRIC_TIME;
    assert_int_equal(total(part, selection), 10000000 - 219999 - 600001);
    assert_string_equal(part->experiment.title, "sor");
    /* Late Sender lies in the subtree as a whole, the barrier not at all */
    assert_int_equal(part->statistics_count, 1);
    assert_int_equal(part->statistics[0].worst[0].callpath, 1);
    assert_int_equal(part->statistics[0].worst[0].cause_callpath, 2);
    assert_int_equal(part->statistics[0].worst[2].cause_callpath, FM_CUBE_NONE);
    assert_int_equal(part->warning_count, 4);
    /* two problems lie in the subtree, one symptom of the first does not */
    assert_int_equal(part->problem_count, 2);
    assert_int_equal(part->problems[0].callpath, 0);
    assert_int_equal(part->problems[0].phase, FM_CUBE_NONE);
    assert_int_equal(part->problems[0].symptom_count, 1);
    assert_int_equal(part->problems[0].symptoms[0].callpath, 1);
    assert_int_equal(part->topology_count, 2);
    assert_int_equal(part->topologies[0].coordinates[3], 2);
    assert_int_equal(part->partition_count, 2);
    fm_cube_free(part);
    fm_cube_free(cube);
}

static void test_restriction_tells_what_it_leaves_out(void **state)
{
    (void)state;
    struct fm_cube *cube = sample_cube();
    struct fm_cube *part;
    fm_cube_add(cube, FM_METRIC_MPI_LATESENDER, SAMPLE_BARRIER, 0, 1, NULL);
    assert_int_equal(fm_cube_seal(cube, NULL), FM_OK);
    assert_int_equal(fm_cube_restrict(cube, SAMPLE_SOLVE, &part, NULL), FM_OK);
    assert_int_equal(part->statistics_count, 0);
    assert_int_equal(part->warning_count, 5);
    assert_non_null(strstr(part->warnings[0], "Late Sender"));
    assert_non_null(strstr(part->warnings[1], "locks"));
    assert_non_null(strstr(part->warnings[2], "Phases and matrices"));
    assert_non_null(strstr(part->warnings[3], "cause lies outside"));
    fm_cube_free(part);
    fm_cube_free(cube);
}

static void test_sums_stay_at_the_largest_number(void **state)
{
    (void)state;
    struct fm_cube *cube = sample_cube();
    fm_cube_add(cube, FM_METRIC_COMP, SAMPLE_EVIL, 0, INT64_MAX, NULL);
    fm_cube_add(cube, FM_METRIC_COMP, SAMPLE_EVIL, 1, INT64_MAX, NULL);
    assert_int_equal(fm_cube_seal(cube, NULL), FM_OK);
    struct fm_selection selection = fm_selection_all();
    selection.metric = FM_METRIC_COMP;
    assert_true(total(cube, selection) == INT64_MAX);
    fm_cube_free(cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_metric_tree),
        cmocka_unit_test(test_call_tree),
        cmocka_unit_test(test_selections),
        cmocka_unit_test(test_restriction_to_a_subtree),
        cmocka_unit_test(test_restriction_tells_what_it_leaves_out),
        cmocka_unit_test(test_sums_stay_at_the_largest_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
