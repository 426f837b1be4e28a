/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The points that locations share because they took part in the same collective operation. */
#ifndef FERMATA_ANALYSIS_MODEL_GROUP_POINTS_H
#define FERMATA_ANALYSIS_MODEL_GROUP_POINTS_H

#include "analysis/model/run.h"

struct fm_shared_points;

/** The points of a location in one communicator. */
struct fm_communicator_points {
    size_t begin, count; /**< range in the location's points by communicator */
    uint64_t first;      /**< time of its first point */
    uint64_t last; /**< latest point of this communicator and of those before it in the list */
};

typedef FM_VECTOR(struct fm_communicator_points) fm_communicator_points_vector;

/** Points of the locations that are owned here. */
struct fm_group_points {
    const struct fm_trace *trace;
    fm_group_point_vector *by_time;         /**< [location], ascending by time */
    fm_group_point_vector *by_communicator; /**< [location], ascending by communicator and time;
                                                 NULL: every process has one location */
    fm_communicator_points_vector *communicators; /**< [location], ascending by first point; NULL as
                                                       above */
    struct fm_shared_points *shared;              /**< for all locations of the run */
};

/** Sorts the points found by the patterns. Runs a stage; collective. Free with
 * fm_group_points_free(). */
void fm_group_points_sort(struct fm_group_points *points, const struct fm_analysis *analysis);

void fm_group_points_free(struct fm_group_points *points);

/** @return the time of the latest point before `t` of the collectives that both locations took part
 * in; 0: none. Any process may have several locations; `location` is owned here. */
uint64_t fm_group_points_latest(const struct fm_group_points *points, uint32_t location,
                                uint32_t partner, uint64_t t);

#endif
