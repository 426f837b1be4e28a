/** @file
 * Markers of the program ("checkpoint written"). They are no events: OTF2 keeps them in a file of
 * the whole archive. While records become events markers are put aside; then they become
 * definitions, which find their way to rank 0. Used by one thread.
 */
#ifndef FERMATA_RECORD_ARCHIVE_MARKER_H
#define FERMATA_RECORD_ARCHIVE_MARKER_H

#include "record/archive/define.h"

/** Puts a marker of this process aside.
 * @param text  number of its string
 * @return false without memory */
bool fm_marker_note(uint32_t thread, uint64_t time, uint32_t text);

/** Makes definitions of the markers put aside, and forgets those.
 * @param to_global  rank 0's time for a time of this process; `context` is handed to it
 * @return false without memory */
bool fm_markers_define(struct fm_definitions *set, uint32_t rank,
                       uint64_t (*to_global)(const void *context, uint64_t time),
                       const void *context);

/** Writes the file of markers from a merged set; without markers there is none. Of the archive that
 * is open (archive.h), on rank 0. */
void fm_markers_write(const struct fm_definitions *set);

/** Bytes that they take there, at most. */
uint64_t fm_markers_bytes(const struct fm_definitions *set);

#endif
