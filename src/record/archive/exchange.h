/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Communication between the processes of the run, for the recorder's own use at the begin and end
 * of the run. The source of events that can communicate (such as MPI) provides it. Calls are
 * collective over all processes, except send and receive; sizes are in bytes.
 */
#ifndef FERMATA_RECORD_ARCHIVE_EXCHANGE_H
#define FERMATA_RECORD_ARCHIVE_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Reductions of fm_exchange.reduce. */
enum fm_reduction { FM_REDUCE_SUM, FM_REDUCE_MIN, FM_REDUCE_MAX };

struct fm_exchange {
    uint32_t rank, size;
    bool is_spawned;       /**< another run of the program has started these processes */
    uint32_t thread_level; /**< which threads may call MPI: 1 single, 2 funneled, 3 serialized,
                                4 multiple; 0: not known */
    /** Description of the first failure, or NULL. After a failure the functions do nothing and
     * results are zero: a caller checks this member before it uses results. */
    const char *failure;
    void (*barrier)(void);
    void (*broadcast)(void *data, size_t bytes, uint32_t root);
    void (*gather)(const void *in, void *out, size_t bytes, uint32_t root);
    void (*scatter)(const void *in, void *out, size_t bytes, uint32_t root);
    /** Reduces `count` values of every process, element by element; all processes receive the
     * result. */
    void (*reduce)(uint64_t *values, size_t count, enum fm_reduction reduction);
    void (*send)(const void *data, size_t bytes, uint32_t to);
    void (*receive)(void *data, size_t bytes, uint32_t from);
};

/** The binomial tree over the ranks: parent of a rank other than 0. */
static inline uint32_t fm_tree_parent(uint32_t rank)
{
    return rank & (rank - 1);
}

/** Whether `rank` has a child at distance `bit` (1, 2, 4, ...), which is rank + bit. A loop over
 * the bits upwards from 1 until this is false visits all children. */
static inline int fm_tree_has_child(uint32_t rank, uint32_t size, uint32_t bit)
{
    return bit != 0 && (rank & bit) == 0 && bit < size;
}

#endif
