/** @file
 * Elements of a sorted list that nobody has: its values are spread over the processes of the
 * analysis. */
#ifndef FERMATA_ANALYSIS_ORDER_STATISTICS_H
#define FERMATA_ANALYSIS_ORDER_STATISTICS_H

#include "engine/team.h"

#include <stddef.h>
#include <stdint.h>

/** How many elements of each list are asked for. */
#define FM_ORDER_POSITIONS 4

/** A list of values, and what is asked of it. */
struct fm_order {
    uint64_t *values; /**< those of this process; reordered */
    size_t count;
    uint64_t positions[FM_ORDER_POSITIONS]; /**< in the sorted list of all processes, from 0 */
    uint64_t elements[FM_ORDER_POSITIONS];  /**< out: what stands there */
};

/** Finds the elements of several lists. Collective; all processes give the same lists with the same
 * positions, which must exist. */
void fm_order_statistics(struct fm_team *team, struct fm_order *orders, size_t count);

#endif
