/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Overhead of recording, for the closing line of the run.
 *
 * Rare work (begin, end, writing buffers) is measured directly. A recorded call costs less than the
 * clock reading that would measure it; therefore a calibration at the end of the run measures the
 * cost of a call, with its counting if calls are counted, which is multiplied by the number of
 * calls. Not included are the wrappers'
 * look-ups for operations, readings of the CPU clock (stolen_time.h), the delivery of sampling
 * signals, and cache pollution by records.
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

/** Cost of records on this machine, in nanoseconds. */
struct fm_overhead_rates {
    double reading; /**< half of a call whose call stack is known, or a mark of the user's code */
    double site;    /**< unwinding and recording a function of a call stack */
};

/** Measures the rates, in less than a millisecond. Called when the run has ended.
 * @param thread  the calling thread; NULL: no call stacks */
struct fm_overhead_rates fm_overhead_measure(const struct fm_thread *thread);

/** Measures by 80 page faults what one on new memory takes. It is no cost of recording, but tells
 * the report what those of a run take.
 * @return nanoseconds; 0: not known */
double fm_overhead_page_fault(void);

/** Cost of recording in a thread whose records have been converted, in nanoseconds.
 * @param resolution  ticks per second */
uint64_t fm_overhead_of_thread(const struct fm_thread *thread,
                               const struct fm_overhead_rates *rates, uint64_t resolution);

/** Counts a record, by its header, for fm_overhead_of_thread. */
static inline void fm_overhead_count(struct fm_thread_work *work, uint64_t header)
{
    switch (fm_record_kind(header)) {
    case FM_RECORD_CALL:
    case FM_RECORD_CALL_LONG:
        work->readings += 2;
        break;
    case FM_RECORD_MERGED:
        work->readings += 2 * (uint64_t)(fm_record_merged_calls(header) - 1);
        break;
    case FM_RECORD_STACK:
    case FM_RECORD_STACK_SITE:
        work->sites++;
        break;
    case FM_RECORD_REGION_ENTER:
    case FM_RECORD_REGION_LEAVE:
    case FM_RECORD_PARAMETER:
    case FM_RECORD_PARAMETER_TEXT:
    case FM_RECORD_METRIC:
    case FM_RECORD_MARKER:
    case FM_RECORD_FORK:
        work->readings++;
        break;
    default:
        break;
    }
}

#endif
