/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements of a sorted list, found without sorting it. */
#include "check.h"

#include "analysis/results/order_statistics.h"
#include "base/containers/sort.h"

#include <string.h>

static int compare(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

#define WORKERS 3

struct test {
    struct fm_engine *engine;
};

static int set_up(void **state)
{
    static struct test test;
    const uint64_t weights[WORKERS] = {1, 1, 1};
    test.engine = fm_engine_create(NULL, WORKERS, WORKERS, weights);
    *state = &test;
    return test.engine == NULL;
}

static int tear_down(void **state)
{
    struct test *test = *state;
    fm_engine_free(test->engine);
    return 0;
}

/* Gives the workers parts of the values, of different lengths: the first one may have none. */
static void divide(uint64_t *values, size_t count, struct fm_order_part parts[WORKERS])
{
    size_t first = count / 5, second = count / 2;
    parts[0] = (struct fm_order_part){values, first};
    parts[1] = (struct fm_order_part){values + first, second - first};
    parts[2] = (struct fm_order_part){values + second, count - second};
}

/* Asks for the same elements as the sorted list has. */
static void check_list(struct fm_engine *engine, const uint64_t *values, size_t count)
{
    uint64_t *sorted = fm_allocate(count, sizeof *sorted);
    uint64_t *given = fm_allocate(count, sizeof *given);
    memcpy(sorted, values, count * sizeof *sorted);
    memcpy(given, values, count * sizeof *given);
    fm_sort(sorted, count, sizeof *sorted, compare);
    struct fm_order_part given_parts[WORKERS], sorted_parts[WORKERS];
    divide(given, count, given_parts);
    divide(sorted, count, sorted_parts);
    struct fm_order orders[2] = {
        {given_parts, {0, (count - 1) / 4, (count - 1) / 2, (count - 1) * 3 / 4}, {0}},
        {sorted_parts, {count - 1, count - 1, count - 1, count - 1}, {0}},
    };
    uint64_t expected[4];
    for (unsigned i = 0; i < 4; ++i) {
        expected[i] = sorted[orders[0].positions[i]];
    }
    uint64_t largest = sorted[count - 1];
    fm_order_statistics(engine, orders, 2);
    for (unsigned i = 0; i < 4; ++i) {
        assert_true(orders[0].elements[i] == expected[i]);
        assert_true(orders[1].elements[i] == largest);
    }
    fm_free(sorted);
    fm_free(given);
}

static void test_elements_are_those_of_the_sorted_list(void **state)
{
    const struct test *test = *state;
    uint64_t seed = 1, values[700];
    for (unsigned turn = 0; turn < 300; ++turn) {
        size_t count = 1 + next_random(&seed) % (sizeof values / sizeof *values);
        /* Few different ones, neighbours, and any. */
        unsigned bits = (unsigned)(next_random(&seed) % 64);
        uint64_t base = next_random(&seed) % 2 == 0 ? 0 : next_random(&seed) << 12;
        for (size_t i = 0; i < count; ++i) {
            values[i] = base + (next_random(&seed) & ((UINT64_C(1) << bits) - 1));
        }
        check_list(test->engine, values, count);
    }
}

static void test_extremes(void **state)
{
    const struct test *test = *state;
    const uint64_t values[] = {UINT64_MAX, 0, UINT64_MAX - 1, 1, UINT64_MAX, 0, 256, 255};
    check_list(test->engine, values, sizeof values / sizeof *values);
    check_list(test->engine, (const uint64_t[]){0, 0, 0}, 3);
    check_list(test->engine, (const uint64_t[]){7}, 1);
}

static void test_no_list(void **state)
{
    const struct test *test = *state;
    fm_order_statistics(test->engine, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements_are_those_of_the_sorted_list),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_no_list),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
