/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Markers of the program ("checkpoint written"). Markers are not events: OTF2 stores them in one
 * file of the whole archive. The conversion of records to events collects the markers in a list;
 * they then become definitions, whose unification transfers them to rank 0. Used by one thread.
 */
#ifndef FERMATA_RECORD_ARCHIVE_MARKER_H
#define FERMATA_RECORD_ARCHIVE_MARKER_H

#include "record/archive/define.h"

/** Appends a marker of this process to the list.
 * @param text  number of its string
 * @return false without memory */
bool fm_marker_note(uint32_t thread, uint64_t time, uint32_t text);

/** Converts the listed markers to definitions and empties the list.
 * @param to_global  converts a time of this process to rank 0's time; receives `context`
 * @return false without memory */
bool fm_markers_define(struct fm_definitions *set, uint32_t rank,
                       uint64_t (*to_global)(const void *context, uint64_t time),
                       const void *context);

/** Writes the marker file of the open archive (archive.h) from a merged set; writes no file if
 * there are no markers. Rank 0 only. */
void fm_markers_write(const struct fm_definitions *set);

/** Upper bound of the size of the marker file, in bytes. */
uint64_t fm_markers_bytes(const struct fm_definitions *set);

#endif
