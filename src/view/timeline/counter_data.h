/** @file
 * The values of a run's counters over time, as columns of a bundle.
 *
 * Member of the JSON "counters": for each counter that has values "name", "unit", "total" (whether
 * it is a sum of everything so far), and in a bundle with its values "series" (number of locations
 * that have some). Columns, all series behind one another: `counter_location`, `counter_count`
 * (of values), `counter_time` (ticks since the begin of the run), and the value (what fm_sample
 * says) as the IEEE 754 double whose halves are `counter_high` and `counter_low`; and its extremes:
 * `counter_least_high` and so on, `counter_greatest_high` and so on, exclusive-or those of the
 * value, which makes 0 of what is equal.
 */
#ifndef FERMATA_VIEW_TIMELINE_COUNTER_DATA_H
#define FERMATA_VIEW_TIMELINE_COUNTER_DATA_H

#include "trace/tables/trace.h"
#include "view/bundle.h"

/** The counters that have values, ascending; to be freed with fm_vector_free(). */
typedef FM_VECTOR(uint32_t) fm_counter_list;

fm_counter_list fm_counter_list_find(const struct fm_trace *trace);

/** Adds the columns of some counters, and the member "counters" with all that is said above.
 * @param begin  of the run, ticks
 * @param limit  values at most, about: where there are more, curves keep their extremes */
void fm_counter_data_add(struct fm_bundle *bundle, const struct fm_trace *trace,
                         const fm_counter_list *counters, uint64_t begin, size_t limit);

/** Adds the member "counters" without values; each has "tile": `first` and the numbers behind it.
 */
void fm_counter_list_add(struct fm_bundle *bundle, const struct fm_trace *trace,
                         const fm_counter_list *counters, uint64_t first);

#endif
