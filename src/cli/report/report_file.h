/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Where the report of an experiment is.
 */
#ifndef FERMATA_CLI_REPORT_REPORT_FILE_H
#define FERMATA_CLI_REPORT_REPORT_FILE_H

#include "cube/model/cube.h"

#include <stdbool.h>

/** Reads the report of an experiment.
 * @param place  experiment directory after `fermata analyze`, or a report file: our own, or a Cube
 * 4 file of other tools; a directory without a trace may have one
 * @param cube   out: to be freed with fm_cube_free(); set only on success */
fm_status_t fm_load_report(const char *place, struct fm_cube **cube, struct fm_error *error);

/** @return whether a place is an archive without a report: an experiment directory before `fermata
 * analyze`, or an anchor file. */
bool fm_lacks_report(const char *place);

/** @return the path of the file `name` in the directory that `place` is or lies in; to be freed,
 * NULL without memory. */
char *fm_path_beside_report(const char *place, const char *name);

#endif
