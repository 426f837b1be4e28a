/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Growing arrays. `FM_VECTOR(type) v = {0};` is an empty one; its elements are v.items[0 ..
 * v.count).
 */
#ifndef FERMATA_BASE_CONTAINERS_VECTOR_H
#define FERMATA_BASE_CONTAINERS_VECTOR_H

#include "base/memory.h"

#define FM_VECTOR(type)                                                                            \
    struct {                                                                                       \
        type *items;                                                                               \
        size_t count, capacity;                                                                    \
    }

/** Makes room for `extra` more elements. */
#define fm_vector_reserve(vector, extra)                                                           \
    do {                                                                                           \
        if (__builtin_expect((vector)->capacity - (vector)->count < (size_t)(extra), 0)) {         \
            (vector)->items =                                                                      \
                fm_vector_grow((vector)->items, &(vector)->capacity,                               \
                               (vector)->count + (size_t)(extra), sizeof *(vector)->items);        \
        }                                                                                          \
    } while (0)

/** Appends an element. */
#define fm_vector_push(vector, ...)                                                                \
    do {                                                                                           \
        fm_vector_reserve(vector, 1);                                                              \
        (vector)->items[(vector)->count++] = (__VA_ARGS__);                                        \
    } while (0)

/** Gives unused room back. */
#define fm_vector_trim(vector)                                                                     \
    do {                                                                                           \
        (vector)->items = fm_resize((vector)->items, (vector)->capacity * sizeof *(vector)->items, \
                                    (vector)->count * sizeof *(vector)->items);                    \
        (vector)->capacity = (vector)->count;                                                      \
    } while (0)

/** Moves all elements to an empty vector that has no room for more; `vector` keeps its room. For
 * tables that are made one after the other: the vector then grows in memory that it already has. */
#define fm_vector_settle(vector, table)                                                            \
    do {                                                                                           \
        (void)sizeof((vector)->items == (table)->items);                                           \
        (table)->items =                                                                           \
            fm_vector_copy((vector)->items, (vector)->count * sizeof *(vector)->items);            \
        (table)->count = (table)->capacity = (vector)->count;                                      \
        (vector)->count = 0;                                                                       \
    } while (0)

/** Frees the elements; the vector is empty afterwards. */
#define fm_vector_free(vector)                                                                     \
    do {                                                                                           \
        fm_free((vector)->items);                                                                  \
        (vector)->items = NULL;                                                                    \
        (vector)->count = (vector)->capacity = 0;                                                  \
    } while (0)

/** @return the array, resized by half or more so that it holds `needed` elements. */
void *fm_vector_grow(void *items, size_t *capacity, size_t needed, size_t element_size);

/** @return a copy of an array; NULL if it has no bytes. */
void *fm_vector_copy(const void *items, size_t bytes);

#endif
