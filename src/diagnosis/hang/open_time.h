/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Time in calls that were never left, because the process was killed, hung or aborted: a part of
 * the time of these calls in which they neither wait nor transfer anything, as far as is known.
 */
#ifndef FERMATA_DIAGNOSIS_HANG_OPEN_TIME_H
#define FERMATA_DIAGNOSIS_HANG_OPEN_TIME_H

#include "cube/model/cube.h"

/** @return for each call path its ticks in calls that were never left, on all locations, without
 * start-up and shut-down; NULL: there is none. To be freed with fm_free(). */
int64_t *fm_open_times(const struct fm_cube *cube);

/** Adds these times to the metrics of the tree of time that contain them: of each call path the one
 * which has most of its time, apart from wait states.
 * @param times    fm_open_times(), not NULL
 * @param metrics  FM_METRIC_COUNT sums */
void fm_add_open_times(const struct fm_cube *cube, const int64_t *times, int64_t *metrics);

#endif
