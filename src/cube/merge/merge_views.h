/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The parts of merged reports beside the severities: phases, waiting by time bins, matrices,
 * options of the analysis, problems.
 */
#ifndef FERMATA_CUBE_MERGE_MERGE_VIEWS_H
#define FERMATA_CUBE_MERGE_MERGE_VIEWS_H

#include "cube/merge/combine.h"

/** Adds the parts of cube `c` that no previous cube had to the frame of the combination. Waiting by
 * time bins is left out if the locations of one of its rows are not consecutive in the frame. */
fm_status_t fm_merge_views(struct fm_combination *combination, size_t c, struct fm_error *error);

/** Adds the problems of cube `c` to the frame of the combination.
 * @param has_its_phases  whether the phases of the frame are those of cube `c`
 * @param has_its_locks   whether the locks of the frame are those of cube `c` */
fm_status_t fm_merge_problems(struct fm_combination *combination, size_t c, bool has_its_phases,
                              bool has_its_locks, struct fm_error *error);

#endif
