/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Partitions of locations that the user defines: "io:0-3,solver:4-15" (docs/metrics.md,
 * performance impact).
 */
#ifndef FERMATA_ANALYSIS_MODEL_PARTITION_H
#define FERMATA_ANALYSIS_MODEL_PARTITION_H

#include "base/containers/vector.h"
#include "base/error.h"
#include "cube/model/cube.h"
#include "trace/tables/trace.h"

/** A part of a partition: a range of threads of a range of ranks. */
struct fm_partition_range {
    uint32_t partition; /**< index of its name */
    uint32_t first_rank, last_rank;
    uint32_t first_thread, last_thread; /**< last_thread UINT32_MAX: all from the first on */
};

struct fm_partitions {
    FM_VECTOR(char *) names;
    FM_VECTOR(struct fm_partition_range) ranges;
};

/** Reads a list of partitions: `NAME:RANKS[.THREADS],...`, where RANKS and THREADS are `4`, `0-3`
 * or `*` (all). Ranks without a name belong to the partition named before: `io:0-3,8,solver:4-7`. A
 * line break separates as a comma does; `#` begins a comment.
 * @param partitions  out: to be freed with fm_partitions_free(), also after a failure
 * @return FM_ERR_USAGE if the text has another syntax */
fm_status_t fm_partitions_parse(const char *text, struct fm_partitions *partitions,
                                struct fm_error *error);

void fm_partitions_free(struct fm_partitions *partitions);

/** @return a hash of the partitions and `seed`. */
uint64_t fm_partitions_summary(const struct fm_partitions *partitions, uint64_t seed);

/** Determines the partition of each location of a trace. The locations that are not named form one
 * more partition, after the named ones.
 * @param of_location  out: by location, to be freed with fm_free(); set only on success
 * @param count        out: number of partitions, including that of the remaining locations
 * @return FM_ERR_USAGE if a rank or thread does not exist or is named twice */
fm_status_t fm_partitions_assign(const struct fm_partitions *partitions,
                                 const struct fm_trace *trace, uint32_t **of_location,
                                 uint32_t *count, struct fm_error *error);

#endif
