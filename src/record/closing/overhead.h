/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Overhead of recording, for the closing line of the run.
 *
 * Rare work (begin, end, writing buffers) is measured as a whole, the work at events by the meters
 * of each thread (brief/meter.h), samples by their handler. The delivery of the samples' signals is
 * an estimate.
 */
#ifndef FERMATA_RECORD_CLOSING_OVERHEAD_H
#define FERMATA_RECORD_CLOSING_OVERHEAD_H

#include "record/archive/exchange.h"
#include "record/capture/thread.h"

/** Wraps an exchange so that CPU time in it is not counted as work of this process, because it is
 * waiting for others. There is one wrapped exchange at a time. */
const struct fm_exchange *fm_overhead_watch(const struct fm_exchange *exchange);

/** Begins a section in which the calling thread works for the recorder, until fm_overhead_end. Used
 * by one thread at a time. */
void fm_overhead_begin(void);
void fm_overhead_end(void);

/** CPU time of these sections so far, in nanoseconds. Called by the thread in a section, if any. */
uint64_t fm_overhead_work(void);

/** Measures what recording a call takes whose call stack is known, in less than a millisecond: how
 * far the times of calls may be wrong. Called when the run has ended.
 * @param thread  the calling thread; NULL: no call stacks
 * @return nanoseconds */
double fm_overhead_per_call(const struct fm_thread *thread);

/** Measures by 80 page faults what one on new memory takes. It is no cost of recording, but tells
 * the report what those of a run take.
 * @return nanoseconds; 0: not known */
double fm_overhead_page_fault(void);

/** What recording has cost a thread, in nanoseconds. */
struct fm_overhead_costs {
    uint64_t of[FM_RECORDER_COST_COUNT]; /**< by fm_recorder_cost_t, FM_COST_ENDS is 0 */
};

/** What it may have cost a thread beyond that (FM_METER_UNMEASURED), in nanoseconds. */
uint64_t fm_overhead_unmeasured(const struct fm_thread *thread, struct fm_meter_bias bias);

/** Cost of recording in a thread. Called when nothing is recorded any more.
 * @param bias        of its meters
 * @param resolution  ticks per second */
struct fm_overhead_costs fm_overhead_of_thread(const struct fm_thread *thread,
                                               struct fm_meter_bias bias, uint64_t resolution);

/** Of that, work that may happen while other threads wait for the thread: at locks and tasks. */
uint64_t fm_overhead_delaying(const struct fm_overhead_costs *costs);

/** Their sum. */
uint64_t fm_overhead_sum(const struct fm_overhead_costs *costs);

#endif
