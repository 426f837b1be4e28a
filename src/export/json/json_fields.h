/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Members of the report's JSON object (docs/report-json.md). Errors stay in the stream.
 */
#ifndef FERMATA_EXPORT_JSON_JSON_FIELDS_H
#define FERMATA_EXPORT_JSON_JSON_FIELDS_H

#include "base/json/json_writer.h"
#include "cube/derived/parameter_table.h"
#include "export/json/json_report.h"

/** Writes an index; FM_CUBE_NONE: null. */
void fm_json_index(struct fm_json *json, const char *key, uint32_t index);

/** Writes a time in seconds. */
void fm_json_seconds(struct fm_json *json, const char *key, const struct fm_cube *cube,
                     uint64_t ticks);

/** Writes an error of times in seconds; null: errors are not known. */
void fm_json_error(struct fm_json *json, const char *key, const struct fm_cube *cube,
                   uint64_t ticks);

/** Write a member of the report's object. */
void fm_json_put_clock(struct fm_json *json, const struct fm_cube *cube);
void fm_json_put_options(struct fm_json *json, const struct fm_cube *cube);
void fm_json_put_path_errors(struct fm_json *json, const struct fm_cube *cube);
void fm_json_put_efficiency(struct fm_json *json, const struct fm_cube *cube);
void fm_json_put_phases(struct fm_json *json, const struct fm_cube *cube);
void fm_json_put_time_bins(struct fm_json *json, const struct fm_cube *cube);
void fm_json_put_matrices(struct fm_json *json, const struct fm_cube *cube);
void fm_json_put_topologies(struct fm_json *json, const struct fm_cube *cube);
void fm_json_put_hang(struct fm_json *json, const struct fm_cube *cube);
void fm_json_put_problems(struct fm_json *json, const struct fm_cube *cube);
void fm_json_put_parameter(struct fm_json *json, const struct fm_cube *cube,
                           const struct fm_json_derived *derived,
                           const struct fm_parameter_table *table);

/** Likewise; derived metrics take memory to compute. */
fm_status_t fm_json_put_derived(struct fm_json *json, const struct fm_view *view,
                                const struct fm_json_derived *derived, struct fm_error *error);

#endif
