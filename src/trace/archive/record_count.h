/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * How many records OTF2's reader may read from a file of a location. Private to src/trace.
 *
 * OTF2's reader does not detect the end of a truncated file: after the last byte it continues with
 * the previous content of its buffers, possibly without end. These functions skip from record to
 * record as OTF2 does, without decoding the fields.
 */
#ifndef FERMATA_TRACE_ARCHIVE_RECORD_COUNT_H
#define FERMATA_TRACE_ARCHIVE_RECORD_COUNT_H

#include "trace/archive/event_file.h"

/** Counts the events of a location's file.
 * @return the number of whole events if the file is truncated; the number of events plus one if the
 * file has an end, which OTF2 then reaches unless it detects damage before; UINT64_MAX if the
 * format is not supported */
uint64_t fm_record_count_events(struct fm_event_files *files, uint64_t location);

/** Counts the definitions of a location's file, with the same results. */
uint64_t fm_record_count_definitions(struct fm_event_files *files, uint64_t location);

#endif
