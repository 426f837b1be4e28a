/** @file
 * How far OTF2's reader may read a file of a location. Private to src/trace.
 *
 * It does not notice where a file ends: behind the last byte of one that was cut off it goes on
 * with what its buffers held before, for ever if that makes sense. These functions skip from record
 * to record as it does, and look at nothing else.
 */
#ifndef FERMATA_TRACE_ARCHIVE_RECORD_COUNT_H
#define FERMATA_TRACE_ARCHIVE_RECORD_COUNT_H

#include "trace/archive/event_file.h"

/** Counts the events of a location's file.
 * @return the number of those that are whole, if the file was cut off; one more than there are, if
 * it has an end: OTF2 finds that, unless it finds damage before; UINT64_MAX if the file is not
 * understood */
uint64_t fm_record_count_events(struct fm_event_files *files, uint64_t location);

/** Likewise, for the definitions. */
uint64_t fm_record_count_definitions(struct fm_event_files *files, uint64_t location);

#endif
