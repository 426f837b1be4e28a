/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Time in which nobody holds a lock and nobody who has asked for it is next: the process that the
 * lock lies on may lack progress. If calls on the window of the lock wait for progress, that
 * process is asked in which of its threads, and when. Private to this folder.
 */
#ifndef FERMATA_ANALYSIS_LOCKS_LOCK_GAPS_H
#define FERMATA_ANALYSIS_LOCKS_LOCK_GAPS_H

#include "analysis/model/run.h"

/** A gap between two holders of a succession. */
struct fm_lock_gap {
    uint64_t from, to; /**< ticks of the trace's clock; from < to */
    uint64_t succession;
    uint32_t target;   /**< process that the lock lies on */
    uint32_t paradigm; /**< fm_paradigm_t: only calls of the same library make progress */
};

/** The progressing calls of processes, each list made when the first gap of a process is looked at.
 */
struct fm_lock_gaps;

/** @return to be freed with fm_lock_gaps_free() */
struct fm_lock_gaps *fm_lock_gaps_create(const struct fm_analysis *analysis);

/** NULL is allowed. */
void fm_lock_gaps_free(struct fm_lock_gaps *gaps);

/** Divides a gap by the progressing calls of its target. To be called by the worker that owns the
 * target. O(log calls + calls in the gap), and once O(calls log calls) for each target.
 * @param take  is called for each part in the order of time; `location`: thread that makes the next
 * progressing call, or the first one with events if none follows; FM_NONE: the target is in a
 * progressing call, or has no events */
void fm_lock_gap_divide(struct fm_lock_gaps *gaps, const struct fm_lock_gap *gap,
                        void (*take)(void *context, uint32_t location, uint64_t from, uint64_t to),
                        void *context);

#endif
