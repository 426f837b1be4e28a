/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/archive/event_regions.h"

#include "record/archive/define.h"

#include <stdlib.h>
#include <string.h>

static uint32_t home(const struct fm_event_regions *regions, struct fm_event_region region)
{
    uint64_t key = (uint64_t)region.region << 32 | region.line;
    return (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) & regions->mask;
}

static bool grow(struct fm_event_regions *regions)
{
    uint32_t room = regions->room != 0 ? 2 * regions->room : 256;
    struct fm_event_region *items = realloc(regions->items, room * sizeof *items);
    uint32_t *index = calloc(2 * (size_t)room, sizeof *index);
    if (items != NULL) {
        regions->items = items;
    }
    if (items == NULL || index == NULL) {
        free(index);
        return false;
    }
    free(regions->index);
    regions->index = index;
    regions->room = room;
    regions->mask = 2 * room - 1;
    for (uint32_t i = 0; i < regions->count; i++) {
        uint32_t place = home(regions, items[i]);
        while (index[place] != 0) {
            place = (place + 1) & regions->mask;
        }
        index[place] = i + 1;
    }
    return true;
}

uint32_t fm_event_region(struct fm_event_regions *regions, uint32_t region, uint32_t line)
{
    struct fm_event_region wanted = {region, line};
    if (!regions->with_lines) {
        return region;
    }
    if (regions->count == regions->room && !grow(regions)) {
        return FM_DEFINE_NONE;
    }
    uint32_t place = home(regions, wanted);
    for (; regions->index[place] != 0; place = (place + 1) & regions->mask) {
        const struct fm_event_region *item = &regions->items[regions->index[place] - 1];
        if (item->region == region && item->line == line) {
            return regions->index[place] - 1;
        }
    }
    regions->items[regions->count] = wanted;
    regions->index[place] = ++regions->count;
    return regions->count - 1;
}

void fm_event_regions_free(struct fm_event_regions *regions)
{
    free(regions->items);
    free(regions->index);
    memset(regions, 0, sizeof *regions);
}
