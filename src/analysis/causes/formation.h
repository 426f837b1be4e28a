/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The formation of wait states: delays that caused them, delay costs, and propagation [H17 chapter
 * 4]. Runs after the arbitration.
 */
#ifndef FERMATA_ANALYSIS_CAUSES_FORMATION_H
#define FERMATA_ANALYSIS_CAUSES_FORMATION_H

#include "analysis/causes/remote_costs.h"
#include "analysis/causes/time_windows.h"
#include "analysis/model/busy_time.h"
#include "analysis/model/run.h"
#include "cube/model/cube.h"

/** Values of one worker before they are added to the cube, which adds up those with equal keys. */
struct fm_cost_cells {
    FM_VECTOR(struct fm_cube_cell) cells;
    uint64_t roundings; /**< number of costs that were rounded to fixed point */
    unsigned char apart[FM_APART];
};

struct fm_caused_waits;
struct fm_blame_pair;

/** Timelines and costs of all locations. */
struct fm_formation {
    struct fm_analysis *analysis;
    struct fm_busy_time *busy_times; /**< by location */
    uint32_t *recorded;              /**< of fm_recorded_callpaths() (profile_excess.h) */
    uint64_t *caused_counts;         /**< by location: number of wait states that it has caused */
    struct fm_wait_times *times;     /**< of the wait states of all locations */
    struct fm_cost_cells *costs;     /**< by worker */
    struct fm_remote_costs *remote;  /**< by worker */
    struct fm_caused_waits *caused;  /**< by location (caused_waits.h); NULL: not known (yet, or any
                                          more) */
    struct fm_blame_pair *blame_pairs; /**< of the waiting locations that are owned here, ascending
                                            by (location, waiter, kind) (blame/blame.h) */
    size_t blame_pair_count;
    uint32_t cost_shift; /**< binary digits of costs after the point, as in the cube's experiment */
    double cost_scale;   /**< 2^cost_shift */
    bool is_circular;    /**< wait states cause themselves: there are no costs */
    uint64_t waiting;    /**< sum of all waiting times, ticks */
};

/** Prepares the busy times. Collective. Free with fm_formation_close(). */
void fm_formation_open(struct fm_formation *formation, struct fm_analysis *analysis);
void fm_formation_close(struct fm_formation *formation);

/** Adds `ticks` (a share of ticks) to a COST metric of a location. Each call uses memory: for
 * frequent additions to the same places use a table (cost_table.h). */
void fm_formation_add_cost(struct fm_formation *formation, unsigned worker, uint32_t location,
                           uint32_t visit, fm_metric_t metric, double ticks);

/** As fm_formation_add_cost() for a call path, which the location need not have visited. */
void fm_formation_add_at_callpath(struct fm_formation *formation, unsigned worker,
                                  uint32_t location, uint32_t callpath, fm_metric_t metric,
                                  double ticks);

/** Computes delay costs, interval-delay costs, unattributed costs and the classes of wait states,
 * the begins of all intervals, and what each location has caused. Runs message-driven stages. */
void fm_formation_costs(struct fm_formation *formation);

/** Frees what each location has caused, which takes much memory. Runs a stage. */
void fm_formation_forget_caused(struct fm_formation *formation);

/** Adds the costs of the locations that are owned here to the cube. */
fm_status_t fm_formation_fill(const struct fm_formation *formation, struct fm_cube *cube,
                              struct fm_error *error);

/** Verifies that the sum of all costs is the waiting time (relative error below 1e-9), and that the
 * sum of all blame is exactly the waiting time. Collective.
 * @param cube  with the costs of the locations that are owned here
 * @return FM_ERR_FAILED if it is not */
fm_status_t fm_formation_check(const struct fm_formation *formation, const struct fm_cube *cube,
                               struct fm_error *error);

#endif
