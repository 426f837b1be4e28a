/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the files of this room share: the tables of the process whose records are being converted,
 * and the order and sizes of its events. Private to src/record/conversion.
 */
#ifndef FERMATA_RECORD_CONVERSION_CONVERT_STATE_H
#define FERMATA_RECORD_CONVERSION_CONVERT_STATE_H

#include "record/archive/archive.h"
#include "record/capture/hot.h"
#include "record/conversion/convert.h"
#include "record/conversion/operation_events.h"

#include <stdbool.h>
#include <stdint.h>

/** State of the conversion. All events pass through it: it is one structure, not an argument. */
struct fm_convert_state {
    const struct fm_callsites *callsites;
    struct fm_event_regions *regions;
    struct fm_definitions *definitions;
    /* What is left out. */
    struct fm_archive_limits limits;
    uint64_t written;  /**< bytes of the process's events, at most */
    uint64_t stamp;    /**< time of the last event: a timestamp precedes each new time */
    bool has_exceeded; /**< records were left out because of the size */
    /* Longest times, in ticks, between two events in one visit of a function: anywhere in it, and
     * further ahead in its code. */
    uint64_t visit_anywhere, visit_ahead;
};
extern FM_HIDDEN struct fm_convert_state fm_convert_state;

/** Bytes in OTF2's event files: of a timestamp and, at most, of events with a number or two
 * (parameters, metrics, tasks) and of those with counts as attributes. */
enum { FM_TIMESTAMP_BYTES = 9, FM_RARE_BYTES = 16, FM_COUNT_BYTES = 80 };

/** @return the time of the next event: `time`, but not before the last event. */
static inline uint64_t fm_convert_not_before(struct fm_thread *thread, uint64_t time)
{
    if (time < thread->last_time) {
        time = thread->last_time;
    }
    thread->last_time = time;
    return time;
}

/** @return a time after the last event: regions and calls are strictly ordered and take at least a
 * tick. */
static inline uint64_t fm_convert_after_last(const struct fm_thread *thread, uint64_t time)
{
    return time > thread->last_time ? time : thread->last_time + 1;
}

/** Counts an event of at most `bytes` bytes that was written, with the result of OTF2's call. */
static inline void fm_convert_count_bytes(struct fm_thread *thread, uint64_t bytes,
                                          OTF2_ErrorCode code)
{
    thread->events++;
    fm_convert_state.written +=
        bytes + (thread->last_time != fm_convert_state.stamp ? FM_TIMESTAMP_BYTES : 0);
    fm_convert_state.stamp = thread->last_time;
    if (code != OTF2_SUCCESS) {
        fm_archive_check(code);
    }
}

/** Counts a rare event. */
static inline void fm_convert_count(struct fm_thread *thread, OTF2_ErrorCode code)
{
    fm_convert_count_bytes(thread, FM_RARE_BYTES, code);
}

/** Counts the Enter or Leave of a region. */
static inline void fm_convert_count_region(struct fm_thread *thread, uint32_t region,
                                           OTF2_ErrorCode code)
{
    fm_convert_count_bytes(thread, fm_region_event_bytes(region), code);
}

/** Ends the writing of the archive unless something that needs memory was done. */
static inline void fm_convert_check(bool done)
{
    if (!done) {
        fm_archive_check(OTF2_ERROR_MEM_ALLOC_FAILED);
    }
}

/** @return the name of a region of the program's definitions; "" where journals are damaged. */
static inline const char *fm_convert_region_name(uint32_t region)
{
    return region < fm_convert_state.definitions->tables[FM_DEFINE_REGION].count
               ? fm_defined_string(
                     fm_convert_state.definitions,
                     fm_defined(fm_convert_state.definitions, FM_DEFINE_REGION, region, NULL)[0])
               : "";
}

/** @return whether a region is a phase. */
static inline bool fm_convert_is_phase(uint32_t region)
{
    return region < fm_convert_state.definitions->tables[FM_DEFINE_REGION].count &&
           (fm_defined(fm_convert_state.definitions, FM_DEFINE_REGION, region, NULL)[3] &
            OTF2_REGION_FLAG_PHASE) != 0;
}

/** Brings the path up to date before an event that begins in it at `enter`, and writes the
 * processor times of the stretch before, in the code that computed. */
void fm_convert_begin_event(struct fm_thread *thread, uint64_t enter);

#endif
