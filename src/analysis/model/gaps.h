/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Gaps: the operations of a process during pauses of the recording. Matching by the order in a
 * series (messages of a tag, collective operations of a communicator, ...) needs their numbers.
 */
#ifndef FERMATA_ANALYSIS_MODEL_GAPS_H
#define FERMATA_ANALYSIS_MODEL_GAPS_H

#include "engine/team/team.h"
#include "trace/tables/trace.h"

/** The gaps of one process, in the order of time. Zeroed = none. */
struct fm_gaps {
    FM_VECTOR(struct fm_unrecorded) items;
    size_t next;
};

/** @return whether any process of the run has gaps. Collective. */
bool fm_gaps_exist(struct fm_team *team, const struct fm_trace *trace);

/** Lists the gaps of a process, and begins with the first; reuses the memory of an earlier list. */
void fm_gaps_begin(struct fm_gaps *gaps, const struct fm_trace *trace, uint32_t process);

/** @return whether gaps remain. Fast check before fm_gaps_before() in loops over records. */
static inline bool fm_gaps_ahead(const struct fm_gaps *gaps)
{
    return __builtin_expect(gaps->next < gaps->items.count, 0);
}

/** @return the next gap not after `time`, which is consumed; NULL: there is none until then. */
static inline const struct fm_unrecorded *fm_gaps_before(struct fm_gaps *gaps, uint64_t time)
{
    return fm_gaps_ahead(gaps) && gaps->items.items[gaps->next].time <= time
               ? &gaps->items.items[gaps->next++]
               : NULL;
}

void fm_gaps_free(struct fm_gaps *gaps);

#endif
