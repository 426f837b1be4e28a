/** @file
 * The cube in formats for other tools. Exporters stream: they need no memory beyond that of the
 * cube and one text per call path. Names are made valid UTF-8. A stream that cannot take the data
 * gives FM_ERR_SYSTEM.
 */
#ifndef FERMATA_EXPORT_REPORT_REPORT_WRITERS_H
#define FERMATA_EXPORT_REPORT_REPORT_WRITERS_H

#include "cube/model/view.h"

#include <stdio.h>

/** Writes JSON of the layout "fermata-report", version 1 (docs/report-json.md). The definitions are
 * those of the whole cube, the severities those of the view. */
fm_status_t fm_export_json(const struct fm_view *view, FILE *stream, struct fm_error *error);

/** The bulky parts of the JSON, which other documents hold in another form. */
enum {
    FM_EXPORT_SEVERITIES = 1,
    FM_EXPORT_CRITICAL_PATH = 2,
    FM_EXPORT_EFFICIENCY = 4,
    FM_EXPORT_PHASES = 8,
    FM_EXPORT_TIME_BINS = 16,
    FM_EXPORT_MATRICES = 32,
    FM_EXPORT_TOPOLOGIES = 64,
    FM_EXPORT_ALL = 127
};

/** As fm_export_json(), of the bulky parts only those in `parts`. Errors are left in the stream. */
void fm_export_json_parts(const struct fm_view *view, unsigned parts, FILE *stream);

/** Writes CSV (RFC 4180): a header line, then one line for each severity of the view, exclusive. */
fm_status_t fm_export_csv(const struct fm_view *view, FILE *stream, struct fm_error *error);

/** Writes the iterations of all phases as CSV: a header line, then one line for each row. */
fm_status_t fm_export_phases_csv(const struct fm_cube *cube, FILE *stream, struct fm_error *error);

/** Writes a matrix as CSV: a header line, then one line for each link. */
fm_status_t fm_export_matrix_csv(const struct fm_cube *cube, enum fm_cube_matrix_kind kind,
                                 FILE *stream, struct fm_error *error);

#endif
