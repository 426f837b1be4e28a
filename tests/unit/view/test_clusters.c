/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of alike vectors: the same whoever is asked, few, and those that differ stand alone. */
#include "check.h"

#include "base/memory.h"
#include "view/timeline/clusters.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH 16U

static uint8_t *alike_vectors(uint32_t count)
{
    uint8_t *vectors = fm_allocate(count, WIDTH);
    memset(vectors, 100, (size_t)count * WIDTH);
    return vectors;
}

static void test_members_belong_to_whom_they_are_like(void **state)
{
    (void)state;
    uint8_t *vectors = alike_vectors(1000);
    uint32_t random = 1;
    for (uint32_t i = 0; i < 1000; i++) {
        /* Every seventh differs in half of its elements; all have a little noise. */
        for (uint32_t k = 0; k < WIDTH; k++) {
            random = random * 1664525U + 1013904223U;
            vectors[i * WIDTH + k] =
                (uint8_t)(100 + (i % 7 == 3 && k < 8 ? 60 : 0) + (random >> 30));
        }
    }
    memset(vectors + 501 * WIDTH, 0, WIDTH);
    struct fm_clusters clusters = fm_clusters_find(vectors, 1000, WIDTH, 64, 32);
    assert_int_equal(clusters.count, 3);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(clusters.of[i], i == 501 ? 2 : i % 7 == 3);
    assert_int_equal(clusters.size[0], 1000 - 143 - 1);
    assert_int_equal(clusters.size[1], 143);
    assert_int_equal(clusters.size[2], 1);
    assert_int_equal(clusters.typical[1] % 7, 3);
    assert_int_equal(clusters.typical[2], 501);
    fm_clusters_free(&clusters);
    fm_free(vectors);
}

static void test_no_more_groups_than_wanted(void **state)
{
    (void)state;
    uint8_t *vectors = alike_vectors(200);
    for (uint32_t i = 0; i < 200; i++)
        memset(vectors + i * WIDTH, (int)i, WIDTH);
    struct fm_clusters clusters = fm_clusters_find(vectors, 200, WIDTH, 0, 10);
    assert_int_equal(clusters.count, 10);
    uint32_t members = 0;
    for (uint32_t group = 0; group < 10; group++) {
        uint32_t typical = clusters.typical[group];
        assert_int_equal(clusters.of[typical], group);
        members += clusters.size[group];
        /* k-means spreads them: no group has half of all. */
        assert_true(clusters.size[group] < 100);
    }
    assert_int_equal(members, 200);
    for (uint32_t i = 1; i < 200; i++) /* groups of such a line are parts of it */
        assert_true(clusters.of[i] == clusters.of[i - 1] ||
                    clusters.of[i] == clusters.of[i - 1] + 1);
    fm_clusters_free(&clusters);
    fm_free(vectors);
}

static void test_noise_makes_no_groups(void **state)
{
    (void)state;
    uint8_t *vectors = alike_vectors(1000);
    uint32_t random = 7;
    for (uint32_t i = 0; i < 1000; i++) {
        for (uint32_t k = 0; k < WIDTH; k++) {
            random = random * 1664525U + 1013904223U;
            vectors[i * WIDTH + k] = (uint8_t)((i < 300 ? 0 : 120) + (random >> 27));
        }
    }
    struct fm_clusters clusters = fm_clusters_find(vectors, 1000, WIDTH, 32, 32);
    assert_int_equal(clusters.count, 2);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(clusters.of[i], i >= 300);
    fm_clusters_free(&clusters);
    fm_free(vectors);
}

static void test_equal_vectors_are_one_group(void **state)
{
    (void)state;
    uint8_t *vectors = alike_vectors(65536);
    struct fm_clusters clusters = fm_clusters_find(vectors, 65536, WIDTH, 0, 32);
    assert_int_equal(clusters.count, 1);
    assert_int_equal(clusters.size[0], 65536);
    assert_int_equal(clusters.typical[0], 0);
    fm_clusters_free(&clusters);
    clusters = fm_clusters_find(vectors, 0, WIDTH, 0, 32);
    assert_int_equal(clusters.count, 0);
    fm_clusters_free(&clusters);
    clusters = fm_clusters_find(vectors, 1, WIDTH, 0, 32);
    assert_int_equal(clusters.count, 1);
    fm_clusters_free(&clusters);
    fm_free(vectors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_belong_to_whom_they_are_like),
        cmocka_unit_test(test_no_more_groups_than_wanted),
        cmocka_unit_test(test_noise_makes_no_groups),
        cmocka_unit_test(test_equal_vectors_are_one_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
