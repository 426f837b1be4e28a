/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/file/cube_reader.h"

#include <stdlib.h>

#define PARTY_SIZE 44
#define PLACE_SIZE 20

/** Reads up to FM_CUBE_LOCK_PARTIES locations. @return false if the file has more. */
static bool read_parties(struct fm_source *source, struct fm_cube_lock_party *parties,
                         uint32_t *count)
{
    *count = fm_source_count(source, PARTY_SIZE);
    if (*count > FM_CUBE_LOCK_PARTIES)
        return false;
    for (uint32_t i = 0; i < *count; i++) {
        parties[i].location = fm_source_u32(source);
        parties[i].epochs = fm_source_u64(source);
        parties[i].held = fm_source_u64(source);
        parties[i].caused = fm_source_u64(source);
        parties[i].waits = fm_source_u64(source);
        parties[i].waiting = fm_source_u64(source);
    }
    return true;
}

/** Reads up to FM_CUBE_LOCK_PLACES call paths. @return false if the file has more. */
static bool read_places(struct fm_source *source, struct fm_cube_lock_place *places,
                        uint32_t *count)
{
    *count = fm_source_count(source, PLACE_SIZE);
    if (*count > FM_CUBE_LOCK_PLACES)
        return false;
    for (uint32_t i = 0; i < *count; i++) {
        places[i].callpath = fm_source_u32(source);
        places[i].waits = fm_source_u64(source);
        places[i].waiting = fm_source_u64(source);
    }
    return true;
}

/** Reads all fields of a lock except its name. @return false if an array is too long. */
static bool read_lock(struct fm_source *source, struct fm_cube_lock *lock)
{
    lock->target = fm_source_u32(source);
    uint64_t *const numbers[] = {&lock->exclusive, &lock->shared,        &lock->held,
                                 &lock->waits,     &lock->waiting,       &lock->begin,
                                 &lock->end,       &lock->longest_queue, &lock->longest_chain};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        *numbers[i] = fm_source_u64(source);
    lock->chain_count = fm_source_count(source, 4);
    if (lock->chain_count > FM_CUBE_LOCK_CHAIN)
        return false;
    for (uint32_t i = 0; i < lock->chain_count; i++)
        lock->chain[i] = fm_source_u32(source);
    if (!read_parties(source, lock->holders, &lock->holder_count) ||
        !read_parties(source, lock->victims, &lock->victim_count) ||
        !read_places(source, lock->held_in, &lock->held_in_count) ||
        !read_places(source, lock->waited_in, &lock->waited_in_count))
        return false;
    lock->bin_count = fm_source_count(source, 8);
    if (lock->bin_count > FM_CUBE_LOCK_BINS)
        return false;
    for (uint32_t i = 0; i < lock->bin_count; i++)
        lock->queue[i] = fm_source_u64(source);
    return !source->failed;
}

fm_status_t fm_cube_read_locks(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_LOCK];
    bool readable;
    fm_status_t status = fm_cube_begin_optional(reader, FM_SECTION_LOCK, FM_CUBE_LOCKS_VERSION,
                                                "The queues of the locks are", &readable);
    if (status != FM_OK || !readable)
        return status;
    uint32_t count = fm_source_count(source, 4 + 4 + 4 + 9 * 8 + 6 * 4);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t queue[FM_CUBE_LOCK_BINS];
        struct fm_cube_lock lock = {.queue = queue};
        lock.window = fm_source_u32(source);
        lock.name = fm_source_string(source, true);
        status = FM_ERR_FAILED;
        if (read_lock(source, &lock))
            status = fm_cube_add_lock(reader->cube, &lock, reader->error);
        free(lock.name);
        if (status == FM_ERR_FAILED)
            return fm_cube_damaged(reader, "lock %u is malformed", i);
        if (status != FM_OK)
            return status;
    }
    reader->cube->left_out_locks = fm_source_u64(source);
    reader->cube->left_out_locks_waiting = fm_source_u64(source);
    return fm_cube_check_used_up(reader, FM_SECTION_LOCK);
}
