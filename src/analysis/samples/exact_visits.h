/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * How often functions were entered in intervals of a location, of those whose visits are recorded:
 * marked regions and instrumented functions.
 */
#ifndef FERMATA_ANALYSIS_SAMPLES_EXACT_VISITS_H
#define FERMATA_ANALYSIS_SAMPLES_EXACT_VISITS_H

#include "analysis/samples/sample_errors.h"

struct fm_visit_count {
    uint32_t visit; /**< node */
    uint64_t count;
};

/** Memory of a worker, and the result of fm_exact_visits_count(). Zeroed = empty. */
struct fm_exact_visits {
    FM_VECTOR(struct fm_visit_count) items; /**< each node once; those not entered are missing */
    struct fm_map row_of;                   /**< node -> row */
};

/** Counts the visits that begin in the intervals, once for each interval that holds them.
 * O(changes of the function in them * depth). */
void fm_exact_visits_count(struct fm_exact_visits *visits, const struct fm_trace *trace,
                           const struct fm_location *location,
                           const struct fm_counted_interval *intervals, size_t count);

void fm_exact_visits_free(struct fm_exact_visits *visits);

#endif
