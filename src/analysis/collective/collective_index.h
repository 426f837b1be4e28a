/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The collective operations of a run and the part of each location in them, as a table for
 * readers of single operations after the analysis. Needs the records of the trace, which an
 * analysis in detail keeps.
 */
#ifndef FERMATA_ANALYSIS_COLLECTIVE_COLLECTIVE_INDEX_H
#define FERMATA_ANALYSIS_COLLECTIVE_COLLECTIVE_INDEX_H

#include "trace/tables/trace.h"

/** A collective operation. */
struct fm_collective_instance {
    uint64_t first_enter, last_enter;
    uint64_t first_leave;
    uint32_t last_location; /**< that entered last; ties: the lower process */
    uint32_t last_activity;
    uint32_t members; /**< found so far */
    uint32_t communicator;
    uint8_t call; /**< fm_call_t */
    bool is_mixed;
};

/** The part of a location in a collective operation. */
struct fm_collective_part {
    uint32_t activity; /**< call that took part */
    uint32_t instance;
};

typedef FM_VECTOR(struct fm_collective_part) fm_collective_parts;

struct fm_collective_index {
    FM_VECTOR(struct fm_collective_instance) instances;
    fm_collective_parts *parts; /**< [location]: ascending by call */
};

/** @param index  out: to be freed with fm_collective_index_close() */
void fm_collective_index_open(struct fm_collective_index *index, const struct fm_trace *trace);
void fm_collective_index_close(struct fm_collective_index *index, const struct fm_trace *trace);

/** @return whether all members took part, in the same operation. */
static inline bool fm_collective_is_complete(const struct fm_trace *trace,
                                             const struct fm_collective_instance *instance)
{
    return !instance->is_mixed &&
           instance->members == trace->communicators[instance->communicator].size;
}

#endif
