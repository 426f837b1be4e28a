/* SPDX-License-Identifier: BSD-3-Clause */
/* The maps to repaired times. */
#include "check.h"

#include "trace/clock/time_map.h"

static void add(struct fm_time_map *map, uint64_t old, uint64_t new)
{
    fm_vector_push(&map->knots, (struct fm_time_knot){old, new});
}

static void test_times_between_knots_are_interpolated(void **state)
{
    (void)state;
    struct fm_time_maps maps = {.layer_count = 0};
    struct fm_time_map *map = fm_time_maps_add(&maps, 2);
    add(&map[0], 100, 150);
    add(&map[0], 200, 210);
    add(&map[0], 1000, 1000);
    static const uint64_t expected[][2] = {{0, 50},    {100, 150},   {101, 150},
                                           {150, 180}, {199, 209},   {200, 210},
                                           {600, 605}, {1000, 1000}, {1500, 1500}};
    const size_t count = sizeof expected / sizeof *expected;
    struct fm_time_cursors cursors = {{0}};
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(fm_time_maps_at(&maps, 0, &cursors, expected[i][0]), expected[i][1]);
    }
    for (size_t i = count; i-- > 0;) { /* times may descend */
        assert_int_equal(fm_time_maps_at(&maps, 0, &cursors, expected[i][0]), expected[i][1]);
    }
    cursors = (struct fm_time_cursors){{0}};
    assert_int_equal(fm_time_maps_at(&maps, 1, &cursors, 77), 77); /* no knots */
    fm_time_maps_free(&maps);
}

static void test_layers_apply_one_after_the_other(void **state)
{
    (void)state;
    struct fm_time_maps maps = {.layer_count = 0};
    add(&fm_time_maps_add(&maps, 1)[0], 10, 5); /* shifts may be negative */
    add(&fm_time_maps_add(&maps, 1)[0], 10, 110);
    struct fm_time_cursors cursors = {{0}};
    assert_int_equal(fm_time_maps_at(&maps, 0, &cursors, 20), 115);
    fm_time_maps_free(&maps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times_between_knots_are_interpolated),
        cmocka_unit_test(test_layers_apply_one_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
