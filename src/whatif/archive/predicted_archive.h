/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A predicted run as an archive: the measured one with its new times, without removed calls. */
#ifndef FERMATA_WHATIF_ARCHIVE_PREDICTED_ARCHIVE_H
#define FERMATA_WHATIF_ARCHIVE_PREDICTED_ARCHIVE_H

#include "whatif/prediction.h"

/** Writes DIRECTORY/traces.otf2.
 * @param has_partner_fences  a change makes fences wait for their partners only: the archive states
 * it
 * @param directory  must not exist; is created completely or not at all
 * @return FM_ERR_USAGE: the directory exists; FM_ERR_SYSTEM: it cannot be written */
fm_status_t fm_predicted_archive_write(const struct fm_detail *detail,
                                       const struct fm_prediction *prediction,
                                       bool has_partner_fences, const char *directory,
                                       struct fm_error *error);

#endif
