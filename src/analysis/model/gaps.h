/** @file
 * Gaps: what a process did while recording was paused. What is matched by its order in a series
 * (messages of a tag, collective operations of a communicator, ...) needs their numbers.
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

/** @return whether any process of the run has gaps. All of the team must ask. */
bool fm_gaps_exist(struct fm_team *team, const struct fm_trace *trace);

/** Begins with the first gap of a process, whichever the gaps were of before. */
void fm_gaps_begin(struct fm_gaps *gaps, const struct fm_trace *trace, uint32_t process);

/** @return whether there are gaps ahead: nothing else is to be asked where there are none. */
static inline bool fm_gaps_ahead(const struct fm_gaps *gaps)
{
    return __builtin_expect(gaps->next < gaps->items.count, 0);
}

/** @return the next gap that lies before `time`; NULL: there is none (for now). */
static inline const struct fm_unrecorded *fm_gaps_before(struct fm_gaps *gaps, uint64_t time)
{
    return fm_gaps_ahead(gaps) && gaps->items.items[gaps->next].time <= time
               ? &gaps->items.items[gaps->next++]
               : NULL;
}

void fm_gaps_free(struct fm_gaps *gaps);

#endif
