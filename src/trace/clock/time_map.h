/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Maps from the times of an archive, after its clock offsets were applied, to repaired ones: what
 * the analysis finds out about clocks (docs/clocks.md). They are applied while events are read, so
 * that all tables hold repaired times.
 */
#ifndef FERMATA_TRACE_CLOCK_TIME_MAP_H
#define FERMATA_TRACE_CLOCK_TIME_MAP_H

#include "base/containers/vector.h"

#include <stddef.h>
#include <stdint.h>

struct fm_time_knot {
    uint64_t old, new;
};

/** The map of one location: linear between two knots, shifted as the nearest one outside of all.
 * Without knots times stay as they are. */
struct fm_time_map {
    FM_VECTOR(struct fm_time_knot) knots; /**< `old` ascends, `new` does not descend */
};

/** Most maps that are applied one after the other. */
#define FM_TIME_LAYERS 8

/** The maps of all locations. */
struct fm_time_maps {
    struct fm_time_map *layers[FM_TIME_LAYERS]; /**< [layer][location] */
    unsigned layer_count;
    uint32_t location_count;
};

/** Positions in the maps of a location: the knots behind which the last time was found. All zeros
 * at the first event; fast for ascending times. */
struct fm_time_cursors {
    size_t knot[FM_TIME_LAYERS];
};

/** Adds a layer, on top of the others, of which there are less than FM_TIME_LAYERS.
 * @return [location]: empty maps, to be filled */
struct fm_time_map *fm_time_maps_add(struct fm_time_maps *maps, uint32_t location_count);

/** @return the repaired time of an event of a location. */
uint64_t fm_time_maps_at(const struct fm_time_maps *maps, uint32_t location,
                         struct fm_time_cursors *cursors, uint64_t time);

/** Frees the layers; the maps are empty afterwards. */
void fm_time_maps_free(struct fm_time_maps *maps);

#endif
