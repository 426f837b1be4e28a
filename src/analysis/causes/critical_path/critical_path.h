/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The critical path and the metrics derived from it [H17 Defs 21-23]. */
#ifndef FERMATA_ANALYSIS_CAUSES_CRITICAL_PATH_CRITICAL_PATH_H
#define FERMATA_ANALYSIS_CAUSES_CRITICAL_PATH_CRITICAL_PATH_H

#include "analysis/causes/blame/serialization.h"
#include "analysis/causes/critical_path/path_span.h"
#include "analysis/causes/formation.h"
#include "analysis/clocks/wait_errors.h"

/** A segment of the critical path: consecutive time on one location. */
struct fm_path_segment {
    uint64_t from, to; /**< ticks of the trace clock */
    uint32_t location;
    uint32_t number; /**< from the end of the run: 0 is the last segment */
};

struct fm_critical_path {
    struct fm_path_span *spans; /**< by location that is owned here; NULL: whole locations */
    FM_VECTOR(struct fm_path_segment)
    segments;               /**< from the end of the run to its begin; complete only on process 0 */
    uint64_t length;        /**< ticks */
    uint64_t begin, end;    /**< begin and end of the path, ticks of the trace clock */
    uint32_t last_location; /**< location at the path's end; FM_NONE: there is no path */
    uint64_t **time;        /**< [location][node of its call tree]: ticks on the path */
    uint64_t **busy; /**< [location][node of its call tree]: ticks in the run without waiting */
    uint64_t **serialized; /**< [location][node of its call tree]: ticks on the path in `holds` */
    uint64_t **span_busy;  /**< the same inside the spans; NULL if `spans` is */
    fm_path_moves moves;   /**< for locks; empty after the walk */
    fm_path_holds holds;   /**< of locks that serialize the path */
    uint64_t *serialized_total; /**< [call path]: ticks on the path in `holds` */
    uint64_t *path_total;       /**< [call path]: ticks on the path, on all locations */
    uint64_t *busy_total;  /**< [call path]: ticks without waiting in the spans of all locations */
    uint64_t *turn_errors; /**< [call path]: of the turns at waits in it, ticks; NULL: not known */
    uint64_t *sample_errors; /**< [call path]: two standard errors of what samples tell of its time
                                  on the path, ticks; NULL: the trace has none */
    uint64_t turns;          /**< at waits */
    uint64_t insignificant_turns; /**< at waits that are shorter than their error */
};

/** Walks the critical path and computes the profiles. The path covers the whole run or, if the
 * options demand it, the part from Init to Finalize: on each location from the Enter of MPI_Init of
 * its process to the Leave of MPI_Finalize, if these calls exist. Collective. Free with
 * fm_critical_path_close(). */
void fm_critical_path_open(struct fm_critical_path *path, struct fm_formation *formation);
void fm_critical_path_close(struct fm_critical_path *path, uint32_t location_count);

/** Adds the metrics critical_path, critical_path_imbalance and
 * critical_path_serialization. */
void fm_critical_path_book(const struct fm_critical_path *path, struct fm_formation *formation);

/** Adds the metrics of the performance impact. Collective. */
void fm_performance_impact_book(const struct fm_critical_path *path,
                                struct fm_formation *formation);

/** Adds the metrics of the imbalance heuristic. Collective. */
void fm_imbalance_book(struct fm_formation *formation);

/** @return the critical-path imbalance of a call path, in ticks: max(0, time on the path - mean
 * time over all locations). */
double fm_critical_path_imbalance(const struct fm_critical_path *path, const struct fm_trace *trace,
                                  uint32_t callpath);

/** Adds the segments to the cube, from the begin of the run to its end, and by how much the time of
 * each call path may be wrong (clocks/wait_errors.h). For process 0.
 * @param recorder  the recorder's own time */
fm_status_t fm_critical_path_fill(const struct fm_critical_path *path,
                                  const struct fm_recorder_time *recorder, struct fm_cube *cube,
                                  struct fm_error *error);

/** Verifies that the path has no gaps from the end of one location to the begin of one (or from
 * MPI_Finalize to MPI_Init). For process 0.
 * @return FM_ERR_FAILED if it has gaps, or a wrong length, begin or end */
fm_status_t fm_critical_path_check(const struct fm_critical_path *path, struct fm_error *error);

#endif
