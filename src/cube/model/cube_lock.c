/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/model/cube.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void fm_cube_free_locks(struct fm_cube *cube)
{
    for (uint32_t i = 0; i < cube->lock_count; i++) {
        free(cube->locks[i].name);
        free(cube->locks[i].queue);
    }
    free(cube->locks);
    cube->locks = NULL;
    cube->lock_count = cube->lock_capacity = 0;
}

/** @return whether the cube has the locations and call paths of a lock. */
static bool has_places(const struct fm_cube *cube, const struct fm_cube_lock *lock)
{
    bool known = true;
    for (uint32_t i = 0; i < lock->chain_count; i++)
        known = known && lock->chain[i] < cube->location_count;
    for (uint32_t i = 0; i < lock->holder_count; i++)
        known = known && lock->holders[i].location < cube->location_count;
    for (uint32_t i = 0; i < lock->victim_count; i++)
        known = known && lock->victims[i].location < cube->location_count;
    for (uint32_t i = 0; i < lock->held_in_count; i++)
        known = known && lock->held_in[i].callpath < cube->callpath_count;
    for (uint32_t i = 0; i < lock->waited_in_count; i++)
        known = known && lock->waited_in[i].callpath < cube->callpath_count;
    return known;
}

/** @return whether a lock without window may follow another lock. */
static bool may_follow(const struct fm_cube_lock *last, const struct fm_cube_lock *lock)
{
    return !fm_cube_lock_is_of_threads(last) ||
           (fm_cube_lock_is_of_threads(lock) && lock->target >= last->target);
}

static bool is_valid(const struct fm_cube *cube, const struct fm_cube_lock *lock)
{
    if (lock->chain_count > FM_CUBE_LOCK_CHAIN || lock->holder_count > FM_CUBE_LOCK_PARTIES ||
        lock->victim_count > FM_CUBE_LOCK_PARTIES || lock->held_in_count > FM_CUBE_LOCK_PLACES ||
        lock->waited_in_count > FM_CUBE_LOCK_PLACES || lock->end < lock->begin ||
        (lock->bin_count != 0 && lock->bin_count != FM_CUBE_LOCK_BINS) || !has_places(cube, lock) ||
        (lock->window == FM_CUBE_NONE && lock->name == NULL))
        return false;
    if (cube->lock_count == 0)
        return true;
    const struct fm_cube_lock *last = &cube->locks[cube->lock_count - 1];
    if (lock->window == FM_CUBE_NONE)
        return may_follow(last, lock);
    return lock->window != last->window ? lock->window > last->window : lock->target > last->target;
}

fm_status_t fm_cube_add_lock(struct fm_cube *cube, const struct fm_cube_lock *lock,
                             struct fm_error *error)
{
    if (!is_valid(cube, lock))
        return fm_fail(error, FM_ERR_FAILED, "lock %u of window %u is malformed", lock->target,
                       lock->window);
    if (cube->lock_count == cube->lock_capacity) {
        uint32_t wanted = cube->lock_capacity == 0 ? 16 : cube->lock_capacity * 2;
        struct fm_cube_lock *grown =
            wanted < cube->lock_capacity ? NULL : reallocarray(cube->locks, wanted, sizeof *grown);
        if (grown == NULL)
            return fm_fail(error, FM_ERR_SYSTEM, "out of memory for locks");
        cube->locks = grown;
        cube->lock_capacity = wanted;
    }
    struct fm_cube_lock copy = *lock;
    copy.name = lock->name == NULL ? NULL : strdup(lock->name);
    copy.queue = lock->bin_count == 0 ? NULL : calloc(lock->bin_count, sizeof *copy.queue);
    if ((lock->name != NULL && copy.name == NULL) || (lock->bin_count != 0 && copy.queue == NULL)) {
        free(copy.name);
        free(copy.queue);
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for locks");
    }
    if (lock->bin_count != 0)
        memcpy(copy.queue, lock->queue, lock->bin_count * sizeof *copy.queue);
    cube->locks[cube->lock_count++] = copy;
    return FM_OK;
}

uint64_t fm_cube_lock_edge(const struct fm_cube_lock *lock, uint32_t bin)
{
    uint64_t span = lock->end - lock->begin;
    /* floor(span * bin / count), without a product that exceeds 64 bits */
    return lock->begin + span / FM_CUBE_LOCK_BINS * bin +
           span % FM_CUBE_LOCK_BINS * bin / FM_CUBE_LOCK_BINS;
}
