/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/capture/handles.h"

#include <stdlib.h>

static size_t place_of(const struct fm_handle_map *map, uint64_t handle)
{
    size_t i = fm_handle_hash(handle) & (map->capacity - 1);
    while (map->slots[i].object != NULL && map->slots[i].handle != handle) {
        i = (i + 1) & (map->capacity - 1);
    }
    return i;
}

static bool grow(struct fm_handle_map *map)
{
    struct fm_handle_map larger = {.capacity = map->capacity != 0 ? 2 * map->capacity : 64};
    larger.slots = calloc(larger.capacity, sizeof *larger.slots);
    if (larger.slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->slots[i].object != NULL) {
            larger.slots[place_of(&larger, map->slots[i].handle)] = map->slots[i];
        }
    }
    free(map->slots);
    map->slots = larger.slots;
    map->capacity = larger.capacity;
    return true;
}

void fm_handles_insert(struct fm_handle_map *map, uint64_t handle, void *object)
{
    fm_lock(&map->lock);
    if (2 * (map->count + 1) <= map->capacity || grow(map)) {
        struct fm_handle_slot *slot = &map->slots[place_of(map, handle)];
        if (slot->object == NULL) {
            map->count++;
        }
        *slot = (struct fm_handle_slot){handle, object};
    }
    /* Caches may contain a look-up that found nothing. */
    atomic_fetch_add_explicit(&map->generation, 1, memory_order_release);
    fm_unlock(&map->lock);
}

void *fm_handles_remove(struct fm_handle_map *map, uint64_t handle)
{
    void *object = NULL;
    fm_lock(&map->lock);
    if (map->capacity != 0) {
        size_t hole = place_of(map, handle);
        object = map->slots[hole].object;
        if (object != NULL) {
            map->count--;
            /* Later entries of the cluster move back, so that no search stops at the hole. */
            size_t mask = map->capacity - 1;
            for (size_t i = (hole + 1) & mask; map->slots[i].object != NULL; i = (i + 1) & mask) {
                size_t home = fm_handle_hash(map->slots[i].handle) & mask;
                if (((i - home) & mask) >= ((i - hole) & mask)) {
                    map->slots[hole] = map->slots[i];
                    hole = i;
                }
            }
            map->slots[hole].object = NULL;
        }
    }
    atomic_fetch_add_explicit(&map->generation, 1, memory_order_release);
    fm_unlock(&map->lock);
    return object;
}

void *fm_handles_search(struct fm_handle_map *map, struct fm_thread *thread, uint64_t handle)
{
    fm_lock(&map->lock);
    void *object = map->capacity != 0 ? map->slots[place_of(map, handle)].object : NULL;
    uint64_t generation = atomic_load_explicit(&map->generation, memory_order_relaxed);
    fm_unlock(&map->lock);
    thread->cache[map->cache][(handle ^ (handle >> 8)) % FM_CACHE_SIZE] =
        (struct fm_cache_entry){handle, generation, object};
    return object;
}
