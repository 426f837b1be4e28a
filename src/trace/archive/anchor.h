/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The anchor file of an OTF2 archive: its path and the reader that it opens.
 */
#ifndef FERMATA_TRACE_ARCHIVE_ANCHOR_H
#define FERMATA_TRACE_ARCHIVE_ANCHOR_H

#include "base/error.h"

#include <otf2/otf2.h>
#include <stdbool.h>

/** Finds the anchor file of an archive.
 * @param archive  experiment directory that holds traces.otf2, or path of an anchor file
 * @param anchor   out: path, to be freed with fm_free(); set only on success */
fm_status_t fm_anchor_find(const char *archive, char **anchor, struct fm_error *error);

/** Locations that one OTF2 reader may select at most: it searches all selected locations for each
 * location that it reads, so that the cost grows with the square of their number. */
#define FM_LOCATIONS_OF_A_READER 512

/** Opens an archive for reading; from now on OTF2's messages are kept (trace/archive/otf2_error.h).
 * An anchor file that would keep OTF2 busy for minutes is refused before.
 * @param reader  out: to be closed with OTF2_Reader_Close(); set only on success */
fm_status_t fm_anchor_open(const char *anchor, OTF2_Reader **reader, struct fm_error *error);

/** @return whether fermata has written an archive, by the creator that its anchor file states.
 * @param creator  may be NULL */
bool fm_anchor_is_own(const char *creator);

/** @return whether the archive has a file, readable or not, that has the name of the anchor file
 * with `rest` instead of .otf2. */
bool fm_anchor_has_file(const char *anchor, const char *rest);

/** @return whether there is a file of the local definitions of a location, readable or not. */
bool fm_anchor_has_definitions(const char *anchor, uint64_t location);

#endif
