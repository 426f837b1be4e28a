/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The works of a stream of an accelerator as events. They are reported in any order: they are
 * collected, sorted and written when no more follow. A work is a region with a parameter, the
 * number that its launch has, too; a measured kernel also has values of counters
 * (base/kernel_activity.h).
 */
#ifndef FERMATA_RECORD_CONVERSION_STREAM_EVENTS_H
#define FERMATA_RECORD_CONVERSION_STREAM_EVENTS_H

#include "base/kernel_activity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fm_thread;

/** A kernel, or another work. Times in clock ticks. */
struct fm_stream_work_event {
    uint64_t begin, end;
    uint64_t correlation; /**< of its launch */
    uint32_t region;      /**< number of its definition */
};

/** What was active inside of the accelerator during a kernel. */
struct fm_stream_activity {
    uint64_t correlation;                    /**< of its launch */
    double values[FM_KERNEL_ACTIVITY_COUNT]; /**< NAN: not known */
};

/** The works of a location so far. Zeroed: it is no stream, or has none. */
struct fm_stream_events {
    uint64_t begin[2]; /**< the STREAM_BEGIN record; set in the recorded process only */
    struct fm_stream_work_event *items;
    size_t count, room;
    struct fm_stream_activity *activities;
    size_t activity_count, activity_room;
};

/** Adds a STREAM_BEGIN, STREAM_WORK or STREAM_ACTIVITY record of the location. */
void fm_stream_event(struct fm_thread *stream, const uint64_t *record);

/** Notes a stream (archive/streams.h) from its STREAM_BEGIN record: before the calls of the process
 * that wait for streams are written. */
void fm_stream_declare(struct fm_thread *stream, const uint64_t *record);

/** Writes the parameters of a call, from a CORRELATION, STREAM_AWAITED, CONTEXT_AWAITED,
 * STREAM_EVENT or STREAM_WAITS record.
 * @param time  of the event */
void fm_stream_parameter(struct fm_thread *thread, const uint64_t *record, uint64_t time);

/** Writes the works of a stream, and frees them; other locations have none. Works of one stream
 * that were active at the same time, as those of a graph may be, share its time: each has the part
 * behind the end of the works before it. Those without such a part are not written. A stream that
 * waits for an event before its first work begins with a region of no length at this time. The
 * threads' records must be converted before. */
void fm_stream_events_end(struct fm_thread *stream);

/** Begins the records of a process. */
void fm_stream_events_begin(void);

#endif
