/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Searching ascending lists. */
#ifndef FERMATA_BASE_CONTAINERS_SEARCH_H
#define FERMATA_BASE_CONTAINERS_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/** @return how many elements of an ascending list have a key below `value`
 * @param first   key of the first element; not read if there is none
 * @param stride  bytes from one element to the next. */
static inline size_t fm_count_below(const uint64_t *first, size_t count, size_t stride,
                                    uint64_t value)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (*(const uint64_t *)((const char *)first + middle * stride) < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/** As fm_count_below(), of keys of 32 bits. */
static inline size_t fm_count_below_32(const uint32_t *first, size_t count, size_t stride,
                                       uint32_t value)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (*(const uint32_t *)((const char *)first + middle * stride) < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

#endif
