/** @file
 * What each process of the analysis has of the collective operations of all other ones: which
 * thread of a process took part in which, and when MPI_Init synchronized a process. Single-threaded
 * processes need no entry: their only location takes part in whatever its process is a member of.
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

/** @return whether a location took part for its process, which has several, in the collective
 * operation behind a point. O(log n). */
bool fm_shared_points_takes_part(const struct fm_shared_points *shared, uint32_t process,
                                 uint32_t location, const struct fm_group_point *point);

/** @return when the threads of a process were synchronized by MPI_Init; UINT64_MAX: not at all. */
uint64_t fm_shared_points_init(const struct fm_shared_points *shared, uint32_t process);

#endif
