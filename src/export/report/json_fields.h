/** @file
 * Pieces of JSON that the export consists of: `"key":value`, and the parts of the report that have
 * files of their own. Errors stay in the stream.
 */
#ifndef FERMATA_EXPORT_REPORT_JSON_FIELDS_H
#define FERMATA_EXPORT_REPORT_JSON_FIELDS_H

#include "cube/model/cube.h"

#include <stdio.h>

/** Write a key with a text (NULL: null), an index (FM_CUBE_NONE: null), a number (NAN: null), a
 * time in seconds, an integer. */
void fm_json_text(FILE *stream, const char *key, const char *text);
void fm_json_index(FILE *stream, const char *key, uint32_t index);
void fm_json_number(FILE *stream, const char *key, double value);
void fm_json_seconds(FILE *stream, const char *key, const struct fm_cube *cube, uint64_t ticks);
void fm_json_integer(FILE *stream, const char *key, uint64_t value);

/** Write a member of the report's object, without a comma behind it. */
void fm_json_put_options(FILE *stream, const struct fm_cube *cube);
void fm_json_put_efficiency(FILE *stream, const struct fm_cube *cube);
void fm_json_put_phases(FILE *stream, const struct fm_cube *cube);
void fm_json_put_time_bins(FILE *stream, const struct fm_cube *cube);
void fm_json_put_matrices(FILE *stream, const struct fm_cube *cube);
void fm_json_put_topologies(FILE *stream, const struct fm_cube *cube);

#endif
