/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Views of a severity cube: exclusive and inclusive sums of the selected cells along one dimension
 * at a time. Views do not change the cube; distinct views may be used by distinct threads.
 */
#ifndef FERMATA_CUBE_VIEW_VIEW_H
#define FERMATA_CUBE_VIEW_VIEW_H

#include "cube/model/cube.h"

#include <stdbool.h>

/** The selected part of the cube. fm_selection_all() selects everything. */
struct fm_selection {
    fm_metric_t metric;      /**< this metric and its descendants; FM_METRIC_NONE: all metrics */
    bool metric_exclusive;   /**< without the descendants */
    uint32_t callpath;       /**< this call path and its descendants; FM_CUBE_NONE: all */
    bool callpath_exclusive; /**< without the descendants */
    uint32_t rank;           /**< FM_CUBE_NONE: all */
    uint32_t thread;         /**< number inside its rank; FM_CUBE_NONE: all */
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

/** Prepares a view of a sealed cube, which must outlive the view.
 * @param view  out: to be released with fm_view_release() */
fm_status_t fm_view_prepare(struct fm_view *view, const struct fm_cube *cube,
                            const struct fm_selection *selection, struct fm_error *error);

/** Frees the memory of a view; its cube remains. */
void fm_view_release(struct fm_view *view);

/** @return whether the selection includes the cell. */
bool fm_view_contains(const struct fm_view *view, const struct fm_cube_cell *cell);

/** @return whether `metric` is `ancestor` or a descendant of it. */
bool fm_metric_is_within(fm_metric_t metric, fm_metric_t ancestor);

/** Adds up over call paths and locations. Each value has the unit of its metric. Sums saturate at
 * the limits of int64_t, as in all functions of this header.
 * @param exclusive, inclusive  out: FM_METRIC_COUNT values each; either may be NULL */
void fm_view_metrics(const struct fm_view *view, int64_t *exclusive, int64_t *inclusive);

/** Adds up over locations and the selected metrics, which should have one unit.
 * @param exclusive, inclusive  out: cube->callpath_count values each; one may be NULL */
void fm_view_callpaths(const struct fm_view *view, int64_t *exclusive, int64_t *inclusive);

/** Adds up over the selected metrics and call paths.
 * @param values  out: cube->location_count values */
void fm_view_locations(const struct fm_view *view, int64_t *values);

/** @return the sum of all selected cells. */
int64_t fm_view_total(const struct fm_view *view);

/** Creates a cube of the subtree of call path `root`, which becomes the only root of the call
 * forest. Results that cover the whole run are left out: the statistics of wait states with
 * instances outside the subtree, locks, phases and matrices, each with a warning; the segments of
 * the critical path and the time bins without one.
 * @param restricted  out: sealed, to be freed with fm_cube_free(); set only on success */
fm_status_t fm_cube_restrict(const struct fm_cube *cube, uint32_t root, struct fm_cube **restricted,
                             struct fm_error *error);

/** @return a value of `metric` in the unit of display: seconds for times, otherwise unchanged. */
double fm_cube_scaled(const struct fm_cube *cube, fm_metric_t metric, int64_t value);

#endif
