/* SPDX-License-Identifier: BSD-3-Clause */
/* Wait-for graphs: which nodes become free, and cycles of those that do not. */
#include "check.h"

#include "analysis/hang/wait_graph.h"

#include <string.h>

enum { MOST = 9 };

/* Adds nodes: 'a' needs all of its inputs, 'o' any. */
static void make(struct fm_wait_graph *graph, const char *kinds)
{
    for (; *kinds != '\0'; kinds++) {
        fm_wait_graph_add(graph, *kinds == 'o');
    }
}

static void check_cycle(const struct fm_wait_graph *graph, uint32_t count, const uint32_t *nodes,
                        size_t length)
{
    fm_wait_cycle cycle = {0};
    fm_wait_graph_cycle(graph, count, &cycle);
    assert_int_equal(cycle.count, length);
    for (size_t i = 0; i < length; i++) {
        assert_int_equal(cycle.items[i], nodes[i]);
    }
    fm_vector_free(&cycle);
}

static void all_and_any(void **state)
{
    (void)state;
    struct fm_wait_graph graph = {0};
    make(&graph, "aaoao"); /* 1 waits for 0 and 3, 2 for 0 or 3, 3 for itself; 4 for nothing */
    fm_wait_graph_link(&graph, 1, 0);
    fm_wait_graph_link(&graph, 1, 3);
    fm_wait_graph_link(&graph, 2, 3);
    fm_wait_graph_link(&graph, 2, 0);
    fm_wait_graph_link(&graph, 3, 3);
    fm_wait_graph_solve(&graph);
    assert_true(fm_wait_graph_is_free(&graph, 0));
    assert_false(fm_wait_graph_is_free(&graph, 1));
    assert_true(fm_wait_graph_is_free(&graph, 2));
    assert_false(fm_wait_graph_is_free(&graph, 3));
    assert_false(fm_wait_graph_is_free(&graph, 4));
    check_cycle(&graph, 5, (uint32_t[]){3}, 1);
    fm_wait_graph_free(&graph);
}

static void released(void **state)
{
    (void)state;
    struct fm_wait_graph graph = {0};
    make(&graph, "aa");
    fm_wait_graph_link(&graph, 0, 1);
    fm_wait_graph_link(&graph, 1, 0);
    fm_wait_graph_release(&graph, 1);
    fm_wait_graph_solve(&graph);
    assert_true(fm_wait_graph_is_free(&graph, 0));
    check_cycle(&graph, 2, NULL, 0);
    fm_wait_graph_free(&graph);
}

/* 0 -> 3 (not shown) -> 1 -> 0, and a longer way 1 -> 2 -> 0. */
static void shortest_cycle(void **state)
{
    (void)state;
    struct fm_wait_graph graph = {0};
    make(&graph, "aaaa");
    fm_wait_graph_link(&graph, 0, 3);
    fm_wait_graph_link(&graph, 3, 1);
    fm_wait_graph_link(&graph, 1, 2);
    fm_wait_graph_link(&graph, 1, 0);
    fm_wait_graph_link(&graph, 2, 0);
    fm_wait_graph_solve(&graph);
    check_cycle(&graph, 3, (uint32_t[]){0, 1}, 2);
    fm_wait_graph_free(&graph);
}

/* ---- random graphs ---- */

struct drawn {
    uint32_t count;
    bool is_any[MOST], is_released[MOST], inputs[MOST][MOST];
};

static struct drawn draw(uint64_t *seed)
{
    struct drawn drawn = {.count = 1 + (uint32_t)(next_random(seed) % MOST)};
    for (uint32_t n = 0; n < drawn.count; n++) {
        drawn.is_any[n] = next_random(seed) % 2;
        drawn.is_released[n] = next_random(seed) % 8 == 0;
        for (uint32_t i = 0; i < drawn.count; i++) {
            drawn.inputs[n][i] = next_random(seed) % 4 == 0;
        }
    }
    return drawn;
}

/* The least fixed point, by its definition. */
static void solve_slowly(const struct drawn *drawn, bool is_free[MOST])
{
    memset(is_free, 0, MOST * sizeof *is_free);
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t n = 0; n < drawn->count; n++) {
            bool all = true, any = false;
            for (uint32_t i = 0; i < drawn->count; i++) {
                all &= !drawn->inputs[n][i] || is_free[i];
                any |= drawn->inputs[n][i] && is_free[i];
            }
            const bool now = drawn->is_released[n] || (drawn->is_any[n] ? any : all);
            changes |= now && !is_free[n];
            is_free[n] |= now;
        }
    }
}

/* Whether stuck nodes wait for each other in some circle: what leads nowhere is taken away. */
static bool has_cycle(const struct drawn *drawn, const bool is_free[MOST])
{
    bool gone[MOST];
    uint32_t left = 0;
    for (uint32_t n = 0; n < drawn->count; n++) {
        gone[n] = is_free[n];
    }
    for (uint32_t round = 0; round < drawn->count; round++) {
        left = 0;
        for (uint32_t n = 0; n < drawn->count; n++) {
            bool leads = false;
            for (uint32_t i = 0; i < drawn->count; i++) {
                leads |= drawn->inputs[n][i] && !gone[i];
            }
            gone[n] |= !leads;
            left += !gone[n];
        }
    }
    return left != 0;
}

static void random_graphs(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int round = 0; round < 20000; round++) {
        const struct drawn drawn = draw(&seed);
        struct fm_wait_graph graph = {0};
        fm_wait_cycle cycle = {0};
        bool is_free[MOST];
        for (uint32_t n = 0; n < drawn.count; n++) {
            fm_wait_graph_add(&graph, drawn.is_any[n]);
        }
        for (uint32_t n = 0; n < drawn.count; n++) {
            for (uint32_t i = 0; i < drawn.count; i++) {
                if (drawn.inputs[n][i]) {
                    fm_wait_graph_link(&graph, n, i);
                }
            }
            if (drawn.is_released[n]) {
                fm_wait_graph_release(&graph, n);
            }
        }
        fm_wait_graph_solve(&graph);
        solve_slowly(&drawn, is_free);
        for (uint32_t n = 0; n < drawn.count; n++) {
            assert_int_equal(fm_wait_graph_is_free(&graph, n), is_free[n]);
        }
        fm_wait_graph_cycle(&graph, drawn.count, &cycle);
        assert_int_equal(cycle.count != 0, has_cycle(&drawn, is_free));
        for (size_t i = 0; i < cycle.count; i++) {
            const uint32_t node = cycle.items[i], next = cycle.items[(i + 1) % cycle.count];
            assert_true(!is_free[node] && drawn.inputs[node][next]);
        }
        fm_vector_free(&cycle);
        fm_wait_graph_free(&graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_and_any), cmocka_unit_test(released),
                                       cmocka_unit_test(shortest_cycle),
                                       cmocka_unit_test(random_graphs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
