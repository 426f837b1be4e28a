/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * All data of a report for the page, as a bundle.
 *
 * Members of its JSON: "report", the report's own JSON (docs/report-json.md) without severities,
 * critical path, phases and matrices, which are columns (severities.h; `path_location`, and
 * `path_edge`: begin of the first segment, end of each, in ticks; phase_data.h, matrix_data.h);
 * "metrics": for each metric of the report, in its order, "formula", "advice", "wait_state", "cost"
 * (its values are fixed-point); "summary": the report in words; "environment": versions, host and
 * command of the recording, or null; "name": of the run (fm_page_extras); "precision": number of
 * binary digits of rounded times, null if they are exact; "sources" (source_data.h); "topologies"
 * (topology_data.h).
 */
#ifndef FERMATA_VIEW_REPORT_REPORT_DATA_H
#define FERMATA_VIEW_REPORT_REPORT_DATA_H

#include "cube/model/cube.h"

#include <stdbool.h>
#include <stddef.h>

/** Data of a page beside the report. */
struct fm_page_extras {
    const char *name;        /**< of the run, where several are compared: where it was opened */
    const char *environment; /**< JSON text about the recording; NULL: unknown */
    bool sources; /**< whether to include excerpts of the program's sources: source_data.h */
};

/** Makes the compressed bundle.
 * @param cube   sealed
 * @param limit  approximate maximum number of bytes; times are rounded, if necessary, until the
 * bundle fits or three decimal digits are left
 * @param bytes  out: to be freed with fm_free(), `size` bytes; set only on success */
fm_status_t fm_report_data_make(const struct fm_cube *cube, const struct fm_page_extras *extras,
                                size_t limit, unsigned char **bytes, size_t *size,
                                struct fm_error *error);

#endif
