/** @file
 * Views of a severity cube: the cells that a selection leaves, added up along one dimension at a
 * time, exclusive and inclusive. Read-only; thread-safe for distinct views.
 */
#ifndef FERMATA_CUBE_MODEL_VIEW_H
#define FERMATA_CUBE_MODEL_VIEW_H

#include "cube/model/cube.h"

#include <stdbool.h>

/** The selected part of the cube. fm_selection_all() selects everything. */
struct fm_selection {
    fm_metric_t metric;      /**< this metric and all below it; FM_METRIC_NONE: every metric */
    bool metric_exclusive;   /**< without those below */
    uint32_t callpath;       /**< this call path and all below it; FM_CUBE_NONE: every one */
    bool callpath_exclusive; /**< without those below */
    uint32_t rank;           /**< FM_CUBE_NONE: all */
    uint32_t thread;         /**< of this rank; FM_CUBE_NONE: all */
};

/** @return the selection of the whole cube. */
struct fm_selection fm_selection_all(void);

struct fm_view {
    const struct fm_cube *cube;
    struct fm_selection selection;
    bool *callpaths; /**< for each call path: selected */
    bool *locations; /**< for each location: selected */
    bool metrics[FM_METRIC_COUNT];
};

/** Prepares a view of a sealed cube, which must live as long.
 * @param view  out: to be released with fm_view_release() */
fm_status_t fm_view_prepare(struct fm_view *view, const struct fm_cube *cube,
                            const struct fm_selection *selection, struct fm_error *error);

/** Releases what fm_view_prepare() made. */
void fm_view_release(struct fm_view *view);

/** @return whether the selection includes the cell. */
bool fm_view_contains(const struct fm_view *view, const struct fm_cube_cell *cell);

/** @return whether `metric` is `ancestor` or below it. */
bool fm_metric_is_within(fm_metric_t metric, fm_metric_t ancestor);

/** Adds up over call paths and locations. Values of different units share the arrays, each at its
 * own metric. Sums that exceed 64 bits stay at the largest number, here and below.
 * @param exclusive, inclusive  out: FM_METRIC_COUNT values each; either may be NULL */
void fm_view_metrics(const struct fm_view *view, int64_t *exclusive, int64_t *inclusive);

/** Adds up over the selected metrics (of one unit, for the sum to make sense) and locations.
 * @param exclusive, inclusive  out: cube->callpath_count values each; either may be NULL */
void fm_view_callpaths(const struct fm_view *view, int64_t *exclusive, int64_t *inclusive);

/** Adds up over the selected metrics and call paths.
 * @param values  out: cube->location_count values */
void fm_view_locations(const struct fm_view *view, int64_t *values);

/** @return the sum of all selected cells. */
int64_t fm_view_total(const struct fm_view *view);

/** Makes a cube of the subtree at call path `root` only, which becomes the one root of the call
 * forest. The distribution of a wait state's instances can only be kept where all of them lie in
 * the subtree; a warning names those left out, and states that locks are left out.
 * @param restricted  out: sealed, to be freed with fm_cube_free(); set only on success */
fm_status_t fm_cube_restrict(const struct fm_cube *cube, uint32_t root, struct fm_cube **restricted,
                             struct fm_error *error);

/** @return a value of `metric` for people and tools: seconds for times, else the number itself. */
double fm_cube_scaled(const struct fm_cube *cube, fm_metric_t metric, int64_t value);

#endif
