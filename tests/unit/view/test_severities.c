/* SPDX-License-Identifier: BSD-3-Clause */
/* Severities of a page: rows of cells, exact or rounded to binary digits. */
#include "bundle_content.h"

#include "base/memory.h"
#include "view/report/severities.h"

enum { LOCATIONS = 9 };

static const int64_t times[LOCATIONS] = {1, 7, 8, 9, 10, 11, 15, -9, INT64_C(1) << 40};

/* Times of a call path, visits of two. */
static void open_severities(struct content *content, unsigned bits)
{
    unsigned char *packed;
    size_t size;
    struct fm_error error;
    struct fm_cube *cube = fm_cube_create();
    uint32_t root =
        fm_cube_add_callpath(cube, FM_CUBE_NONE, fm_cube_add_region(cube, "main", "user", NULL, 0));
    uint32_t child =
        fm_cube_add_callpath(cube, root, fm_cube_add_region(cube, "f", "user", NULL, 0));
    for (uint32_t i = 0; i < LOCATIONS; i++) {
        assert_int_equal(fm_cube_add_location(cube, i, i, 0, "node", "rank"), i);
        assert_int_equal(fm_cube_add(cube, FM_METRIC_COMP, root, i, times[i], &error), FM_OK);
    }
    assert_int_equal(fm_cube_add(cube, FM_METRIC_VISITS, root, 2, 1000, &error), FM_OK);
    assert_int_equal(fm_cube_add(cube, FM_METRIC_VISITS, child, 0, 1001, &error), FM_OK);
    assert_int_equal(fm_cube_add(cube, FM_METRIC_VISITS, child, 3, 1003, &error), FM_OK);
    assert_int_equal(fm_cube_seal(cube, &error), FM_OK);
    struct fm_bundle *bundle = fm_bundle_create();
    fm_severities_add(bundle, cube, bits);
    assert_int_equal(fm_bundle_finish(bundle, &packed, &size, &error), FM_OK);
    bundle_open(content, packed, size);
    fm_free(packed);
    fm_bundle_free(bundle);
    fm_cube_free(cube);
}

static void assert_column(const struct content *content, const char *name, size_t count,
                          const uint64_t *expected)
{
    size_t found;
    uint64_t *values = column(content, name, &found);
    assert_int_equal(found, count);
    for (size_t i = 0; i < count; i++) {
        if (values[i] != expected[i]) {
            fail_msg("%s[%zu] is %llu", name, i, (unsigned long long)values[i]);
        }
    }
    free(values);
}

static void assert_rows(const struct content *content)
{
    const uint64_t metrics[] = {FM_METRIC_COMP, FM_METRIC_VISITS, FM_METRIC_VISITS};
    const uint64_t locations[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 2, 0, 3};
    assert_column(content, "row_metric", 3, metrics);
    assert_column(content, "row_callpath", 3, (const uint64_t[]){0, 0, 1});
    assert_column(content, "row_count", 3, (const uint64_t[]){LOCATIONS, 1, 2});
    assert_column(content, "cell_location", LOCATIONS + 3, locations);
}

static void test_exact(void **state)
{
    static const uint64_t mantissas[] = {1,    7,    8,   9, 10, 11, 15, 9, UINT64_C(1) << 40,
                                         1000, 1001, 1003};
    static const uint64_t exponents[] = {0, 0, 0, 0, 0, 0, 0, 128, 0, 0, 0, 0};
    struct content content;
    (void)state;
    open_severities(&content, FM_SEVERITIES_EXACT);
    assert_rows(&content);
    assert_column(&content, "cell_mantissa", LOCATIONS + 3, mantissas);
    assert_column(&content, "cell_exponent", LOCATIONS + 3, exponents);
    assert_null(json_object_get(json_object_get(content.json, "columns"), "row_sum"));
    bundle_close(&content);
}

/* Three digits: 9 is 4.5 * 2, and 11 is 5.5 * 2, which become 5 and 6. Counts are exact. */
static void test_rounded(void **state)
{
    static const uint64_t mantissas[] = {1, 7, 4, 5, 5, 6, 8, 5, 4, 1000, 1001, 1003};
    static const uint64_t exponents[] = {0, 0, 1, 1, 1, 1, 1, 129, 38, 0, 0, 0};
    uint64_t sums[] = {0, 1000, 2004};
    struct content content;
    (void)state;
    for (uint32_t i = 0; i < LOCATIONS; i++) {
        sums[0] += (uint64_t)times[i];
    }
    open_severities(&content, 3);
    assert_rows(&content);
    assert_column(&content, "cell_mantissa", LOCATIONS + 3, mantissas);
    assert_column(&content, "cell_exponent", LOCATIONS + 3, exponents);
    assert_column(&content, "row_sum", 3, sums);
    bundle_close(&content);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
