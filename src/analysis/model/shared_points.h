/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Data on collective operations that every process of the analysis has of the whole run: the thread
 * of each process that took part in each operation, and the times at which Init synchronized a
 * process. Single-threaded processes need no entry: their only location takes part in all
 * operations of the process.
 */
#ifndef FERMATA_ANALYSIS_MODEL_SHARED_POINTS_H
#define FERMATA_ANALYSIS_MODEL_SHARED_POINTS_H

#include "analysis/model/run.h"

struct fm_shared_points;

/** Shares the group points of the locations. Collective.
 * @param points  by location, ascending by time
 * @return to be freed with fm_shared_points_free() */
struct fm_shared_points *fm_shared_points_collect(struct fm_engine *engine,
                                                  const struct fm_trace *trace,
                                                  const fm_group_point_vector *points);

void fm_shared_points_free(struct fm_shared_points *shared);

/** @return whether a location of a process with several locations took part in the collective
 * operation of a point. O(log n). */
bool fm_shared_points_takes_part(const struct fm_shared_points *shared, uint32_t process,
                                 uint32_t location, const struct fm_group_point *point);

/** @return the latest time before `before` at which the Init of a library synchronized the threads
 * of a process; UINT64_MAX: never. */
uint64_t fm_shared_points_init(const struct fm_shared_points *shared, uint32_t process,
                               uint64_t before);

#endif
