/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Parts of the report as CSV (RFC 4180). Output is streamed from the cube, with memory for the text
 * of one call path. A write error is FM_ERR_SYSTEM.
 */
#ifndef FERMATA_EXPORT_CSV_CSV_REPORT_H
#define FERMATA_EXPORT_CSV_CSV_REPORT_H

#include "cube/view/view.h"

#include <stdio.h>

/** Writes the severities: a header line, then one line for each severity of the view, exclusive. */
fm_status_t fm_export_csv(const struct fm_view *view, FILE *stream, struct fm_error *error);

/** Writes the iterations of all phases as CSV: a header line, then one line for each row. */
fm_status_t fm_export_phases_csv(const struct fm_cube *cube, FILE *stream, struct fm_error *error);

/** Writes a matrix as CSV: a header line, then one line for each link. */
fm_status_t fm_export_matrix_csv(const struct fm_cube *cube, enum fm_cube_matrix_kind kind,
                                 FILE *stream, struct fm_error *error);

#endif
