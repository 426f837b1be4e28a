/* SPDX-License-Identifier: BSD-3-Clause */
/* The forest of the blame against one that is searched node by node, with low and with high trees:
 * both representations give the same roots and sums. */
#include "check.h"

#include "analysis/causes/blame/forest.h"

enum { NODES = 400, KINDS = 3 };

struct naive {
    uint32_t parent[NODES];
    uint64_t counts[NODES][KINDS];
};

static uint32_t naive_root(const struct naive *naive, uint32_t node)
{
    while (naive->parent[node] != FM_FOREST_NONE) {
        node = naive->parent[node];
    }
    return node;
}

static void check_sums(struct fm_forest *forest, const struct naive *naive, uint32_t root)
{
    uint64_t sums[KINDS] = {0};
    for (uint32_t n = 0; n < NODES; n++) {
        for (uint32_t k = 0; k < KINDS && naive_root(naive, n) == root; k++) {
            sums[k] += naive->counts[n][k];
        }
    }
    assert_memory_equal(fm_forest_sums(forest, root), sums, sizeof sums);
}

/* @param high  of ten links, so many lengthen a path */
static void check_random(uint64_t seed, uint32_t high, bool expect_deep)
{
    struct fm_forest forest = {.kinds = KINDS};
    struct naive naive = {0};
    uint64_t state = seed;
    for (uint32_t n = 0; n < NODES; n++) {
        assert_int_equal(fm_forest_add_node(&forest), n);
        naive.parent[n] = FM_FOREST_NONE;
    }
    bool was_deep = false;
    for (int i = 0; i < 20000; i++) {
        uint32_t node = (uint32_t)(next_random(&state) % NODES);
        uint32_t kind = (uint32_t)(next_random(&state) % KINDS);
        uint32_t other = next_random(&state) % 10 < high ? (node + NODES - 1) % NODES
                                                         : (uint32_t)(next_random(&state) % NODES);
        bool is_root = naive.parent[node] == FM_FOREST_NONE;
        assert_int_equal(fm_forest_parent(&forest, node), naive.parent[node]);
        if (next_random(&state) % 4 == 0) {
            uint64_t change = next_random(&state) % 5 - 2;
            fm_forest_count(&forest, node, kind, change);
            naive.counts[node][kind] += change;
        } else if (is_root && naive_root(&naive, other) != node) {
            fm_forest_link(&forest, node, other);
            naive.parent[node] = other;
        } else if (!is_root && next_random(&state) % (high > 5 ? 50 : 2) == 0) {
            fm_forest_cut(&forest, node);
            naive.parent[node] = FM_FOREST_NONE;
            check_sums(&forest, &naive, node);
        }
        uint32_t root = naive_root(&naive, other);
        assert_int_equal(fm_forest_root(&forest, other), root);
        if (i % 16 == 0) {
            check_sums(&forest, &naive, root);
        }
        was_deep |= forest.is_deep;
    }
    assert_int_equal(was_deep, expect_deep);
    fm_forest_free(&forest);
}

static void test_low_trees(void **state)
{
    (void)state;
    check_random(1, 0, false);
}

static void test_high_trees(void **state)
{
    (void)state;
    check_random(2, 10, true);
    check_random(3, 9, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_low_trees),
        cmocka_unit_test(test_high_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
