/** @file
 * What recording costs the run, for its closing line.
 *
 * What happens once (begin, end, writing buffers) is measured. A recorded call costs less than a
 * reading of a clock that could measure it, so its cost is measured by recording some on the side
 * at the end of the run, and multiplied by their number. Left out are what the wrappers look up for
 * their operations, the delivery of the signals of samples, and what records displace from caches.
 */
#ifndef FERMATA_RECORD_CLOSING_OVERHEAD_H
#define FERMATA_RECORD_CLOSING_OVERHEAD_H

#include "record/archive/exchange.h"
#include "record/capture/thread.h"

/** The same communication, which is not counted as work of this process: it is waiting for others.
 * There is one at a time. */
const struct fm_exchange *fm_overhead_watch(const struct fm_exchange *exchange);

/** From now on the calling thread works for the recorder; until fm_overhead_end. By one thread at a
 * time. */
void fm_overhead_begin(void);
void fm_overhead_end(void);

/** CPU time of that work so far, in nanoseconds; by the thread that works, if one does. */
uint64_t fm_overhead_work(void);

/** What records cost on this machine, in nanoseconds. */
struct fm_overhead_rates {
    double reading; /**< half of a call whose call stack is known, or a mark of the user's code */
    double site;    /**< unwinding and recording a function of a call stack */
};

/** Measures them, in less than a millisecond. When the run has ended.
 * @param thread  the calling thread; NULL: no call stacks */
struct fm_overhead_rates fm_overhead_measure(const struct fm_thread *thread);

/** What recording has cost a thread whose records have been converted, in nanoseconds.
 * @param resolution  ticks per second */
uint64_t fm_overhead_of_thread(const struct fm_thread *thread,
                               const struct fm_overhead_rates *rates, uint64_t resolution);

/** Notes a record for fm_overhead_of_thread. */
static inline void fm_overhead_count(struct fm_thread_work *work, enum fm_record_kind kind)
{
    switch (kind) {
    case FM_RECORD_CALL:
    case FM_RECORD_CALL_LONG:
        work->readings += 2;
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
        work->readings++;
        break;
    default:
        break;
    }
}

#endif
