/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A binary heap of numbered elements: the one with the least key first, of equal ones that with the
 * least value. `struct fm_heap heap = {0};` is an empty one. Not thread-safe.
 */
#ifndef FERMATA_BASE_CONTAINERS_HEAP_H
#define FERMATA_BASE_CONTAINERS_HEAP_H

#include "base/containers/keyed_sort.h"
#include "base/containers/vector.h"

#include <stdbool.h>

/** Its first element is items[0]. */
struct fm_heap {
    FM_VECTOR(struct fm_keyed) of;
};

/** Frees the elements; the heap is empty afterwards. */
static inline void fm_heap_free(struct fm_heap *heap)
{
    fm_vector_free(&heap->of);
}

static inline bool fm_heap_precedes(const struct fm_keyed *a, const struct fm_keyed *b)
{
    return a->key != b->key ? a->key < b->key : a->value < b->value;
}

/** Adds an element. O(log n) */
static inline void fm_heap_push(struct fm_heap *heap, uint64_t key, uint32_t value)
{
    const struct fm_keyed added = {key, value};
    fm_vector_push(&heap->of, added);
    struct fm_keyed *items = heap->of.items;
    size_t at = heap->of.count - 1;
    for (; at > 0 && fm_heap_precedes(&added, &items[(at - 1) / 2]); at = (at - 1) / 2) {
        items[at] = items[(at - 1) / 2];
    }
    items[at] = added;
}

/** Removes the first element of a heap that has one. O(log n) @return it */
static inline struct fm_keyed fm_heap_pop(struct fm_heap *heap)
{
    struct fm_keyed *items = heap->of.items;
    const struct fm_keyed first = items[0], last = items[--heap->of.count];
    size_t at = 0;
    for (size_t child = 1; child < heap->of.count; child = 2 * at + 1) {
        child += child + 1 < heap->of.count && fm_heap_precedes(&items[child + 1], &items[child]);
        if (!fm_heap_precedes(&items[child], &last)) {
            break;
        }
        items[at] = items[child];
        at = child;
    }
    if (heap->of.count != 0) {
        items[at] = last;
    }
    return first;
}

#endif
