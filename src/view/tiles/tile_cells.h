/** @file
 * Cells of a timeline: what part of the CPU time of some locations in some part of the time was
 * computation, calls, and waiting of each kind. A tile has FM_TILE_ROWS rows of equally many
 * neighbouring locations, or of those that are alike (alike.h), and FM_TILE_BINS parts of the time.
 */
#ifndef FERMATA_VIEW_TILES_TILE_CELLS_H
#define FERMATA_VIEW_TILES_TILE_CELLS_H

#include "analysis/detail.h"
#include "view/bundle.h"
#include "view/timeline/clusters.h"

#define FM_TILE_ROWS 64U
#define FM_TILE_BINS 256U

/** The kinds of wait states of a run. */
struct fm_wait_kinds {
    uint32_t count;
    uint8_t metrics[FM_METRIC_COUNT]; /**< ascending */
    uint8_t of[FM_METRIC_COUNT];      /**< position in `metrics` of those that are there */
};

/** @return the kinds that occur. */
struct fm_wait_kinds fm_wait_kinds_find(const struct fm_detail *detail);

/** Where the walk through a location stands: nothing before matters to later times. */
struct fm_cell_cursor {
    size_t call, wait;
};

/** A band: the locations that tiles of some row show, walked from the begin of the run to its end.
 */
struct fm_cell_band {
    const struct fm_detail *detail;
    const struct fm_wait_kinds *kinds;
    uint64_t begin, length; /**< of the run, ticks */
    uint32_t first, count;  /**< locations */
    uint32_t group;         /**< of them in a row */
    const struct fm_clusters
        *alike; /**< rows are those of similar locations; NULL: of neighbours */
    struct fm_cell_cursor *cursors;
};

/** Begins a band; to be ended with fm_cell_band_close(). */
void fm_cell_band_open(struct fm_cell_band *band, const struct fm_detail *detail,
                       const struct fm_wait_kinds *kinds, uint32_t first, uint32_t group);

/** Begins a band of all locations, a row for each group of alike ones: FM_TILE_ROWS at most. */
void fm_cell_band_open_alike(struct fm_cell_band *band, const struct fm_detail *detail,
                             const struct fm_wait_kinds *kinds, const struct fm_clusters *alike);
void fm_cell_band_close(struct fm_cell_band *band);

/** Ticks of a tile: planes of [row][bin]: in the run, in calls, waiting of each kind. */
struct fm_cells {
    uint64_t *ticks;
};

/** @return the number of cells of a tile, all planes. */
size_t fm_cells_count(const struct fm_wait_kinds *kinds);

/** Sets the cells of part `column` of 2^depth equal parts of the run. To be called with ascending
 * columns of one depth. */
void fm_cells_measure(struct fm_cells *cells, struct fm_cell_band *band, unsigned depth,
                      uint64_t column);

/** Sets cells to those of two neighbouring parts of the time, `half` 0 and then 1, of which each
 * pair of bins becomes one. */
void fm_cells_halve(struct fm_cells *cells, const struct fm_cells *part, unsigned half,
                    const struct fm_wait_kinds *kinds);

/** Adds columns `compute`, `call`, and for each kind that occurs behind one another `wait`, all in
 * percent, [row][bin]; and the members "kinds" (positions in the run's kinds) and "rows". */
void fm_cells_add(struct fm_bundle *bundle, const struct fm_cells *cells,
                  const struct fm_cell_band *band, unsigned depth, uint64_t column);

#endif
