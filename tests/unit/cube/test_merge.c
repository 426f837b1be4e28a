/* SPDX-License-Identifier: BSD-3-Clause */
/* What happened when and who had to do with whom, in merged reports. */
#include "check.h"
#include "cube/merge/unite.h"
#include "sample_cube.h"

static struct fm_cube *merge(const struct fm_cube *first, const struct fm_cube *second)
{
    const struct fm_cube *cubes[] = {first, second};
    const char *names[] = {"first", "second"};
    struct fm_cube *merged = NULL;
    struct fm_error error;
    if (fm_cube_merge(cubes, names, 2, &merged, &error) != FM_OK)
        fail_msg("%s", error.message);
    return merged;
}

/* The other report has none of it, and a clock that is twice as fast. */
static void test_the_report_that_has_them_tells(void **state)
{
    (void)state;
    struct fm_cube *sample = sample_cube();
    struct fm_cube *other = empty_cube();
    other->experiment.ticks_per_second = 2 * sample->experiment.ticks_per_second;
    struct fm_cube *merged = merge(other, sample);
    assert_int_equal(merged->phase_count, sample->phase_count);
    const struct fm_cube_phase *phase = &merged->phases[0];
    assert_string_equal(merged->regions[phase->region].name, "solve");
    assert_true(phase->rows[7].duration == 2 * sample->phases[0].rows[7].duration);
    assert_int_equal(phase->rows[7].slowest, 3);
    assert_true(phase->waiting[15] == 2 * sample->phases[0].waiting[15]);
    assert_int_equal(merged->bins.cell_count, sample->bins.cell_count);
    assert_true(merged->bins.cells[1].ticks == 2 * sample->bins.cells[1].ticks);
    for (int m = 0; m < FM_MATRIX_COUNT; m++) {
        const struct fm_cube_link *link = &merged->matrices[m].links[0];
        const struct fm_cube_link *original = &sample->matrices[m].links[0];
        assert_int_equal(merged->matrices[m].link_count, sample->matrices[m].link_count);
        assert_true(link->amount == (fm_cube_matrix_is_time(m) ? 2 : 1) * original->amount);
        assert_true(link->count == original->count);
    }
    assert_int_equal(merged->problem_count, sample->problem_count);
    const struct fm_cube_problem *problem = &merged->problems[0];
    assert_true(problem->cost == 2 * sample->problems[0].cost);
    assert_int_equal(problem->phase, 0);
    assert_int_equal(problem->occasions[0].last, 7);
    assert_int_equal(problem->occasions[0].end, 2 * 760000);
    assert_int_equal(problem->excess.there, 2 * 60000);
    assert_int_equal(problem->gain.removed, 2 * 400000);
    assert_int_equal(problem->prediction_count, 3);
    assert_int_equal(problem->predictions[1].moved, 2 * 50000);
    assert_int_equal(problem->predictions[2].saved, 2 * -500);
    assert_int_equal(merged->experiment.ideal_duration, 0);
    assert_int_equal(problem->symptoms[1].cost, 2 * 300000);
    assert_int_equal(merged->problems[1].lock, 1);
    assert_int_equal(merged->problems[2].consequence_of, 0);
    assert_int_equal(merged->topology_count, 2);
    assert_string_equal(merged->topologies[0].name, sample->topologies[0].name);
    assert_int_equal(merged->topologies[0].coordinates[5], 1);
    assert_true(merged->path_from_init_to_finalize);
    assert_int_equal(merged->partition_count, 2);
    assert_int_equal(merged->partition_of[4], FM_CUBE_NONE);
    fm_cube_free(merged);
    fm_cube_free(other);
    fm_cube_free(sample);
}

/* The other report has messages and more ranks, but one thread of rank 3 only. */
static void test_locations_get_their_new_numbers(void **state)
{
    (void)state;
    struct fm_cube *sample = sample_cube();
    struct fm_cube *wide = wide_cube();
    struct fm_cube *merged = merge(wide, sample);
    assert_int_equal(merged->location_count, wide->location_count + 1);
    const struct fm_cube_matrix *messages = &merged->matrices[FM_MATRIX_MESSAGES];
    assert_int_equal(messages->link_count, wide->matrices[FM_MATRIX_MESSAGES].link_count);
    for (size_t i = 0; i < messages->link_count; i++) {
        const struct fm_cube_link *link = &wide->matrices[FM_MATRIX_MESSAGES].links[i];
        uint32_t from = merged->locations[messages->links[i].from].rank;
        uint32_t to = merged->locations[messages->links[i].to].rank;
        assert_int_equal(from, wide->locations[link->from].rank);
        assert_int_equal(to, wide->locations[link->to].rank);
    }
    assert_int_equal(merged->matrices[FM_MATRIX_DELAYS].link_count,
                     sample->matrices[FM_MATRIX_DELAYS].link_count);
    const struct fm_cube_topology *grid = &merged->topologies[0];
    assert_int_equal(grid->member_count, 3);
    for (uint32_t m = 0; m < 3; m++) {
        assert_int_equal(merged->locations[grid->locations[m]].rank, m == 2 ? 3 : m);
        assert_int_equal(grid->coordinates[2 * m], sample->topologies[0].coordinates[2 * m]);
    }
    assert_int_equal(merged->bins.bin_count, 0); /* rows would fall apart */
    assert_int_equal(merged->phases[0].rows[7].slowest, 3);
    assert_int_equal(merged->partition_of[merged->location_count - 1], FM_CUBE_NONE);
    assert_int_equal(merged->problems[0].locations[0], 3);
    assert_int_equal(merged->problems[0].locations[1], 4);
    assert_int_equal(merged->problems[0].symptoms[1].locations[2], 2);
    fm_cube_free(merged);
    fm_cube_free(wide);
    fm_cube_free(sample);
}

/* The values of a location come from the first report that has some, whatever its number there. */
static void test_messages_of_each_location(void **state)
{
    (void)state;
    struct fm_cube *first = sample_cube();
    struct fm_cube *second = sample_cube();
    first->locations[1].last_partition = (struct fm_cube_last_partition){1, 4, 5, 6};
    first->locations[2].unexpected = (struct fm_cube_unexpected){20, 1, 2, 3, 4, 5, 6};
    for (uint32_t l = 0; l < second->location_count; l++) {
        second->locations[l].last_partition = (struct fm_cube_last_partition){2, 8, 10 + l, 30};
        second->locations[l].unexpected =
            (struct fm_cube_unexpected){100 + l, 10, 20, 30, 40, 50, 60};
    }
    struct fm_cube *merged = merge(first, second);
    assert_int_equal(merged->location_count, second->location_count);
    for (uint32_t l = 0; l < merged->location_count; l++) {
        const struct fm_cube_location *location = &merged->locations[l];
        assert_int_equal(location->last_partition.messages, l == 1 ? 5 : 10 + l);
        assert_int_equal(location->last_partition.partition, l == 1 ? 1 : 2);
        assert_int_equal(location->unexpected.messages, l == 2 ? 20 : 100 + l);
        assert_int_equal(location->unexpected.bytes_most, l == 2 ? 6 : 60);
    }
    fm_cube_free(merged);
    fm_cube_free(first);
    fm_cube_free(second);
}

/* The phases and locks come from another report than the problems. */
static void test_problems_without_their_phase(void **state)
{
    (void)state;
    struct fm_cube *first = sample_cube();
    struct fm_cube *sample = sample_cube();
    fm_cube_free_problems(first);
    struct fm_cube *merged = merge(first, sample);
    assert_int_equal(merged->problem_count, sample->problem_count);
    const struct fm_cube_problem *problem = &merged->problems[0];
    assert_int_equal(problem->phase, FM_CUBE_NONE);
    assert_int_equal(problem->occasions[0].last, 0);
    assert_int_equal(problem->occasions[0].begin, 270000);
    assert_false(problem->excess.is_known);
    assert_true(problem->gain.is_known);
    assert_int_equal(merged->problems[1].lock, FM_CUBE_NONE);
    fm_cube_free(merged);
    fm_cube_free(first);
    fm_cube_free(sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_report_that_has_them_tells),
        cmocka_unit_test(test_locations_get_their_new_numbers),
        cmocka_unit_test(test_messages_of_each_location),
        cmocka_unit_test(test_problems_without_their_phase),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
