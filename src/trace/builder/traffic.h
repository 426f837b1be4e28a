/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Messages and one-sided operations of a location to each process, counted while its events are
 * read. Private to src/trace.
 */
#ifndef FERMATA_TRACE_BUILDER_TRAFFIC_H
#define FERMATA_TRACE_BUILDER_TRAFFIC_H

#include "base/containers/map.h"
#include "trace/tables/trace.h"

/** Messages or operations to one rank of one communicator. */
struct fm_traffic_row {
    uint64_t count, bytes;
    uint32_t communicator;
    uint32_t peer; /**< rank */
    uint32_t kind; /**< fm_traffic_kind_t */
};

/** All zeros: an empty counter. */
struct fm_traffic_counter {
    struct fm_map index; /**< (communicator, peer, kind) -> row */
    FM_VECTOR(struct fm_traffic_row) rows;
};

/** Counts a message or operation. */
static inline void fm_traffic_count(struct fm_traffic_counter *counter, fm_traffic_kind_t kind,
                                    uint32_t communicator, uint32_t peer, uint64_t bytes)
{
    uint32_t next = (uint32_t)counter->rows.count;
    uint64_t key = ((uint64_t)communicator << 34) ^ ((uint64_t)kind << 32) ^ peer;
    uint32_t row = *fm_map_at(&counter->index, key, next);
    if (row == next) {
        fm_vector_push(&counter->rows,
                       (struct fm_traffic_row){0, 0, communicator, peer, (uint32_t)kind});
    }
    ++counter->rows.items[row].count;
    counter->rows.items[row].bytes += bytes;
}

/** Moves the counts, by process, to a location and empties the counter. Ranks that do not exist are
 * ignored. */
void fm_traffic_finish(struct fm_traffic_counter *counter, const struct fm_trace *trace,
                       struct fm_location *location);

/** Discards the counts. */
void fm_traffic_clear(struct fm_traffic_counter *counter);

/** Frees the memory. */
void fm_traffic_free(struct fm_traffic_counter *counter);

#endif
