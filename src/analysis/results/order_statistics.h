/** @file
 * Elements of a sorted list that no worker has as a whole: its values are spread over the workers
 * and processes of the analysis. */
#ifndef FERMATA_ANALYSIS_RESULTS_ORDER_STATISTICS_H
#define FERMATA_ANALYSIS_RESULTS_ORDER_STATISTICS_H

#include "engine/engine.h"

#include <stddef.h>
#include <stdint.h>

/** How many elements of each list are asked for. */
#define FM_ORDER_POSITIONS 4

/** Values of a list. */
struct fm_order_part {
    uint64_t *values; /**< reordered */
    size_t count;
};

/** A list of values, and what is asked of it. */
struct fm_order {
    const struct fm_order_part *parts;      /**< [worker]: those of this process */
    uint64_t positions[FM_ORDER_POSITIONS]; /**< in the sorted list of all processes, from 0 */
    uint64_t elements[FM_ORDER_POSITIONS];  /**< out: what stands there */
};

/** Finds the elements of several lists. Runs stages; collective: all processes give the same lists
 * with the same positions, which must exist. */
void fm_order_statistics(struct fm_engine *engine, struct fm_order *orders, size_t count);

#endif
