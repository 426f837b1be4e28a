/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/file/cube_format.h"
#include "cube/file/cube_writer.h"

static void put_parties(struct fm_sink *sink, const struct fm_cube_lock_party *parties,
                        uint32_t count)
{
    fm_sink_u32(sink, count);
    for (uint32_t i = 0; i < count; i++) {
        fm_sink_u32(sink, parties[i].location);
        fm_sink_u64(sink, parties[i].epochs);
        fm_sink_u64(sink, parties[i].held);
        fm_sink_u64(sink, parties[i].caused);
        fm_sink_u64(sink, parties[i].waits);
        fm_sink_u64(sink, parties[i].waiting);
    }
}

static void put_places(struct fm_sink *sink, const struct fm_cube_lock_place *places,
                       uint32_t count)
{
    fm_sink_u32(sink, count);
    for (uint32_t i = 0; i < count; i++) {
        fm_sink_u32(sink, places[i].callpath);
        fm_sink_u64(sink, places[i].waits);
        fm_sink_u64(sink, places[i].waiting);
    }
}

void fm_cube_put_locks(struct fm_sink *sink, const struct fm_cube *cube)
{
    fm_sink_u32(sink, FM_CUBE_LOCKS_VERSION);
    fm_sink_u32(sink, cube->lock_count);
    for (uint32_t i = 0; i < cube->lock_count; i++) {
        const struct fm_cube_lock *lock = &cube->locks[i];
        const uint64_t numbers[] = {lock->exclusive, lock->shared,        lock->held,
                                    lock->waits,     lock->waiting,       lock->begin,
                                    lock->end,       lock->longest_queue, lock->longest_chain};
        fm_sink_u32(sink, lock->window);
        fm_sink_string(sink, lock->name);
        fm_sink_u32(sink, lock->target);
        for (size_t j = 0; j < sizeof numbers / sizeof numbers[0]; j++)
            fm_sink_u64(sink, numbers[j]);
        fm_sink_u32(sink, lock->chain_count);
        for (uint32_t j = 0; j < lock->chain_count; j++)
            fm_sink_u32(sink, lock->chain[j]);
        put_parties(sink, lock->holders, lock->holder_count);
        put_parties(sink, lock->victims, lock->victim_count);
        put_places(sink, lock->held_in, lock->held_in_count);
        put_places(sink, lock->waited_in, lock->waited_in_count);
        fm_sink_u32(sink, lock->bin_count);
        for (uint32_t j = 0; j < lock->bin_count; j++)
            fm_sink_u64(sink, lock->queue[j]);
    }
    fm_sink_u64(sink, cube->left_out_locks);
    fm_sink_u64(sink, cube->left_out_locks_waiting);
}
