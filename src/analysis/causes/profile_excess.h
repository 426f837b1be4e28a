/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * By how much the times of one location exceed those of another, call path by call path [H17 Def.
 * 7].
 *
 * Samples divide the time between two events of a trace among functions, and may divide equal work
 * differently on two locations. Of functions whose begins and ends are estimated (struct fm_region)
 * only the sum with the recorded call path above them is compared; its excess is shared out in
 * proportion to the differences above 0 of its parts. Without such functions all call paths are
 * compared singly.
 */
#ifndef FERMATA_ANALYSIS_CAUSES_PROFILE_EXCESS_H
#define FERMATA_ANALYSIS_CAUSES_PROFILE_EXCESS_H

#include "trace/tables/trace.h"

/** Time of a call path in the waiter's interval. */
struct fm_waiter_share {
    uint32_t callpath;
    uint32_t ticks[2]; /**< a 64-bit number */
};

/** Time of the causing location in the interval, in one node of its call tree. */
struct fm_cause_share {
    uint64_t ticks;
    uint32_t visit;
    uint32_t callpath;
};

/** The profiles of the two sides. A call path occurs once in each. */
struct fm_sides {
    const struct fm_cause_share *own; /**< of the cause */
    uint32_t own_count;
    uint32_t share_count;
    const struct fm_waiter_share *shares;
};

/** A recorded call path with the estimated ones below it. */
struct fm_recorded_excess {
    int64_t ticks;     /**< sum of the differences */
    uint64_t positive; /**< sum of those above 0 */
    bool is_counted;
};

/** Memory of a worker for its comparisons. */
struct fm_excess {
    const uint32_t *recorded;           /**< of fm_recorded_callpaths() */
    uint64_t *waiter_time;              /**< [call path]; all 0 between two comparisons */
    struct fm_recorded_excess *of_path; /**< [recorded call path]: likewise; NULL: nothing is
                                             estimated */
};

/** @return [call path]: the nearest one upwards (possibly itself) that is no estimated function;
 * the number of call paths: none. To be freed with fm_free(). NULL: no region of the trace is
 * estimated. */
uint32_t *fm_recorded_callpaths(const struct fm_trace *trace);

/** @param recorded  of fm_recorded_callpaths(): must stay valid */
void fm_excess_open(struct fm_excess *excess, const struct fm_trace *trace,
                    const uint32_t *recorded);
void fm_excess_close(struct fm_excess *excess);

/** Compares two profiles. fm_excess_forget() must follow.
 * @return the sum of the excesses of the cause, ticks */
uint64_t fm_excess_compare(struct fm_excess *excess, const struct fm_sides *sides);

/** @return the excess in a call path of the cause's profile, ticks; 0: none. The sum of all is that
 * of fm_excess_compare(), but for rounding. */
double fm_excess_in(const struct fm_excess *excess, const struct fm_cause_share *own);

/** Ends the comparison of these profiles. */
void fm_excess_forget(struct fm_excess *excess, const struct fm_sides *sides);

#endif
