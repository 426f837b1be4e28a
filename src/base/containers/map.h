/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Hash map from a 64-bit key to a 32-bit value: open addressing, deletion without tombstones.
 * `struct fm_map m = {0};` is an empty one. Not thread-safe.
 */
#ifndef FERMATA_BASE_CONTAINERS_MAP_H
#define FERMATA_BASE_CONTAINERS_MAP_H

#include <stddef.h>
#include <stdint.h>

#define FM_MAP_ABSENT UINT32_MAX

struct fm_map_slot {
    uint64_t key;
    uint32_t value; /**< FM_MAP_ABSENT: the slot is free */
};

struct fm_map {
    struct fm_map_slot *slots;
    size_t count;
    size_t mask;    /**< number of slots - 1 */
    unsigned shift; /**< of a 64-bit hash, so that it becomes the number of a slot */
};

/** @return the slot at which the search for a key begins. The map must have slots. */
static inline size_t fm_map_home(const struct fm_map *map, uint64_t key)
{
    return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> map->shift);
}

/** @return the slot of a key, or the free one where it belongs. The map must have slots. */
static inline size_t fm_map_find(const struct fm_map *map, uint64_t key)
{
    size_t i = fm_map_home(map, key);
    while (map->slots[i].value != FM_MAP_ABSENT && map->slots[i].key != key) {
        i = (i + 1) & map->mask;
    }
    return i;
}

/** @return the value of `key`, or FM_MAP_ABSENT. */
static inline uint32_t fm_map_get(const struct fm_map *map, uint64_t key)
{
    return map->count == 0 ? FM_MAP_ABSENT : map->slots[fm_map_find(map, key)].value;
}

/** Adds a key that the map does not hold. @return where its value is kept */
uint32_t *fm_map_insert(struct fm_map *map, uint64_t key, uint32_t value);

/** @return where the value of `key` is kept; a new key starts as `initial` (which must not be
 * FM_MAP_ABSENT). Valid until the next change of the map. */
static inline uint32_t *fm_map_at(struct fm_map *map, uint64_t key, uint32_t initial)
{
    if (map->count != 0) {
        size_t i = fm_map_find(map, key);
        if (map->slots[i].value != FM_MAP_ABSENT) {
            return &map->slots[i].value;
        }
    }
    return fm_map_insert(map, key, initial);
}

/** Removes a key. @return its value, or FM_MAP_ABSENT. */
uint32_t fm_map_take(struct fm_map *map, uint64_t key);

/** Removes all keys and keeps the memory. */
void fm_map_clear(struct fm_map *map);

/** Frees the memory; the map is empty afterwards. */
void fm_map_free(struct fm_map *map);

/** @return a well mixed hash of a 64-bit value. */
static inline uint64_t fm_hash(uint64_t value)
{
    value ^= value >> 32;
    value *= UINT64_C(0xd6e8feb86659fd93);
    value ^= value >> 32;
    value *= UINT64_C(0xd6e8feb86659fd93);
    return value ^ (value >> 32);
}

#endif
