/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Tiles with single events: all activities of FM_TILE_ROWS neighbouring locations in a time window.
 * Tiles have about equally many calls. Such a tile is a bundle with one window and the columns of
 * timeline_events.h; an arrow is in the tiles of both of its ends, a
 * team in all tiles that it has a part of.
 */
#ifndef FERMATA_VIEW_TILES_TILE_EVENTS_H
#define FERMATA_VIEW_TILES_TILE_EVENTS_H

#include "analysis/detail.h"
#include "view/columns.h"

/** The tiles with single events: sorted by band, in order of locations, then by time. */
struct fm_event_tiles {
    uint64_t begin, length; /**< of the run, ticks */
    uint32_t band_count;
    FM_VECTOR(size_t) first; /**< [band + 1]: the first tile of the band */
    fm_column from;          /**< [tile]: ticks since the begin of the run */
    fm_column calls;         /**< [tile]: number of calls that begin in it */
};

/** Determines the tiles; to be freed with fm_event_tiles_free(). */
void fm_event_tiles_choose(struct fm_event_tiles *tiles, const struct fm_detail *detail,
                           uint64_t begin, uint64_t length);
void fm_event_tiles_free(struct fm_event_tiles *tiles);

/** Receives a tile as a compressed bundle. */
typedef void fm_tile_sink(void *context, size_t tile, const void *bytes, size_t size);

/** Builds all tiles. */
fm_status_t fm_event_tiles_make(const struct fm_event_tiles *tiles, const struct fm_detail *detail,
                                fm_tile_sink *sink, void *context, struct fm_error *error);

#endif
