/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A timeline of any size as tiles of bounded size, each a separate bundle
 * (bundle.h), as served by `fermata view`. The view of a whole run needs a few tiles with coarse
 * cells, a zoomed view a few tiles with finer cells, and the finest views tiles with single events.
 *
 * The file (tile_store.h) contains, in ascending order of tile numbers:
 * - cells (tile_cells.h), for each level and in it each band of FM_TILE_ROWS rows: one tile of the
 *   whole run, two of its halves, four of its quarters, ... down to the level's depth: the tile of
 *   part `column` of 2^d is number first + band * (2^(depth + 1) - 1) + 2^d - 1 + column;
 * - cells of another level, likewise, with a row for each group of similar locations
 * (similar_locations.h);
 * - single events (tile_events.h);
 * - the values of each counter (counter_data.h);
 * - as the last tile the index, a bundle whose JSON has "version", "length" (ticks), "calls",
 *   "locations", "rows" (FM_TILE_ROWS), "bins" (FM_TILE_BINS), "waits" (the kinds of wait states,
 *   metrics), "levels": each with "group" (locations in a row), "first", "bands", "depth";
 *   "alike_level": "first", "depth" of the level of similar locations, which has one band;
 *   "first_event" (number), "alike" (similar_locations.h), "counters" (counter_data.h, with the
 * number of its tile); and columns `event_first` (of each band, relative to `first_event`),
 * `event_from` (ticks), `event_calls`, and those of similar_locations.h.
 */
#ifndef FERMATA_VIEW_TILES_TILES_H
#define FERMATA_VIEW_TILES_TILES_H

#include "analysis/detail.h"
#include "cube/model/cube.h"

#include <stdio.h>

/** Version of the contents of the file; files of other versions are rebuilt. */
#define FM_TILES_VERSION 6U

/** Writes the file of tiles.
 * @param detail  of the run that `cube` is the report of
 * @param key     of the report: tile_store.h
 * @param stream  positioned at its begin; errors are left in the stream */
fm_status_t fm_tiles_write(const struct fm_detail *detail, const struct fm_cube *cube, uint64_t key,
                           FILE *stream, struct fm_error *error);

#endif
