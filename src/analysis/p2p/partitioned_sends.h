/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The calls that make the partitions of messages ready (MPI_Pready...).
 */
#ifndef FERMATA_ANALYSIS_P2P_PARTITIONED_SENDS_H
#define FERMATA_ANALYSIS_P2P_PARTITIONED_SENDS_H

#include "analysis/model/run.h"
#include "base/containers/map.h"
#include "trace/tables/trace.h"

/** A partitioned message of a sender. */
struct fm_partitioned_send {
    uint64_t enter;              /**< latest Enter of a call that made a partition of it ready */
    uint32_t location, activity; /**< that call; ties: the first location; FM_NONE: there is none */
    uint32_t partition;          /**< the last one that it made ready */
    uint32_t partitions;         /**< of the message */
};

/** Those of a process. {0}: none. */
struct fm_partitioned_sends {
    struct fm_map row_of; /**< request -> position in `sends` */
    FM_VECTOR(struct fm_partitioned_send) sends;
};

/** Lists those of a process, in place of those listed before. O(1) without any. */
void fm_partitioned_sends_list(struct fm_partitioned_sends *sent, const struct fm_trace *trace,
                               uint32_t process);

/** @return the message that was started with a request; NULL: it is not partitioned, or no call
 * that made a partition ready is known */
const struct fm_partitioned_send *fm_partitioned_sends_find(const struct fm_partitioned_sends *sent,
                                                            uint64_t request);

/** Adds to the report which partitions were ready last; to be called after its locations were
 * added, by process 0. */
void fm_last_partitions_fill(const struct fm_analysis *analysis, struct fm_cube *cube);

void fm_partitioned_sends_free(struct fm_partitioned_sends *sent);

#endif
