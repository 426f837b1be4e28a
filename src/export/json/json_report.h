/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The report as JSON (docs/report-json.md). Output is streamed from the cube without additional
 * memory. A write error is FM_ERR_SYSTEM.
 */
#ifndef FERMATA_EXPORT_JSON_JSON_REPORT_H
#define FERMATA_EXPORT_JSON_JSON_REPORT_H

#include "base/json/json_writer.h"
#include "cube/derived/expression.h"
#include "cube/view/view.h"

#include <stdio.h>

/** Writes JSON of the layout "fermata-report", version 2 (docs/report-json.md). Definitions are
 * written for the whole cube, severities for the view. */
fm_status_t fm_export_json(const struct fm_view *view, FILE *stream, struct fm_error *error);

/** Derived data that a report contains on request. */
struct fm_json_derived {
    const struct fm_expression *const *definitions; /**< member "derived" */
    unsigned count;
    const char *parameter; /**< member "parameter": its values; NULL: none */
};

/** fm_export_json() with derived data.
 * @return FM_ERR_USAGE: there is no such parameter; nothing is written then */
fm_status_t fm_export_json_with(const struct fm_view *view, const struct fm_json_derived *derived,
                                FILE *stream, struct fm_error *error);

/** The large parts of the JSON, which other documents store in another form. */
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

/** Writes the object of fm_export_json() as a member of another object; of the large parts only
 * those in `parts`. Errors are left in the stream.
 * @param key  of the member; NULL: outside any object */
void fm_export_json_parts(const struct fm_view *view, unsigned parts, const char *key,
                          struct fm_json *json);

#endif
