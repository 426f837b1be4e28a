/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Sizes of a location's tables, estimated from those of another location. Private to src/trace.
 *
 * Locations of a parallel program are similar. Tables that are allocated in their final size are
 * not copied while they grow and leave no fragments in memory.
 */
#ifndef FERMATA_TRACE_BUILDER_TABLE_SIZES_H
#define FERMATA_TRACE_BUILDER_TABLE_SIZES_H

#include "trace/tables/trace.h"

/** The tables that grow with the events. */
#define FM_LOCATION_TABLES(DO)                                                                     \
    DO(phases)                                                                                     \
    DO(enter)                                                                                      \
    DO(leave)                                                                                      \
    DO(visit)                                                                                      \
    DO(state_since)                                                                                \
    DO(state_visit)                                                                                \
    DO(profile)                                                                                    \
    DO(counts)                                                                                     \
    DO(sends)                                                                                      \
    DO(receives)                                                                                   \
    DO(matched)                                                                                    \
    DO(partitioned)                                                                                \
    DO(partitions)                                                                                 \
    DO(probes)                                                                                     \
    DO(collectives)                                                                                \
    DO(rma)                                                                                        \
    DO(operation_bytes)                                                                            \
    DO(threads)                                                                                    \
    DO(continuations)                                                                              \
    DO(nested)                                                                                     \
    DO(loops)                                                                                      \
    DO(loop_flushes)                                                                               \
    DO(merged)                                                                                     \
    DO(unrecorded)                                                                                 \
    DO(pauses)                                                                                     \
    DO(growth)

/** Elements of the tables of a location. */
struct fm_table_sizes {
    uint64_t events; /**< 0: nothing is known yet */
#define FM_TABLE_SIZE(table) size_t table;
    FM_LOCATION_TABLES(FM_TABLE_SIZE)
#undef FM_TABLE_SIZE
};

/** Makes room in the tables of a location that has as many events as its definition states.
 * @param sizes  of a location that was read before */
void fm_tables_reserve(struct fm_location *location, const struct fm_table_sizes *sizes);

/** Empties the tables of a location; they keep their capacity. */
void fm_tables_clear(struct fm_location *location);

/** Releases unused capacity after all events of a location are read.
 * @param sizes  out: the sizes of its tables */
void fm_tables_trim(struct fm_location *location, struct fm_table_sizes *sizes);

#endif
