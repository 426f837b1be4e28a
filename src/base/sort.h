/** @file
 * qsort() that may be given no array at all, as an empty vector is. */
#ifndef FERMATA_BASE_SORT_H
#define FERMATA_BASE_SORT_H

#include <stdlib.h>

/** Sorts `count` elements of `size` bytes; `items` may be NULL if there are none. */
static inline void fm_sort(void *items, size_t count, size_t size,
                           int (*compare)(const void *, const void *))
{
    if (count > 1) {
        qsort(items, count, size, compare);
    }
}

#endif
