/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorted, and those with equal keys in their old order: few and many, near and far keys. */
#include "check.h"

#include "base/containers/keyed_sort.h"
#include "base/memory.h"

static uint64_t mix(uint64_t value)
{
    value = (value ^ (value >> 31)) * UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ (value >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    return value ^ (value >> 32);
}

static void check(size_t count, uint64_t least, unsigned bits, struct fm_keyed *spare)
{
    struct fm_keyed *items = fm_allocate(count, sizeof *items);
    uint64_t sum = 0, sorted_sum = 0;
    for (size_t i = 0; i < count; ++i) {
        uint64_t key = bits == 0 ? 0 : mix(count * 1000003 + i) >> (64 - bits);
        items[i] = (struct fm_keyed){least + key, (uint32_t)i};
        sum += mix(items[i].key ^ mix(i));
    }
    fm_keyed_sort(items, count, spare);
    for (size_t i = 0; i < count; ++i) {
        sorted_sum += mix(items[i].key ^ mix(items[i].value));
        if (i > 0) {
            assert_true(items[i - 1].key <= items[i].key);
            assert_true(items[i - 1].key != items[i].key || items[i - 1].value < items[i].value);
        }
    }
    assert_true(sum == sorted_sum);
    fm_free(items);
}

static void all_kinds(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 3, 47, 48, 49, 300, 5000};
    static const unsigned bits[] = {0, 1, 3, 8, 9, 20, 40, 63, 64};
    struct fm_keyed *spare = fm_allocate(5000, sizeof *spare);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
        for (size_t b = 0; b < sizeof bits / sizeof *bits; ++b) {
            check(counts[c], 0, bits[b], spare);
            check(counts[c], 0, bits[b], NULL);
            check(counts[c], UINT64_C(123456789012345), bits[b] < 60 ? bits[b] : 60, spare);
        }
    }
    fm_free(spare);
}

static void apart_in_the_highest_digit(void **state)
{
    (void)state;
    struct fm_keyed items[100];
    for (uint32_t i = 0; i < 100; ++i) {
        items[i] = (struct fm_keyed){(uint64_t)(i % 2 == 0 ? 255 : 0) << 56, i};
    }
    fm_keyed_sort(items, 100, NULL);
    for (uint32_t i = 0; i < 100; ++i) {
        assert_int_equal(items[i].value, i < 50 ? 2 * i + 1 : 2 * (i - 50));
    }
}

/* As several locations send: ascending sequences one behind the other, equal keys among them. */
static void sequences(void **state)
{
    (void)state;
    static const uint32_t counts[] = {50, 64, 1000, 5000};
    static const uint32_t lengths[] = {1, 2, 3, 10, 100, 1700, 2500, 4999};
    struct fm_keyed *items = fm_allocate(5000, sizeof *items);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
        for (size_t s = 0; s < sizeof lengths / sizeof *lengths; ++s) {
            for (uint32_t i = 0; i < counts[c]; ++i) {
                items[i] = (struct fm_keyed){1000 + (uint64_t)(i % lengths[s]) / 2, i};
            }
            fm_keyed_sort(items, counts[c], NULL);
            for (uint32_t i = 0; i < counts[c]; ++i) {
                assert_int_equal(items[i].key, 1000 + items[i].value % lengths[s] / 2);
                if (i > 0) {
                    assert_true(
                        items[i - 1].key < items[i].key ||
                        (items[i - 1].key == items[i].key && items[i - 1].value < items[i].value));
                }
            }
        }
    }
    fm_free(items);
}

struct place {
    uint32_t numbers[3];
    uint64_t content;
};

static int compare_places(const struct place *a, const struct place *b)
{
    for (int i = 0; i < 3; ++i) {
        if (a->numbers[i] != b->numbers[i]) {
            return a->numbers[i] < b->numbers[i] ? -1 : 1;
        }
    }
    return 0;
}

static void by_three_numbers(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 60, 3000};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
        struct place *places = fm_allocate(counts[c], sizeof *places);
        for (size_t i = 0; i < counts[c]; ++i) {
            uint64_t random = mix(i + 1);
            places[i] = (struct place){{(uint32_t)(random % 5), (uint32_t)(random >> 20 & 3),
                                        random & 1 ? UINT32_MAX : (uint32_t)(random >> 40)},
                                       0};
            places[i].content = mix(places[i].numbers[0]) ^ mix(places[i].numbers[1] + 7) ^
                                mix(places[i].numbers[2] + 99);
        }
        fm_sort_by_three(places, counts[c], sizeof *places);
        for (size_t i = 0; i < counts[c]; ++i) {
            assert_true(i == 0 || compare_places(&places[i - 1], &places[i]) <= 0);
            assert_true(places[i].content ==
                        (mix(places[i].numbers[0]) ^ mix(places[i].numbers[1] + 7) ^
                         mix(places[i].numbers[2] + 99)));
        }
        fm_free(places);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds),
        cmocka_unit_test(apart_in_the_highest_digit),
        cmocka_unit_test(sequences),
        cmocka_unit_test(by_three_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
