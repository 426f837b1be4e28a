/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of parameters as nodes of call paths. */
#include "builder_fixture.h"

static void set(struct fixture *f, uint64_t time, uint32_t parameter, uint64_t value)
{
    fm_builder_time(&f->builder, time);
    fm_builder_parameter(&f->builder, parameter, value);
}

static void test_values_of_parameters_end_with_their_region(void **state)
{
    struct fixture *f = *state;
    begin(f, 0);
    set(f, 5, LEVEL, 1); /* outside of all regions */
    enter(f, 10, MAIN);
    enter(f, 11, SOLVE);
    set(f, 13, LEVEL, 1);
    set(f, 16, SIZE, 7);
    set(f, 20, LEVEL, 2); /* ends both */
    leave(f, 25, SOLVE);
    leave(f, 31, MAIN);
    set(f, 32, FM_NONE, 1);
    end(f);
    assert_true(time_in(f, MAIN) == 7);
    assert_true(time_in(f, SOLVE) == 2);
    assert_true(time_in(f, LEVEL) == 3 + 5);
    assert_true(time_in(f, SIZE) == 4);
    const struct fm_visit_profile *visits = f->locations[0].profile.items;
    assert_int_equal(f->locations[0].profile.count, 5);
    assert_true(visits[2].region == LEVEL && visits[2].value == 1 && visits[2].parent == 1);
    assert_true(visits[3].region == SIZE && visits[3].value == 7 && visits[3].parent == 2);
    assert_true(visits[4].region == LEVEL && visits[4].value == 2 && visits[4].parent == 1);
    assert_int_equal(f->defects.open_calls, 0);
    assert_int_equal(f->defects.unmatched_leaves, 0);
    assert_int_equal(f->defects.unusable_records, 1);
}

static void test_values_in_calls_and_of_open_regions(void **state)
{
    struct fixture *f = *state;
    begin(f, 0);
    enter(f, 10, MAIN);
    enter(f, 12, WAIT);
    set(f, 13, LEVEL, 1); /* in a communication call: ignored */
    leave(f, 15, WAIT);
    set(f, 16, LEVEL, 3);
    fm_builder_time(&f->builder, 18);
    fm_builder_leave(&f->builder, FM_NONE); /* leaves the innermost region: main */
    enter(f, 20, SOLVE);
    set(f, 21, LEVEL, 3);
    end(f);
    assert_true(time_in(f, WAIT) == 3);
    assert_true(time_in(f, LEVEL) == 2);
    assert_true(time_in(f, SOLVE) == 1);
    assert_int_equal(f->defects.open_ends, 1); /* solve */
}

static void test_values_beyond_the_limit_share_a_node(void **state)
{
    struct fixture *f = *state;
    begin(f, 0);
    enter(f, 0, MAIN);
    for (uint64_t value = 0; value < 3 * FM_PARAMETER_LIMIT; ++value)
        set(f, value, LEVEL, value);
    set(f, 3 * FM_PARAMETER_LIMIT, LEVEL, 5); /* a value that it has */
    leave(f, 4 * FM_PARAMETER_LIMIT, MAIN);
    end(f);
    const struct fm_visit_profile *visits = f->locations[0].profile.items;
    assert_int_equal(f->locations[0].profile.count, 1 + FM_PARAMETER_LIMIT + 1);
    assert_int_equal(visits[FM_PARAMETER_LIMIT + 1].kind, FM_CALLPATH_OTHERS);
    assert_int_equal(visits[FM_PARAMETER_LIMIT + 1].time, 2 * FM_PARAMETER_LIMIT);
    assert_int_equal(visits[6].value, 5);
    assert_int_equal(visits[6].time, 1 + FM_PARAMETER_LIMIT);
    /* The next location has values of its own. */
    begin(f, 1);
    enter(f, 0, MAIN);
    set(f, 1, LEVEL, 1000000);
    leave(f, 2, MAIN);
    end(f);
    assert_int_equal(f->locations[1].profile.items[1].kind, FM_CALLPATH_VALUE);
}

/* Parts of a forest, merged in their order, keep the same values as one forest. */
static void test_merged_forests_keep_the_same_values(void **state)
{
    (void)state;
    enum { PARTS = 3, NODES = 400 };
    struct fm_callpaths whole = {0}, merged = {0};
    uint64_t seed = 7;
    for (unsigned p = 0; p < PARTS; ++p) {
        struct fm_callpaths part = {0};
        for (unsigned i = 0; i < NODES; ++i) {
            const struct fm_callpath node = {.value = next_random(&seed) % 900,
                                             .parent = FM_NONE,
                                             .region = i % 2 == 0 ? LEVEL : SIZE,
                                             .line = FM_NONE,
                                             .kind = FM_CALLPATH_VALUE};
            fm_callpaths_add(&whole, &node);
            fm_callpaths_add(&part, &node);
        }
        fm_callpaths_add_forest(&merged, part.nodes.items, part.nodes.count, NULL);
        fm_callpaths_free(&part);
    }
    assert_int_equal(merged.nodes.count, whole.nodes.count);
    assert_memory_equal(merged.nodes.items, whole.nodes.items,
                        whole.nodes.count * sizeof *whole.nodes.items);
    fm_callpaths_free(&whole);
    fm_callpaths_free(&merged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        builder_test(values_of_parameters_end_with_their_region),
        builder_test(values_in_calls_and_of_open_regions),
        builder_test(values_beyond_the_limit_share_a_node),
        builder_test(merged_forests_keep_the_same_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
