/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/clock/time_map.h"

#include "base/memory.h"

struct fm_time_map *fm_time_maps_add(struct fm_time_maps *maps, uint32_t location_count)
{
    struct fm_time_map *added = fm_allocate(location_count, sizeof *added);
    maps->layers[maps->layer_count++] = added;
    maps->location_count = location_count;
    return added;
}

/* Moves the cursor to the last knot at or before a time; to the first one if there is none. Steps
 * that double make a far move logarithmic. */
static size_t seek(const struct fm_time_map *map, size_t at, uint64_t time)
{
    const struct fm_time_knot *knots = map->knots.items;
    size_t low = at, high = at, step = 1;
    if (knots[at].old > time) {
        while (low > 0 && knots[low].old > time) {
            high = low;
            low = low > step ? low - step : 0;
            step *= 2;
        }
    } else {
        high = at + 1;
        while (high < map->knots.count && knots[high].old <= time) {
            low = high;
            high += step;
            step *= 2;
        }
        high = high < map->knots.count ? high : map->knots.count;
    }
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (knots[middle].old <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static uint64_t map_time(const struct fm_time_map *map, size_t *cursor, uint64_t time)
{
    if (map->knots.count == 0) {
        return time;
    }
    *cursor = seek(map, *cursor, time);
    const struct fm_time_knot *knot = &map->knots.items[*cursor];
    if (time <= knot->old || *cursor + 1 == map->knots.count) {
        return knot->new + (time - knot->old); /* modulo 2^64: the shift may be negative */
    }
    const struct fm_time_knot *next = knot + 1;
    const unsigned __int128 share =
        (unsigned __int128)(time - knot->old) * (next->new - knot->new) / (next->old - knot->old);
    return knot->new + (uint64_t)share;
}

uint64_t fm_time_maps_at(const struct fm_time_maps *maps, uint32_t location,
                         struct fm_time_cursors *cursors, uint64_t time)
{
    for (unsigned i = 0; i < maps->layer_count; i++) {
        time = map_time(&maps->layers[i][location], &cursors->knot[i], time);
    }
    return time;
}

void fm_time_maps_free(struct fm_time_maps *maps)
{
    for (unsigned i = 0; i < maps->layer_count; i++) {
        for (uint32_t l = 0; l < maps->location_count; l++) {
            fm_vector_free(&maps->layers[i][l].knots);
        }
        fm_free(maps->layers[i]);
    }
    *maps = (struct fm_time_maps){.layer_count = 0};
}
