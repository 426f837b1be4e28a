/* Elements of a sorted list, found without sorting it. */
#include "check.h"

#include "analysis/order_statistics.h"
#include "base/sort.h"

#include <string.h>

static int compare(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

/* Asks for the same elements as the sorted list has. */
static void check_list(const uint64_t *values, size_t count)
{
    uint64_t *sorted = fm_allocate(count, sizeof *sorted);
    uint64_t *given = fm_allocate(count, sizeof *given);
    memcpy(sorted, values, count * sizeof *sorted);
    memcpy(given, values, count * sizeof *given);
    fm_sort(sorted, count, sizeof *sorted, compare);
    struct fm_order orders[2] = {
        {given, count, {0, (count - 1) / 4, (count - 1) / 2, (count - 1) * 3 / 4}, {0}},
        {sorted, count, {count - 1, count - 1, count - 1, count - 1}, {0}},
    };
    uint64_t expected[4];
    for (unsigned i = 0; i < 4; ++i) {
        expected[i] = sorted[orders[0].positions[i]];
    }
    uint64_t largest = sorted[count - 1];
    fm_order_statistics(NULL, orders, 2);
    for (unsigned i = 0; i < 4; ++i) {
        assert_true(orders[0].elements[i] == expected[i]);
        assert_true(orders[1].elements[i] == largest);
    }
    fm_free(sorted);
    fm_free(given);
}

static void test_elements_are_those_of_the_sorted_list(void **state)
{
    (void)state;
    uint64_t seed = 1, values[700];
    for (unsigned turn = 0; turn < 300; ++turn) {
        size_t count = 1 + next_random(&seed) % (sizeof values / sizeof *values);
        /* Few different ones, neighbours, and any. */
        unsigned bits = (unsigned)(next_random(&seed) % 64);
        uint64_t base = next_random(&seed) % 2 == 0 ? 0 : next_random(&seed) << 12;
        for (size_t i = 0; i < count; ++i) {
            values[i] = base + (next_random(&seed) & ((UINT64_C(1) << bits) - 1));
        }
        check_list(values, count);
    }
}

static void test_extremes(void **state)
{
    (void)state;
    const uint64_t values[] = {UINT64_MAX, 0, UINT64_MAX - 1, 1, UINT64_MAX, 0, 256, 255};
    check_list(values, sizeof values / sizeof *values);
    check_list((const uint64_t[]){0, 0, 0}, 3);
    check_list((const uint64_t[]){7}, 1);
}

static void test_no_list(void **state)
{
    (void)state;
    fm_order_statistics(NULL, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements_are_those_of_the_sorted_list),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_no_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
