/** @file
 * The timeline that a page shows, as a bundle of its own: all of a short run, of a long one an
 * overview (timeline_bins.h) and excerpts around the longest wait states.
 *
 * Members of its JSON: "version"; "length" (ticks); "calls" (number of all calls); "windows":
 * "from", "to" (ticks since the begin of the run), "metric", "location", "enter" (the wait around
 * which it lies; null: the whole run); "bins" (only with excerpts),
 * "alike" (similar_locations.h), "counters" (counter_data.h). Columns: timeline_events.h and of
 * these.
 */
#ifndef FERMATA_VIEW_TIMELINE_TIMELINE_DATA_H
#define FERMATA_VIEW_TIMELINE_TIMELINE_DATA_H

#include "analysis/detail.h"
#include "cube/model/cube.h"

/** Makes the compressed bundle.
 * @param detail  of the run that `cube` is the report of
 * @param limit   about so many bytes at most
 * @param bytes   out: to be freed with fm_free(), `size` bytes; NULL if nothing happened in the run
 *                or an overview alone would be too big */
fm_status_t fm_timeline_data_make(const struct fm_detail *detail, const struct fm_cube *cube,
                                  size_t limit, unsigned char **bytes, size_t *size,
                                  struct fm_error *error);

#endif
