/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/containers/map.h"

#include "base/memory.h"

#include <string.h>

static void resize(struct fm_map *map, size_t slot_count)
{
    struct fm_map old = *map;
    map->slots = fm_resize(NULL, 0, slot_count * sizeof *map->slots);
    memset(map->slots, 0xff, slot_count * sizeof *map->slots);
    map->mask = slot_count - 1;
    map->shift = 64 - (unsigned)__builtin_ctzll(slot_count);
    for (size_t i = 0; old.slots != NULL && i <= old.mask; ++i) {
        if (old.slots[i].value != FM_MAP_ABSENT) {
            map->slots[fm_map_find(map, old.slots[i].key)] = old.slots[i];
        }
    }
    fm_free(old.slots);
}

uint32_t *fm_map_insert(struct fm_map *map, uint64_t key, uint32_t value)
{
    if (map->slots == NULL) {
        resize(map, 16);
    } else if ((map->count + 1) * 3 > map->mask * 2) {
        resize(map, (map->mask + 1) * 2);
    }
    size_t i = fm_map_find(map, key);
    map->slots[i] = (struct fm_map_slot){key, value};
    ++map->count;
    return &map->slots[i].value;
}

uint32_t fm_map_take(struct fm_map *map, uint64_t key)
{
    if (map->count == 0) {
        return FM_MAP_ABSENT;
    }
    size_t hole = fm_map_find(map, key);
    uint32_t value = map->slots[hole].value;
    if (value == FM_MAP_ABSENT) {
        return value;
    }
    --map->count;
    /* Close the gap so that no probe sequence is cut. */
    for (size_t i = (hole + 1) & map->mask; map->slots[i].value != FM_MAP_ABSENT;
         i = (i + 1) & map->mask) {
        size_t wanted = fm_map_home(map, map->slots[i].key);
        if (((i - wanted) & map->mask) >= ((i - hole) & map->mask)) {
            map->slots[hole] = map->slots[i];
            hole = i;
        }
    }
    map->slots[hole].value = FM_MAP_ABSENT;
    return value;
}

void fm_map_clear(struct fm_map *map)
{
    if (map->count != 0) {
        memset(map->slots, 0xff, (map->mask + 1) * sizeof *map->slots);
        map->count = 0;
    }
}

void fm_map_free(struct fm_map *map)
{
    fm_free(map->slots);
    *map = (struct fm_map){0};
}
