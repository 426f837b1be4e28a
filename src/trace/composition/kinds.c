/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/composition/kinds.h"

#include "base/containers/map.h"
#include "trace/composition/pools.h"

static uint32_t depth_of(const struct fm_location *location, uint32_t visit)
{
    uint32_t depth = 0;
    for (; visit != FM_NONE; visit = location->profile.items[visit].parent) {
        depth++;
    }
    return depth;
}

static uint32_t common_caller(const struct fm_location *location, uint32_t from, uint32_t to)
{
    uint32_t depth = depth_of(location, from), other = depth_of(location, to);
    for (; depth > other; depth--) {
        from = location->profile.items[from].parent;
    }
    for (; other > depth; other--) {
        to = location->profile.items[to].parent;
    }
    while (from != to) {
        from = location->profile.items[from].parent;
        to = location->profile.items[to].parent;
    }
    return from;
}

struct fm_kinds fm_kinds_of(const struct fm_location *location,
                            const struct fm_stretches *stretches)
{
    const size_t count = stretches->items.count;
    struct fm_kinds kinds = {.of = fm_allocate(count, sizeof *kinds.of),
                             .order = fm_allocate(count, sizeof *kinds.order)};
    struct fm_map numbers = {0};
    for (size_t i = 0; i < count; i++) {
        const struct fm_stretch *stretch = &stretches->items.items[i];
        const uint32_t next = (uint32_t)kinds.items.count;
        kinds.of[i] = *fm_map_at(&numbers, stretch->kind, next);
        if (kinds.of[i] == next) {
            fm_vector_push(
                &kinds.items,
                (struct fm_kind){.caller = common_caller(location, stretch->from, stretch->to)});
        }
        kinds.items.items[kinds.of[i]].count++;
        kinds.items.items[kinds.of[i]].samples += stretch->sample_count;
    }
    fm_map_free(&numbers);
    uint32_t first = 0;
    for (size_t k = 0; k < kinds.items.count; k++) {
        struct fm_kind *kind = &kinds.items.items[k];
        kind->first = first;
        first += kind->count;
        kind->count = 0;
    }
    for (size_t i = 0; i < count; i++) {
        struct fm_kind *kind = &kinds.items.items[kinds.of[i]];
        kinds.order[kind->first + kind->count++] = (uint32_t)i;
    }
    return kinds;
}

void fm_kinds_free(struct fm_kinds *kinds)
{
    fm_vector_free(&kinds->items);
    fm_free(kinds->of);
    fm_free(kinds->order);
}

uint32_t fm_kind_block(const struct fm_kinds *kinds, const struct fm_stretches *stretches,
                       const struct fm_kind *kind, uint32_t first)
{
    uint64_t samples = 0, left = 0;
    uint32_t end = first;
    for (uint32_t i = first; i < kind->count; i++) {
        samples += stretches->items.items[kinds->order[kind->first + i]].sample_count;
        if (samples >= FM_BLOCK_SAMPLES) {
            end = i + 1;
            break;
        }
    }
    for (uint32_t i = end; i < kind->count && left < FM_BLOCK_SAMPLES; i++) {
        left += stretches->items.items[kinds->order[kind->first + i]].sample_count;
    }
    return end == first || left < FM_BLOCK_SAMPLES ? kind->count - first : end - first;
}
