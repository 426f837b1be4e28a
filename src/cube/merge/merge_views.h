/** @file
 * The parts of merged reports that are no severities: phases, waiting by parts of the run,
 * matrices, options of the analysis.
 */
#ifndef FERMATA_CUBE_MERGE_MERGE_VIEWS_H
#define FERMATA_CUBE_MERGE_MERGE_VIEWS_H

#include "cube/merge/combine.h"

/** Adds those of cube `c` that no cube before had to the frame of the combination. Waiting by parts
 * of the run is left out where the locations of its rows are not together in the frame. */
fm_status_t fm_merge_views(struct fm_combination *combination, size_t c, struct fm_error *error);

#endif
