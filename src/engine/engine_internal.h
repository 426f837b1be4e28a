/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Private to src/engine. */
#ifndef FERMATA_ENGINE_ENGINE_INTERNAL_H
#define FERMATA_ENGINE_ENGINE_INTERNAL_H

#include "engine/engine.h"
#include "engine/pool.h"

struct fm_engine {
    struct fm_team *team;
    unsigned workers;
    struct fm_pool *pool;  /**< a thread for each worker */
    unsigned first_sender; /**< number of this process's first worker among those of the team */
    unsigned sender_count; /**< workers of the team */
    uint32_t process_count;
    struct fm_stage_times *times; /**< NULL: stages are not measured */
    uint32_t *first;              /**< [workers + 1]: worker w owns first[w] .. first[w + 1] - 1 */
    unsigned *owner_of; /**< by process: a worker, or `workers` + number of another process of the
                             team */
};

/** @return `bytes` rounded up to a multiple of 8, the alignment of the entries of a packet. */
static inline size_t fm_engine_aligned(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

#endif
