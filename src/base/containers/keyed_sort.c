/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/containers/keyed_sort.h"

#include "base/memory.h"

#include <stdbool.h>
#include <string.h>

#define DIGIT_BITS   8
#define DIGITS       (64 / DIGIT_BITS)
#define DIGIT_VALUES (1 << DIGIT_BITS)
#define FEW          48 /* from here on counting digits is cheaper than inserting */
#define MERGING      2  /* merging an element costs so much more than counting one of its digits */

static void insertion_sort(struct fm_keyed *items, size_t count)
{
    for (size_t i = 1; i < count; ++i) {
        struct fm_keyed moved = items[i];
        size_t hole = i;
        while (hole > 0 && items[hole - 1].key > moved.key) {
            items[hole] = items[hole - 1];
            --hole;
        }
        items[hole] = moved;
    }
}

static unsigned digit_of(uint64_t key, unsigned digit)
{
    return (unsigned)(key >> (digit * DIGIT_BITS)) & (DIGIT_VALUES - 1);
}

static size_t run_end(const struct fm_keyed *items, size_t begin, size_t count)
{
    size_t end = begin + 1;
    while (end < count && items[end - 1].key <= items[end].key) {
        ++end;
    }
    return end;
}

static void merge(const struct fm_keyed *left, size_t left_count, const struct fm_keyed *right,
                  size_t right_count, struct fm_keyed *to)
{
    while (left_count > 0 && right_count > 0) {
        const bool from_right = right->key < left->key;
        *to++ = from_right ? *right : *left;
        right += from_right;
        right_count -= from_right;
        left += !from_right;
        left_count -= !from_right;
    }
    memcpy(to, left, left_count * sizeof *to);
    memcpy(to + left_count, right, right_count * sizeof *to);
}

/* Merges neighbouring runs of ascending keys until there is one. */
static void merge_runs(struct fm_keyed *items, size_t count, struct fm_keyed *spare)
{
    struct fm_keyed *from = items, *to = spare;
    for (size_t middle; (middle = run_end(from, 0, count)) < count;) {
        for (size_t begin = 0; begin < count;) {
            size_t end = middle < count ? run_end(from, middle, count) : count;
            merge(from + begin, middle - begin, from + middle, end - middle, to + begin);
            begin = end;
            middle = begin < count ? run_end(from, begin, count) : count;
        }
        struct fm_keyed *other = from;
        from = to;
        to = other;
    }
    if (from != items) {
        memcpy(items, from, count * sizeof *items);
    }
}

static unsigned digits_of(uint64_t range)
{
    unsigned digits = 0;
    for (; range != 0; range >>= DIGIT_BITS) {
        ++digits;
    }
    return digits;
}

/* @return whether merging takes less time than going through all digits, each of which costs
 * something even for few elements */
static bool merging_pays(size_t count, size_t runs, unsigned digits)
{
    unsigned passes = 0;
    while ((size_t)1 << passes < runs) {
        ++passes;
    }
    return passes * MERGING * count <= digits * (count + DIGIT_VALUES / 2);
}

/* Sorts from the lowest digit to the highest; digits in which all keys agree are left out. */
static void radix_sort(struct fm_keyed *items, size_t count, struct fm_keyed *spare, uint64_t least,
                       unsigned digits)
{
    size_t begin[DIGITS][DIGIT_VALUES];
    memset(begin, 0, digits * sizeof begin[0]);
    for (size_t i = 0; i < count; ++i) {
        uint64_t key = items[i].key - least;
        for (unsigned d = 0; d < digits; ++d) {
            ++begin[d][digit_of(key, d)];
        }
    }
    struct fm_keyed *from = items, *to = spare;
    for (unsigned d = 0; d < digits; ++d) {
        if (begin[d][digit_of(from[0].key - least, d)] == count) {
            continue;
        }
        size_t next = 0;
        for (unsigned v = 0; v < DIGIT_VALUES; ++v) {
            size_t here = begin[d][v];
            begin[d][v] = next;
            next += here;
        }
        for (size_t i = 0; i < count; ++i) {
            to[begin[d][digit_of(from[i].key - least, d)]++] = from[i];
        }
        struct fm_keyed *other = from;
        from = to;
        to = other;
    }
    if (from != items) {
        memcpy(items, from, count * sizeof *items);
    }
}

void fm_keyed_sort(struct fm_keyed *items, size_t count, struct fm_keyed *spare)
{
    if (count < 2) {
        return;
    }
    uint64_t least = items[0].key, largest = items[0].key;
    size_t runs = 1;
    for (size_t i = 1; i < count; ++i) {
        runs += items[i - 1].key > items[i].key;
        least = items[i].key < least ? items[i].key : least;
        largest = items[i].key > largest ? items[i].key : largest;
    }
    if (runs == 1) {
        return;
    }
    if (count < FEW) {
        insertion_sort(items, count);
        return;
    }
    struct fm_keyed *own = spare == NULL ? fm_resize(NULL, 0, count * sizeof *own) : NULL;
    spare = spare == NULL ? own : spare;
    unsigned digits = digits_of(largest - least);
    if (merging_pays(count, runs, digits)) {
        merge_runs(items, count, spare);
    } else {
        radix_sort(items, count, spare, least, digits);
    }
    fm_free(own);
}

void fm_sort_by_three(void *records, size_t count, size_t size)
{
    if (count < 2) {
        return;
    }
    unsigned char *bytes = records;
    struct fm_keyed *order = fm_resize(NULL, 0, count * sizeof *order);
    uint32_t numbers[3];
    for (size_t i = 0; i < count; ++i) {
        memcpy(numbers, bytes + i * size, sizeof numbers);
        order[i] = (struct fm_keyed){(uint64_t)numbers[1] << 32 | numbers[2], (uint32_t)i};
    }
    fm_keyed_sort(order, count, NULL);
    for (size_t i = 0; i < count; ++i) {
        memcpy(numbers, bytes + order[i].value * size, sizeof numbers);
        order[i].key = numbers[0];
    }
    fm_keyed_sort(order, count, NULL);
    unsigned char *sorted = fm_resize(NULL, 0, count * size);
    for (size_t i = 0; i < count; ++i) {
        memcpy(sorted + i * size, bytes + order[i].value * size, size);
    }
    memcpy(records, sorted, count * size);
    fm_free(sorted);
    fm_free(order);
}
