/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/tables/trace_internal.h"

/* A reference that exceeds the largest one by this much counts as scattered. */
#define LARGEST_GAP 1024

_Static_assert(FM_MAP_ABSENT == FM_NONE, "a reference that a map does not contain is undefined");

void fm_references_define(struct fm_references *references, uint64_t reference, uint32_t index)
{
    if (reference >= references->index.count + LARGEST_GAP) {
        *fm_map_at(&references->scattered, reference, index) = index;
        return;
    }
    while (references->index.count <= reference) {
        fm_vector_push(&references->index, FM_NONE);
    }
    references->index.items[reference] = index;
}

void fm_references_redirect(struct fm_references *references, const uint32_t *new_index)
{
    for (size_t i = 0; i < references->index.count; ++i) {
        if (references->index.items[i] != FM_NONE) {
            references->index.items[i] = new_index[references->index.items[i]];
        }
    }
    for (size_t i = 0; references->scattered.count != 0 && i <= references->scattered.mask; ++i) {
        struct fm_map_slot *slot = &references->scattered.slots[i];
        if (slot->value != FM_MAP_ABSENT) {
            slot->value = new_index[slot->value];
        }
    }
}

void fm_references_free(struct fm_references *references)
{
    fm_vector_free(&references->index);
    fm_map_free(&references->scattered);
}
