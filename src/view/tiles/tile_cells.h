/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Cells of a timeline: the shares of computation, calls, and waiting of each kind in the CPU time
 * of a group of locations in one bin of the time. A tile has FM_TILE_ROWS rows of equally many
 * neighbouring locations, or of similar ones (similar_locations.h), and FM_TILE_BINS bins. If rows
 * have several neighbouring locations, the tile also has the spread of their waiting
 * (waiting_spread.h).
 */
#ifndef FERMATA_VIEW_TILES_TILE_CELLS_H
#define FERMATA_VIEW_TILES_TILE_CELLS_H

#include "analysis/detail.h"
#include "view/bundle.h"
#include "view/timeline/clusters.h"

#define FM_TILE_ROWS 64U
#define FM_TILE_BINS 256U

/** The kinds of wait states that occur in a run. */
struct fm_wait_kinds {
    uint32_t count;
    uint8_t metrics[FM_METRIC_COUNT]; /**< ascending */
    uint8_t of[FM_METRIC_COUNT];      /**< [metric]: position in `metrics`, for the metrics in it */
};

/** @return the kinds of wait states that occur. */
struct fm_wait_kinds fm_wait_kinds_find(const struct fm_detail *detail);

/** The state of a walk through a location: the first call and wait state that may affect later
 * times. */
struct fm_cell_cursor {
    size_t call, wait;
};

/** A band: the locations of one row of tiles, processed from the begin of the run to its end. */
struct fm_cell_band {
    const struct fm_detail *detail;
    const struct fm_wait_kinds *kinds;
    uint64_t begin, length; /**< of the run, ticks */
    uint32_t first, count;  /**< first location and number of locations */
    uint32_t group;         /**< number of locations in a row */
    const struct fm_clusters
        *alike; /**< rows of similar locations; NULL: rows of neighbouring locations */
    struct fm_cell_cursor *cursors;
};

/** Begins a band. The caller ends it with fm_cell_band_close(). */
void fm_cell_band_open(struct fm_cell_band *band, const struct fm_detail *detail,
                       const struct fm_wait_kinds *kinds, uint32_t first, uint32_t group);

/** Begins a band of all locations, with a row for each group of similar locations: FM_TILE_ROWS at
 * most. */
void fm_cell_band_open_alike(struct fm_cell_band *band, const struct fm_detail *detail,
                             const struct fm_wait_kinds *kinds, const struct fm_clusters *alike);
void fm_cell_band_close(struct fm_cell_band *band);

/** The ticks of a tile: planes of [row][bin]: time in the run, time in calls, waiting by kind. */
struct fm_cells {
    uint64_t *ticks;
    uint16_t *waiting; /**< [location][bin]: its share of waiting; NULL: without spread */
};

/** @return the number of cells of a tile in all planes. */
size_t fm_cells_count(const struct fm_wait_kinds *kinds);

/** @return the number of elements of `waiting` for a band of `group` locations in a row. */
static inline size_t fm_cells_waiting_count(uint32_t group)
{
    return (size_t)FM_TILE_ROWS * group * FM_TILE_BINS;
}

/** Sets the cells of part `column` of 2^depth equal parts of the run. Must be called with ascending
 * columns of one depth. */
void fm_cells_measure(struct fm_cells *cells, struct fm_cell_band *band, unsigned depth,
                      uint64_t column);

/** Computes cells from those of two neighbouring time windows, `half` 0 and then 1; each pair of
 * bins becomes one bin. */
void fm_cells_halve(struct fm_cells *cells, const struct fm_cells *part, unsigned half,
                    const struct fm_cell_band *band);

/** Adds columns `compute`, `call`, and `wait`, consecutively for each kind that occurs, all in
 * percent, [row][bin]; with spread also `least`, `middle` and `most`; and the members "kinds"
 * (positions in the run's kinds) and "rows". */
void fm_cells_add(struct fm_bundle *bundle, const struct fm_cells *cells,
                  const struct fm_cell_band *band, unsigned depth, uint64_t column);

#endif
