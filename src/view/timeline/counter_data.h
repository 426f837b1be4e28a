/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The values of a run's counters over time, as columns of a bundle.
 *
 * Member of the JSON "counters": for each counter that has values "name", "unit", "total" (whether
 * it is a running total), and in a bundle with its values "series" (number of locations with
 * values). Columns, all series consecutively: `counter_location`, `counter_count` (of values),
 * `counter_time` (ticks since the begin of the run), and the value (defined at fm_sample) as an
 * IEEE 754 double with the halves `counter_high` and `counter_low`. The extremes are stored
 * likewise in `counter_least_high`, `counter_least_low`, `counter_greatest_high` and
 * `counter_greatest_low`, each exclusive-or the half of the value: 0 if equal.
 */
#ifndef FERMATA_VIEW_TIMELINE_COUNTER_DATA_H
#define FERMATA_VIEW_TIMELINE_COUNTER_DATA_H

#include "trace/tables/trace.h"
#include "view/bundle.h"

/** The counters that have values, ascending; to be freed with fm_vector_free(). */
typedef FM_VECTOR(uint32_t) fm_counter_list;

fm_counter_list fm_counter_list_find(const struct fm_trace *trace);

/** Adds the columns of the given counters, and the member "counters" as described above.
 * @param begin  of the run, ticks
 * @param limit  approximate maximum number of values; longer curves keep their extremes */
void fm_counter_data_add(struct fm_bundle *bundle, const struct fm_trace *trace,
                         const fm_counter_list *counters, uint64_t begin, size_t limit);

/** Adds the member "counters" without values; each counter has "tile": `first` and the following
 * numbers. */
void fm_counter_list_add(struct fm_bundle *bundle, const struct fm_trace *trace,
                         const fm_counter_list *counters, uint64_t first);

#endif
