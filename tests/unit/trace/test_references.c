/* SPDX-License-Identifier: BSD-3-Clause */
/* References of archives, dense and scattered. */
#include "check.h"

#include "trace/tables/trace_internal.h"

static void test_dense_and_scattered(void **state)
{
    (void)state;
    struct fm_references references = {0};
    assert_int_equal(fm_references_find(&references, 0), FM_NONE);
    for (uint32_t i = 0; i < 100; ++i) {
        fm_references_define(&references, i, i);
        fm_references_define(&references, UINT64_C(536870911) * (i + 1), 100 + i);
    }
    fm_references_define(&references, UINT64_MAX, 200);
    for (uint32_t i = 0; i < 100; ++i) {
        assert_int_equal(fm_references_find(&references, i), i);
        assert_int_equal(fm_references_find(&references, UINT64_C(536870911) * (i + 1)), 100 + i);
    }
    assert_int_equal(fm_references_find(&references, UINT64_MAX), 200);
    assert_int_equal(fm_references_find(&references, 100), FM_NONE);
    assert_int_equal(fm_references_find(&references, 536870910), FM_NONE);
    assert_true(references.index.count < 10000); /* scattered ones cost no memory of their own */
    fm_references_free(&references);
}

static void test_the_last_definition_counts(void **state)
{
    (void)state;
    struct fm_references references = {0};
    fm_references_define(&references, 5000, 1); /* scattered, as long as there are few */
    fm_references_define(&references, 3, 2);
    fm_references_define(&references, 3, 3);
    for (uint32_t i = 10; i < 4500; ++i) {
        fm_references_define(&references, i, i);
    }
    fm_references_define(&references, 5000, 4);
    assert_int_equal(fm_references_find(&references, 3), 3);
    assert_int_equal(fm_references_find(&references, 5000), 4);
    fm_references_define(&references, 5100, 7);
    fm_references_define(&references, 5000, 8);
    assert_int_equal(fm_references_find(&references, 5000), 8);
    fm_references_free(&references);
}

static void test_redirect(void **state)
{
    (void)state;
    struct fm_references references = {0};
    fm_references_define(&references, 0, 0);
    fm_references_define(&references, 2, 1);
    fm_references_define(&references, 1000000, 2);
    const uint32_t new_index[] = {0, 0, 1};
    fm_references_redirect(&references, new_index);
    assert_int_equal(fm_references_find(&references, 0), 0);
    assert_int_equal(fm_references_find(&references, 1), FM_NONE);
    assert_int_equal(fm_references_find(&references, 2), 0);
    assert_int_equal(fm_references_find(&references, 1000000), 1);
    fm_references_free(&references);
}

static void test_regions_defined_more_than_once(void **state)
{
    (void)state;
    struct fm_trace_private trace = {0};
#define SOLVE .name = "solve", .paradigm = FM_PARADIGM_USER, .call = FM_CALL_USER
#define RECV  .name = "MPI_Recv", .paradigm = FM_PARADIGM_MPI, .call = FM_CALL_OTHER
    struct fm_region regions[] = {
        {SOLVE, .file = "a.c", .line = 3},
        {RECV},
        {SOLVE, .file = "a.c", .line = 3},
        {SOLVE, .file = "b.c", .line = 3},
        {RECV},
        {SOLVE, .file = "a.c", .line = 4},
        {SOLVE, .line = 3},
        {SOLVE, .file = "a.c", .line = 3, .is_phase = true},
    };
    static const uint32_t expected[] = {0, 1, 0, 3, 1, 5, 6, 0};
    trace.trace.regions = regions;
    trace.trace.region_count = 8;
    for (uint32_t i = 0; i < 8; ++i) {
        fm_references_define(&trace.regions, i * 70000, i);
    }
    fm_regions_merge(&trace);
    assert_true(regions[0].is_phase); /* as one of its definitions says */
    assert_false(regions[3].is_phase);
    for (uint32_t i = 0; i < 8; ++i) {
        assert_int_equal(fm_references_find(&trace.regions, i * 70000), expected[i]);
    }
    fm_references_free(&trace.regions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense_and_scattered),
        cmocka_unit_test(test_the_last_definition_counts),
        cmocka_unit_test(test_redirect),
        cmocka_unit_test(test_regions_defined_more_than_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
