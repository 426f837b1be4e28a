/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Traffic of a thread, for recordings without a trace: messages by communicator and peer, one-sided
 * operations by window and target, collectives by communicator or window. Made of the records of
 * operations, with the numbers that they have there. Constant memory, of pages that are mapped when
 * they are used: operations beyond FM_PEER_ENTRIES different keys are counted as lost.
 *
 * A hash table with open addressing; in front of it, the entry that was last used for each use.
 */
#ifndef FERMATA_RECORD_COUNTING_TRAFFIC_PEER_TRAFFIC_H
#define FERMATA_RECORD_COUNTING_TRAFFIC_PEER_TRAFFIC_H

#include "record/capture/hot.h"

#include <stdint.h>

enum { FM_PEER_ENTRIES = 1 << 14, FM_PEER_MAKERS = 1 << 14 };

/** What the key of an entry consists of. */
enum fm_peer_traffic_kind {
    FM_PEER_MESSAGES,           /**< communicator, peer */
    FM_PEER_ONE_SIDED,          /**< window, target */
    FM_PEER_COLLECTIVES,        /**< communicator */
    FM_PEER_WINDOW_COLLECTIVES, /**< window: collectives with the data of a window's group */
    FM_PEER_KINDS
};

/** Numbers of an entry, by its kind; of collectives, both kinds. */
enum { FM_PEER_SENT, FM_PEER_BYTES_SENT, FM_PEER_RECEIVED, FM_PEER_BYTES_RECEIVED };
enum {
    FM_PEER_PUTS,
    FM_PEER_BYTES_PUT,
    FM_PEER_GETS,
    FM_PEER_BYTES_GOT,
    FM_PEER_ATOMICS,
    FM_PEER_BYTES_ATOMIC, /**< sent and received */
    FM_PEER_NUMBERS
};
enum { FM_PEER_CALLS, FM_PEER_COLLECTIVE_SENT, FM_PEER_COLLECTIVE_RECEIVED };

/** Uses with a last entry of their own: a program often sends to one peer and receives from
 * another. */
enum fm_peer_traffic_use {
    FM_PEER_FOR_SENDS,
    FM_PEER_FOR_RECEIPTS,
    FM_PEER_FOR_ONE_SIDED,
    FM_PEER_FOR_COLLECTIVES,
    FM_PEER_USES
};

/** A cache line. */
struct fm_peer_traffic_entry {
    _Alignas(64) uint64_t key; /**< fm_peer_traffic_key */
    uint64_t numbers[FM_PEER_NUMBERS];
};

/** The traffic of a thread. The first entries, by kind, have what is lost. */
struct fm_peer_traffic {
    struct fm_peer_traffic_entry *last[FM_PEER_USES];
    uint32_t count; /**< entries, those of what is lost included */
    struct fm_peer_traffic_entry entries[FM_PEER_ENTRIES];
    uint16_t index[2 * FM_PEER_ENTRIES]; /**< positions of entries; 0: free */
    uint16_t makers[FM_PEER_MAKERS];     /**< by communicator: function that has made it, plus 1 */
};

/** The key of an entry.
 * @param object  number of the communicator or window, less than 2^30
 * @param peer    0 for collectives */
static inline uint64_t fm_peer_traffic_key(enum fm_peer_traffic_kind kind, uint32_t object,
                                           uint32_t peer)
{
    return (uint64_t)kind << 62 | (uint64_t)object << 32 | peer;
}

/** Parts of a key. */
static inline enum fm_peer_traffic_kind fm_peer_traffic_kind_of(uint64_t key)
{
    return (enum fm_peer_traffic_kind)(key >> 62);
}

static inline uint32_t fm_peer_traffic_object_of(uint64_t key)
{
    return (uint32_t)(key >> 32) & UINT32_C(0x3fffffff);
}

static inline uint32_t fm_peer_traffic_peer_of(uint64_t key)
{
    return (uint32_t)key;
}

/** @return an empty table; NULL without memory */
struct fm_peer_traffic *fm_peer_traffic_new(void);

/** Makes zeroed memory an empty table. */
void fm_peer_traffic_begin(struct fm_peer_traffic *traffic);

/** @return the entry of a key, which is added if there is room; else that of what is lost. No lock,
 * no system call. */
struct fm_peer_traffic_entry *fm_peer_traffic_find(struct fm_peer_traffic *traffic, uint64_t key);

/** fm_peer_traffic_find with the last entry of a use in front. */
static inline uint64_t *fm_peer_traffic_numbers(struct fm_peer_traffic *traffic,
                                                enum fm_peer_traffic_use use, uint64_t key)
{
    struct fm_peer_traffic_entry *entry = traffic->last[use];
    if (FM_UNLIKELY(entry->key != key)) {
        entry = traffic->last[use] = fm_peer_traffic_find(traffic, key);
    }
    return entry->numbers;
}

/** Counts a message, or a one-sided operation.
 * @param record  of a send (SEND, ISEND, PARTITIONED_SEND) or a receipt (RECV, IRECV,
 *                PARTITIONED_RECEIVE: the peer is the one that has sent it): FM_PEER_MESSAGES; PUT,
 *                GET or ATOMIC: FM_PEER_ONE_SIDED
 * @param number  of the entry, the one behind it has the bytes: FM_PEER_SENT, FM_PEER_RECEIVED,
 *                FM_PEER_PUTS, ... */
static inline void fm_peer_traffic_count(struct fm_peer_traffic *traffic,
                                         enum fm_peer_traffic_kind kind,
                                         enum fm_peer_traffic_use use, unsigned number,
                                         const uint64_t *record, uint64_t bytes)
{
    uint64_t key = fm_peer_traffic_key(kind, (uint32_t)(record[0] >> 32), (uint32_t)record[1]);
    uint64_t *numbers = fm_peer_traffic_numbers(traffic, use, key);
    numbers[number]++;
    numbers[number + 1] += bytes;
}

/** Counts a collective.
 * @param kind    FM_PEER_COLLECTIVES or FM_PEER_WINDOW_COLLECTIVES
 * @param record  COLLECTIVE_END, or another one with the same words */
static inline void fm_peer_traffic_collective(struct fm_peer_traffic *traffic,
                                              enum fm_peer_traffic_kind kind,
                                              const uint64_t *record)
{
    uint64_t key = fm_peer_traffic_key(kind, (uint32_t)(record[0] >> 32), 0);
    uint64_t *numbers = fm_peer_traffic_numbers(traffic, FM_PEER_FOR_COLLECTIVES, key);
    numbers[FM_PEER_CALLS]++;
    numbers[FM_PEER_COLLECTIVE_SENT] += record[2];
    numbers[FM_PEER_COLLECTIVE_RECEIVED] += record[3];
}

/** Notes the function that has made a communicator; of those with a number of FM_PEER_MAKERS or
 * more none is known. */
static inline void fm_peer_traffic_made(struct fm_peer_traffic *traffic, uint32_t communicator,
                                        uint32_t function)
{
    if (communicator < FM_PEER_MAKERS && function < UINT16_MAX) {
        traffic->makers[communicator] = (uint16_t)(function + 1);
    }
}

#endif
