/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/containers/vector.h"

#include <string.h>

void *fm_vector_grow(void *items, size_t *capacity, size_t needed, size_t element_size)
{
    size_t grown = *capacity + *capacity / 2 + 8;
    if (grown < needed) {
        grown = needed;
    }
    items = fm_resize(items, *capacity * element_size, grown * element_size);
    *capacity = grown;
    return items;
}

void *fm_vector_copy(const void *items, size_t bytes)
{
    return bytes == 0 ? NULL : memcpy(fm_resize(NULL, 0, bytes), items, bytes);
}
