/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * qsort() that may be given no array at all, as an empty vector is, and that leaves a sorted one
 * alone, as most are that come from the records of a location. */
#ifndef FERMATA_BASE_CONTAINERS_SORT_H
#define FERMATA_BASE_CONTAINERS_SORT_H

#include <stdint.h>
#include <stdlib.h>

/** @return -1, 0, 1: the order of two numbers. */
static inline int fm_compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/** Sorts `count` elements of `size` bytes; `items` may be NULL if there are none. */
static inline void fm_sort(void *items, size_t count, size_t size,
                           int (*compare)(const void *, const void *))
{
    const char *last = items;
    for (size_t i = 1; i < count; ++i, last += size) {
        if (compare(last, last + size) > 0) {
            qsort(items, count, size, compare);
            return;
        }
    }
}

#endif
