/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * How an archive states what the kernel knows of threads while they computed: for how long they had
 * no processor, page faults, context switches. Values of the counters below, at the end of a
 * stretch of computation between two recorded calls. Values at equal times belong to one stretch,
 * which ends there and is as long as FM_MEASURED_TIME states. A stretch without this value was not
 * measured.
 */
#ifndef FERMATA_BASE_PROCESSOR_TIME_H
#define FERMATA_BASE_PROCESSOR_TIME_H

#include <stdbool.h>

/** X(symbol, name of the counter, unit), those with the unit "ns" first: FM_MEASURED_TIME and
 * FM_STOLEN_TIME for each measured stretch, the next two in addition if the kernel's statistics
 * were read, the others unless they are 0: of the thread, in the stretch, as getrusage() has them;
 * the last one is the recorder's own time, at the begin and at the end of the stretch, which is
 * part of the computation. */
#define FM_PROCESSOR_TIMES(X)                                                                      \
    X(MEASURED_TIME, "measured computation", "ns") /* length of the stretch */                     \
    X(STOLEN_TIME, "time without processor", "ns") /* length minus CPU time, blocking calls */     \
    X(DELAY_MEASURED_TIME, "computation with known run delay", "ns") /* length of the stretch */   \
    X(RUN_DELAY, "run delay", "ns") /* runnable without a processor, schedstat */                  \
    X(KERNEL_TIME, "kernel time of computation", "ns")                                             \
    X(PAGE_FAULTS, "page faults of computation", "#") /* without reading from a disk */            \
    X(PAGE_FAULTS_DISK, "page faults of computation from disk", "#")                               \
    X(PREEMPTIONS, "preemptions of computation", "#") /* involuntary switches */                   \
    X(SWITCHES_VOLUNTARY, "voluntary switches of computation", "#")                                \
    X(READING_TIME, "readings of processor times", "ns") /* what finding these out has taken */

typedef enum {
#define FM_PROCESSOR_TIME(symbol, name, unit) FM_##symbol,
    FM_PROCESSOR_TIMES(FM_PROCESSOR_TIME)
#undef FM_PROCESSOR_TIME
        FM_PROCESSOR_TIME_COUNT
} fm_processor_time_t;

/** What follows of these values for each stretch: of its time without a processor, the part in
 * which the thread waited in the operating system (the run delay is known, and shorter), and the
 * part of which is not known whether it waited there or for a processor (the run delay is unknown).
 */
enum { FM_BLOCKED_TIME = FM_PROCESSOR_TIME_COUNT, FM_UNRESOLVED_TIME, FM_STRETCH_TIME_COUNT };

/** @return whether values are numbers of events, not nanoseconds. */
static inline bool fm_processor_time_is_number(fm_processor_time_t which)
{
    return which >= FM_PAGE_FAULTS && which != FM_READING_TIME;
}

#endif
