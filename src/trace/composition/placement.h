/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Where in a stretch its call paths are, in whole ticks: in the order in which they were sampled,
 * end to end. Private to src/trace/composition.
 */
#ifndef FERMATA_TRACE_COMPOSITION_PLACEMENT_H
#define FERMATA_TRACE_COMPOSITION_PLACEMENT_H

#include "trace/composition/pools.h"
#include "trace/tables/trace.h"

/** A part of a stretch. */
struct fm_composed_part {
    uint64_t ticks;
    uint32_t visit;
};

typedef FM_VECTOR(struct fm_composed_part) fm_composed_parts;

/** A call path at a position, before it has ticks. */
struct fm_placed {
    double position;
    double share;
    uint32_t visit;
};

/** Memory of the placement. Zeroed = empty. */
struct fm_placement {
    FM_VECTOR(struct fm_placed) placed;
    struct fm_map counts; /**< node -> number of the stretch's own samples */
    struct fm_map shares; /**< node -> its row */
};

/** Appends the parts of a stretch, whose ticks add up to its computation. Each sample of a call
 * path that was taken in the stretch stands for the same part of its share; call paths without one
 * stand at the mean position of their samples elsewhere. */
void fm_place(struct fm_placement *placement, const struct fm_trace *trace,
              const struct fm_location *location, const struct fm_stretches *stretches,
              const struct fm_stretch *stretch, const fm_shares *shares, fm_composed_parts *parts);

void fm_placement_free(struct fm_placement *placement);

#endif
