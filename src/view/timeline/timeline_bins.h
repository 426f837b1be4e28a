/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * An overview of a timeline that is too long to be shown whole: bins of the time by groups of
 * locations.
 *
 * Columns, in percent of the CPU time of each cell, [row][bin]: `bin_compute`, `bin_call` (in
 * calls, not waiting), and `bin_wait`, consecutively for each kind of wait state; and the same for
 * each group of similar locations (similar_locations.h): `alike_compute`, `alike_call`,
 * `alike_wait`. If a row has several neighbouring locations, also the spread of their waiting
 * (waiting_spread.h): `bin_least`, `bin_middle`, `bin_most`.
 */
#ifndef FERMATA_VIEW_TIMELINE_TIMELINE_BINS_H
#define FERMATA_VIEW_TIMELINE_TIMELINE_BINS_H

#include "analysis/detail.h"
#include "cube/model/cube.h"
#include "view/bundle.h"
#include "view/tiles/tile_cells.h"
#include "view/timeline/clusters.h"

/** Adds the columns and the member "bins": "count" (equal parts of the run's time), "rows", "group"
 * (number of neighbouring locations in a row; fewer in the last one), "waits" (the kinds of wait
 * states, metrics). */
void fm_timeline_bins_add(struct fm_bundle *bundle, const struct fm_detail *detail,
                          const struct fm_cube *cube, const struct fm_wait_kinds *kinds,
                          const struct fm_clusters *alike);

#endif
