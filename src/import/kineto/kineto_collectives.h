/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Which kernels of different ranks are one collective operation.
 *
 * Kernels that state process group and sequence number are matched by these. Others are matched by
 * their order among those of one operation, size and stream, if all ranks have equally many and
 * each of these overlap in time. Operations with a root, which traces do not name, and messages
 * between two ranks are not matched.
 */
#ifndef FERMATA_IMPORT_KINETO_KINETO_COLLECTIVES_H
#define FERMATA_IMPORT_KINETO_KINETO_COLLECTIVES_H

#include "import/kineto/kineto_ranks.h"
#include "scenario/scenario.h"

/** The kernel of a rank in a collective operation. */
struct fm_kineto_part {
    uint32_t rank;  /**< in the ranks of the job */
    uint32_t lane;  /**< of its trace */
    uint32_t event; /**< of the lane */
    uint32_t key;   /**< operations with different ones are matched separately */
    int64_t sequence;
    const struct fm_kineto_collective *stated;
    const struct fm_kineto_event *kernel;
    uint32_t communicator; /**< of the archive; FM_KINETO_NONE: not matched */
    uint8_t operation;     /**< OTF2_CollectiveOp */
};

typedef FM_VECTOR(struct fm_kineto_part) fm_kineto_part_vector;

/** Matches the kernels of a job, and aligns the clocks of its ranks by the ends of collectives:
 * the bases of the traces are changed. What is not matched is warned of.
 * @param ranks  [traces of the job]: connected
 * @param parts  out: ascending by rank, lane and event */
fm_status_t fm_kineto_collectives_match(struct fm_kineto_job *job,
                                        const struct fm_kineto_rank *ranks,
                                        struct fm_scenario *scenario, fm_kineto_part_vector *parts,
                                        struct fm_error *error);

/** @return the part of an event; NULL: it has none that is matched. */
const struct fm_kineto_part *fm_kineto_part_of(const fm_kineto_part_vector *parts, uint32_t rank,
                                               uint32_t lane, uint32_t event);

#endif
