/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Conversion of the compact records of a process to OTF2 events, through the open archive
 * (archive/archive.h). Used by one thread, for one process after the other.
 */
#ifndef FERMATA_RECORD_CONVERSION_CONVERT_H
#define FERMATA_RECORD_CONVERSION_CONVERT_H

#include "record/archive/define.h"
#include "record/archive/event_regions.h"
#include "record/capture/thread.h"
#include "record/paradigm/region.h"
#include "record/selection/thinning.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Writes records as OTF2 events up to the first damaged one. @return whether all
 * records were valid */
bool fm_convert_records(struct fm_thread *thread, const uint64_t *records, size_t words,
                        size_t functions);

/** Writes the Leave of the pending call, if any, and then the BufferFlush due before the next
 * event, whose time is `next`. */
void fm_convert_pending(struct fm_thread *thread, uint64_t next);

/** Writes the Leave of every open region at the time of the last event, after which nothing was
 * recorded. */
void fm_convert_end(struct fm_thread *thread);

/** Writes the call that the thread was in when its process ended, if it was in one and the records
 * so far do not have it, with what it waits for. */
void fm_convert_open(struct fm_thread *thread, const struct fm_shown_call *open, size_t functions);

/** Ends the records of a thread whose process was killed: what is open stays open. */
void fm_convert_end_killed(struct fm_thread *thread);

/** Writes the Enters and Leaves due before the call that the thread is in; the call itself is
 * recorded later. */
void fm_convert_open_call(struct fm_thread *thread);

/** Begins the records of a process and marks all functions as unused.
 * @param set      definitions of the process; valid, like `sites`, while records are written
 * @param sites    functions and lines of its call sites
 * @param regions  receives the region numbers in the events, starting at 0 */
void fm_convert_begin(struct fm_definitions *set, const struct fm_callsites *sites,
                      struct fm_event_regions *regions, uint64_t ticks_per_second);

/** What is left out of the events of a process. */
struct fm_archive_limits {
    const struct fm_thinning *thinning; /**< iterations; NULL: all are kept */
    uint64_t bytes; /**< of its events: records beyond this size become a pause; UINT64_MAX: none */
    const struct fm_recorded_region *functions; /**< by number */
    size_t function_count;
};

/** Sets what is left out, after fm_convert_begin, which has set that nothing is; what it refers to
 * is valid while records are written. */
void fm_convert_limit(const struct fm_archive_limits *limits);

/** Whether records were left out because of their size. */
bool fm_convert_has_exceeded(void);

/** Which functions have an event, by number. */
extern bool fm_functions_used[FM_FUNCTIONS_MOST];

#endif
