/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The timeline of a page, as a separate bundle: the whole timeline of a short run; for a long run
 * an overview (timeline_bins.h) and excerpts around the longest wait states.
 *
 * Members of its JSON: "version"; "length" (ticks); "calls" (number of all calls); "windows":
 * "from", "to" (ticks since the begin of the run), "metric", "location", "enter" (the wait state
 * that the window surrounds; null: the whole run); "bins" (only with excerpts), "alike"
 * (similar_locations.h), "counters" (counter_data.h). Columns: timeline_events.h and the columns of
 * these headers.
 */
#ifndef FERMATA_VIEW_TIMELINE_TIMELINE_DATA_H
#define FERMATA_VIEW_TIMELINE_TIMELINE_DATA_H

#include "analysis/detail.h"
#include "cube/model/cube.h"

/** Builds the compressed bundle.
 * @param detail  of the run that `cube` is the report of
 * @param limit   approximate maximum number of bytes
 * @param bytes   out: to be freed with fm_free(), `size` bytes; NULL if the run has no activities,
 * or if the overview alone exceeds the limit */
fm_status_t fm_timeline_data_make(const struct fm_detail *detail, const struct fm_cube *cube,
                                  size_t limit, unsigned char **bytes, size_t *size,
                                  struct fm_error *error);

#endif
