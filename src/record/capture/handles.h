/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Map from handles of a paradigm's library to the recorder's data about the object. The library
 * reuses handles: an entry is removed from the map before the library can assign its handle to
 * another object. Thread-safe.
 */
#ifndef FERMATA_RECORD_CAPTURE_HANDLES_H
#define FERMATA_RECORD_CAPTURE_HANDLES_H

#include "record/capture/lock.h"
#include "record/capture/thread.h"

#include <stdatomic.h>
#include <stdint.h>

/** The map: open addressing, with a lock for look-ups that miss the thread's cache and for changes.
 */
struct fm_handle_map {
    fm_lock_t lock;
    _Atomic uint64_t generation; /**< counts changes; older cache entries are invalid */
    struct fm_handle_slot {
        uint64_t handle;
        void *object; /**< NULL: free */
    } * slots;
    size_t capacity; /**< power of two */
    size_t count;
    int cache; /**< which cache of the threads it uses */
};

#define FM_HANDLE_MAP(cache_number)                                                                \
    {                                                                                              \
        .lock = FM_LOCK_FREE, .generation = 1, .cache = (cache_number)                             \
    }

/** Enters an object (not NULL) for a handle, replacing an older one. Amortized O(1). */
FM_API void fm_handles_insert(struct fm_handle_map *map, uint64_t handle, void *object);

/** Removes the handle's entry. @return its object or NULL */
FM_API void *fm_handles_remove(struct fm_handle_map *map, uint64_t handle);

/** Look-up that bypasses the cache. @return the object or NULL */
FM_API FM_COLD void *fm_handles_search(struct fm_handle_map *map, struct fm_thread *thread,
                                       uint64_t handle);

static inline uint64_t fm_handle_hash(uint64_t handle)
{
    uint64_t hash = handle * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 32);
}

/** The object of a handle, or NULL. O(1), without lock if the thread used the handle recently.
 * @param cache  `cache` of the map */
static inline void *fm_handles_find_in(struct fm_handle_map *map, int cache,
                                       struct fm_thread *thread, uint64_t handle)
{
    struct fm_cache_entry *entry = &thread->cache[cache][(handle ^ (handle >> 8)) % FM_CACHE_SIZE];
    if (FM_LIKELY(entry->handle == handle &&
                  entry->generation ==
                      atomic_load_explicit(&map->generation, memory_order_acquire))) {
        return entry->object;
    }
    return fm_handles_search(map, thread, handle);
}

/** The same for maps whose cache number is not a compile-time constant. */
static inline void *fm_handles_find(struct fm_handle_map *map, struct fm_thread *thread,
                                    uint64_t handle)
{
    return fm_handles_find_in(map, map->cache, thread, handle);
}

#endif
