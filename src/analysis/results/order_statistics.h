/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Order statistics of a list whose values are distributed over the workers and processes of the
 * analysis: elements of the sorted list, found without sorting it. */
#ifndef FERMATA_ANALYSIS_RESULTS_ORDER_STATISTICS_H
#define FERMATA_ANALYSIS_RESULTS_ORDER_STATISTICS_H

#include "engine/engine.h"

#include <stddef.h>
#include <stdint.h>

/** Number of elements that are selected from each list. */
#define FM_ORDER_POSITIONS 4

/** Values of a list on one worker. */
struct fm_order_part {
    uint64_t *values; /**< the selection changes their order */
    size_t count;
};

/** A list of values, and the elements to select from it. */
struct fm_order {
    const struct fm_order_part *parts;      /**< [worker of this process] */
    uint64_t positions[FM_ORDER_POSITIONS]; /**< in the sorted list of all processes: 0, 1, ... */
    uint64_t elements[FM_ORDER_POSITIONS];  /**< out: the values at these positions */
};

/** Selects the elements of several lists. Runs stages; collective: all processes pass the same
 * number of lists with the same positions, which must exist. */
void fm_order_statistics(struct fm_engine *engine, struct fm_order *orders, size_t count);

#endif
