/** @file
 * Values that a worker books on locations of others: they are only ever added up, so that it need
 * not tell the owner. */
#ifndef FERMATA_ANALYSIS_REMOTE_COSTS_H
#define FERMATA_ANALYSIS_REMOTE_COSTS_H

#include "base/map.h"
#include "base/vector.h"
#include "cube/cube.h"
#include "engine/engine.h"

#define FM_REMOTE_RECENT 1024 /* a power of two */

/** Values of one worker. `struct fm_remote_costs c = {0};` is an empty one. */
struct fm_remote_costs {
    struct fm_map number_of_place; /**< (location, call path) -> number */
    struct fm_map cell_of;         /**< (number, metric) -> position in `cells` */
    FM_VECTOR(struct fm_cube_cell) cells;
    uint32_t recent[FM_REMOTE_RECENT]; /**< positions in `cells`, by a hash; may be outdated */
    unsigned char apart[FM_APART];
};

/** fm_remote_costs_add() where the value was not used lately. */
struct fm_cube_cell *fm_remote_costs_find(struct fm_remote_costs *costs, uint32_t location,
                                          uint32_t callpath, fm_metric_t metric);

/** Adds a value. */
static inline void fm_remote_costs_add(struct fm_remote_costs *costs, uint32_t location,
                                       uint32_t callpath, fm_metric_t metric, int64_t value)
{
    uint32_t *recent =
        &costs->recent[(location * 31 + callpath * 7 + (uint32_t)metric) % FM_REMOTE_RECENT];
    if (*recent < costs->cells.count) {
        struct fm_cube_cell *cell = &costs->cells.items[*recent];
        if (cell->location == location && cell->callpath == callpath &&
            cell->metric == (uint32_t)metric) {
            cell->value += value;
            return;
        }
    }
    struct fm_cube_cell *cell = fm_remote_costs_find(costs, location, callpath, metric);
    cell->value += value;
    *recent = (uint32_t)(cell - costs->cells.items);
}

void fm_remote_costs_free(struct fm_remote_costs *costs);

#endif
