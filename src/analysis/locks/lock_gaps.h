/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Time in which nobody holds a lock and nobody who has asked for it is next: the process that the
 * lock lies on may lack progress. If calls on the window of the lock wait for progress, that
 * process is asked in which of its threads, and when. Private to this folder.
 */
#ifndef FERMATA_ANALYSIS_LOCKS_LOCK_GAPS_H
#define FERMATA_ANALYSIS_LOCKS_LOCK_GAPS_H

#include "analysis/progress/partner_calls.h"

/** A gap between two holders of a succession. */
struct fm_lock_gap {
    uint64_t from, to; /**< ticks of the trace's clock; from < to */
    uint64_t succession;
    uint32_t target;   /**< process that the lock lies on */
    uint32_t paradigm; /**< fm_paradigm_t: only calls of the same library make progress */
};

/** Divides a gap by the progressing calls of its target. To be called by the worker that owns the
 * target. Cost: that of fm_partner_calls_find() for each progressing call in the gap.
 * @param take  is called for each part in the order of time; `location`: thread that makes the next
 * progressing call, or the first one with events if none follows; FM_NONE: the target is in a
 * progressing call, or has no events */
void fm_lock_gap_divide(struct fm_partner_calls *calls, const struct fm_trace *trace,
                        const struct fm_lock_gap *gap,
                        void (*take)(void *context, uint32_t location, uint64_t from, uint64_t to),
                        void *context);

#endif
