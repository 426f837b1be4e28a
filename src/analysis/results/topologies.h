/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The cartesian topologies of the program's communicators in the report.
 */
#ifndef FERMATA_ANALYSIS_RESULTS_TOPOLOGIES_H
#define FERMATA_ANALYSIS_RESULTS_TOPOLOGIES_H

#include "cube/model/cube.h"
#include "trace/tables/trace.h"

/** Adds the topologies of the trace to the cube, which has its locations already: the first
 * FM_CUBE_TOPOLOGIES ones that have members. Members without coordinates, or with coordinates
 * outside of the topology, are left out. */
fm_status_t fm_topologies_add(const struct fm_trace *trace, struct fm_cube *cube,
                              struct fm_error *error);

#endif
