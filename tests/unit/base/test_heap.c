/* SPDX-License-Identifier: BSD-3-Clause */
/* The heap against a search for the least of all elements that it holds. */
#include "check.h"

#include "base/containers/heap.h"

#define ELEMENTS 500

/* Takes the first element and compares it with the least one that is left. */
static void take(struct fm_heap *heap, const uint64_t *keys, bool *holds, uint32_t count)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        if (holds[i] && (least == UINT32_MAX || keys[i] < keys[least])) {
            least = i;
        }
    }
    const struct fm_keyed first = fm_heap_pop(heap);
    assert_int_equal(first.value, least);
    assert_int_equal(first.key, keys[least]);
    holds[least] = false;
}

static void test_order(void **state)
{
    (void)state;
    struct fm_heap heap = {0};
    uint64_t keys[ELEMENTS];
    bool holds[ELEMENTS] = {false};
    uint64_t random = 1;
    size_t left = 0;
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407U;
        keys[i] = i % 7 == 0 ? UINT64_MAX : random >> 57; /* many are equal */
        fm_heap_push(&heap, keys[i], i);
        holds[i] = true;
        left++;
        if (i % 3 == 2) {
            take(&heap, keys, holds, i + 1);
            left--;
        }
        assert_int_equal(heap.of.count, left);
    }
    while (left-- > 0) {
        take(&heap, keys, holds, ELEMENTS);
    }
    assert_int_equal(heap.of.count, 0);
    fm_heap_free(&heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
