/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A counter over time in all ranks, from the snapshots of a run (counter_snapshot.h, and of the
 * recorder record/counting/rank_snapshots.h).
 */
#ifndef FERMATA_COUNTERS_COUNTER_SERIES_H
#define FERMATA_COUNTERS_COUNTER_SERIES_H

#include "base/error.h"
#include "counters/counter_job.h"

#include <stdbool.h>
#include <stddef.h>

/** The totals of a counter at the begin of the counting, where they are 0, and at each snapshot. */
struct fm_snapshot_series {
    const char *name; /**< as in the file; of the caller */
    size_t snapshots; /**< the begin included; at least 2 */
    size_t ranks;
    double *seconds; /**< by snapshot, ascending, since the begin of the earliest process; of those
                          that ranks take themselves the mean */
    double *values;  /**< by snapshot and rank: values[snapshot * ranks + rank] */
};

/** Reads the series of a counter: of periodic snapshots, which are of all ranks, or of those that
 * each rank has taken itself, of which there may be more in some ranks than in others.
 * @param name    its name in files, or that of a sum of such counters (catalogue.h)
 * @param ranks   number of ranks of the run
 * @param starts  seconds between the begin of the earliest process and that of each rank; NULL: 0
 * @return FM_OK; FM_ERR_DATA: there are no snapshots after the begin, or they are damaged */
fm_status_t fm_counter_series_read(const char *directory, const char *name, size_t ranks,
                                   const double *starts, struct fm_snapshot_series *series,
                                   struct fm_error *error);

/** The series of two runs, the second less the first, at the same times since the begin of each, as
 * long as both run: at each snapshot of either. Between its snapshots a total grows at a constant
 * rate, a level is that of the next snapshot.
 * @param difference  out, to be freed
 * @return FM_OK; FM_ERR_USAGE: the numbers of ranks differ; FM_ERR_DATA: there is no common time */
fm_status_t fm_counter_series_subtract(const struct fm_snapshot_series *first,
                                       const struct fm_snapshot_series *second, bool is_level,
                                       struct fm_snapshot_series *difference,
                                       struct fm_error *error);

/** Reads the series of several counters at once, in the time of one. Parameters as above.
 * @param series  receives one for each name if FM_OK is returned, each to be freed */
fm_status_t fm_counter_series_read_all(const char *directory, const char *const names[],
                                       size_t count, size_t ranks, const double *starts,
                                       struct fm_snapshot_series series[], struct fm_error *error);

/** Reads the series of several counters of a run, with the number and starts of its ranks.
 * Otherwise as above. */
fm_status_t fm_counter_series_of_job(const struct fm_counter_job *job, const char *directory,
                                     const char *const names[], size_t count,
                                     struct fm_snapshot_series series[], struct fm_error *error);

/** Whether an experiment has snapshots, of whichever sort. */
bool fm_counter_series_exist(const char *directory);

/** Frees what a series has. */
void fm_counter_series_free(struct fm_snapshot_series *series);

/** Change of a counter from snapshot `i` to the next one, in a rank. */
static inline double fm_counter_series_change(const struct fm_snapshot_series *series, size_t i,
                                              size_t rank)
{
    return series->values[(i + 1) * series->ranks + rank] -
           series->values[i * series->ranks + rank];
}

#endif
