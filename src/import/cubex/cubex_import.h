/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Reads a report of other tools: a Cube 4 file (.cubex) of Score-P, Scalasca, TAU, or our own
 * export.
 *
 * Metrics are those of the same unique name (cube/model/metrics.def has the names that Score-P and
 * Scalasca use). Others are declared: times below the metric that they are part of, counts as
 * counters. Time of a file that does not divide it by kinds of calls belongs to the metric of the
 * function's own time. Values that do not add up (extremes, distributions), and those that are
 * computed by expressions, are left out, which a warning of the cube states.
 */
#ifndef FERMATA_IMPORT_CUBEX_CUBEX_IMPORT_H
#define FERMATA_IMPORT_CUBEX_CUBEX_IMPORT_H

#include "cube/model/cube.h"

#include <stdbool.h>

/** @return whether a file is a Cube 4 file, by its content: an archive, which may be compressed. */
bool fm_cubex_is_one(const char *path);

/** Reads a file. Times are in nanoseconds.
 * @param cube  out: to be freed with fm_cube_free(); set only on success
 * @return FM_ERR_DATA: damaged, or no Cube file; FM_ERR_SYSTEM: it cannot be read */
fm_status_t fm_cubex_import(const char *path, struct fm_cube **cube, struct fm_error *error);

#endif
