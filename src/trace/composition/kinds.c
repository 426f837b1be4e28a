/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/composition/kinds.h"

#include "trace/composition/pools.h"

static uint32_t depth_of(const struct fm_location *location, uint32_t visit)
{
    uint32_t depth = 0;
    for (; visit != FM_NONE; visit = location->profile.items[visit].parent) {
        depth++;
    }
    return depth;
}

uint32_t fm_common_caller(const struct fm_location *location, uint32_t from, uint32_t to)
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
    struct fm_kinds kinds = {.count = (uint32_t)stretches->ends.count};
    kinds.items = fm_allocate(kinds.count, sizeof *kinds.items);
    kinds.order = fm_allocate(count, sizeof *kinds.order);
    for (size_t i = 0; i < count; i++) {
        struct fm_kind *kind = &kinds.items[stretches->items.items[i].kind];
        kind->count++;
        kind->samples += stretches->items.items[i].sample_count;
    }
    uint32_t first = 0;
    for (uint32_t k = 0; k < kinds.count; k++) {
        struct fm_kind *kind = &kinds.items[k];
        kind->caller =
            fm_common_caller(location, stretches->ends.items[k].from, stretches->ends.items[k].to);
        kind->first = first;
        first += kind->count;
        kind->count = 0;
    }
    for (size_t i = 0; i < count; i++) {
        struct fm_kind *kind = &kinds.items[stretches->items.items[i].kind];
        kinds.order[kind->first + kind->count++] = (uint32_t)i;
    }
    return kinds;
}

void fm_kinds_free(struct fm_kinds *kinds)
{
    fm_free(kinds->items);
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
