/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Writes the traffic of all threads of a process of a recording without a trace:
 * EXPERIMENT/counters/links.N (counters/traffic/job_traffic_rows.h). Peers are translated from
 * ranks of their communicators to ranks of MPI_COMM_WORLD by the definitions of the process, which
 * keep the members of freed communicators and windows.
 */
#ifndef FERMATA_RECORD_COUNTING_TRAFFIC_PEER_TRAFFIC_FILE_H
#define FERMATA_RECORD_COUNTING_TRAFFIC_PEER_TRAFFIC_FILE_H

#include "record/archive/define.h"
#include "record/counting/traffic/peer_traffic.h"
#include "record/paradigm/region.h"

#include <stdbool.h>
#include <stddef.h>

/** What the numbers in the traffic of a process mean. */
struct fm_traffic_names {
    const struct fm_definitions *set; /**< communicators and windows of the process */
    const struct fm_define_map *map; /**< its communicators' numbers among those of all processes */
    const struct fm_recorded_region *functions;
    size_t function_count;
};

/** Kinds of definitions that communicators refer to, and themselves: what is unified for a map. */
enum { FM_TRAFFIC_KINDS = 3 };
extern const enum fm_define_kind fm_traffic_kinds[FM_TRAFFIC_KINDS];

/** Writes the file. errno is the reason of a failure.
 * @param directory  of the experiment
 * @param threads    the traffic of each thread
 * @return false: the file cannot be written */
bool fm_peer_traffic_write(const char *directory, uint32_t rank,
                           const struct fm_traffic_names *names,
                           const struct fm_peer_traffic *const *threads, size_t count);

#endif
