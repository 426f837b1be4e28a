/** @file
 * A predicted run as an archive: the measured one with its new times, without removed calls. */
#ifndef FERMATA_WHATIF_ARCHIVE_PREDICTED_ARCHIVE_H
#define FERMATA_WHATIF_ARCHIVE_PREDICTED_ARCHIVE_H

#include "analysis/detail.h"
#include "analysis/replay/replay.h"

/** Writes DIRECTORY/traces.otf2.
 * @param directory  must not exist; is created completely or not at all
 * @param edits      [location], as for the replay; NULL: none
 * @return FM_ERR_USAGE: the directory exists; FM_ERR_SYSTEM: it cannot be written */
fm_status_t fm_predicted_archive_write(const struct fm_detail *detail,
                                       const struct fm_replay *replay, const struct fm_edits *edits,
                                       const char *directory, struct fm_error *error);

#endif
