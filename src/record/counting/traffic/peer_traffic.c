/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/counting/traffic/peer_traffic.h"

#include "record/capture/memory_use.h"

#include <stddef.h>
#include <sys/mman.h>

_Static_assert((int)FM_PEER_ENTRIES <= UINT16_MAX + 1, "positions in the hash table");
_Static_assert(sizeof(struct fm_peer_traffic_entry) == 64, "a cache line");

/* No communicator or window has this number. */
#define NO_KEY UINT64_MAX

struct fm_peer_traffic *fm_peer_traffic_new(void)
{
    struct fm_peer_traffic *traffic = fm_memory_use_map(sizeof *traffic, MAP_NORESERVE);
    if (traffic != NULL) {
        fm_peer_traffic_begin(traffic);
    }
    return traffic;
}

void fm_peer_traffic_begin(struct fm_peer_traffic *traffic)
{
    for (int kind = 0; kind < FM_PEER_KINDS; kind++) {
        traffic->entries[kind].key = NO_KEY;
    }
    for (int use = 0; use < FM_PEER_USES; use++) {
        traffic->last[use] = &traffic->entries[0];
    }
    traffic->count = FM_PEER_KINDS;
}

struct fm_peer_traffic_entry *fm_peer_traffic_find(struct fm_peer_traffic *traffic, uint64_t key)
{
    enum { MASK = 2 * FM_PEER_ENTRIES - 1 };
    size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) & MASK;
    for (; traffic->index[i] != 0; i = (i + 1) & MASK) {
        struct fm_peer_traffic_entry *entry = &traffic->entries[traffic->index[i]];
        if (entry->key == key) {
            return entry;
        }
    }
    if (traffic->count == FM_PEER_ENTRIES) {
        return &traffic->entries[fm_peer_traffic_kind_of(key)];
    }
    uint32_t position = traffic->count++;
    traffic->index[i] = (uint16_t)position;
    traffic->entries[position].key = key;
    return &traffic->entries[position];
}
