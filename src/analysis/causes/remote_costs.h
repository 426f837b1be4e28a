/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The direct and indirect parts of wait states. A worker adds them for locations of any owner: they
 * are only summed up, so that no message to the owner is needed. */
#ifndef FERMATA_ANALYSIS_CAUSES_REMOTE_COSTS_H
#define FERMATA_ANALYSIS_CAUSES_REMOTE_COSTS_H

#include "base/containers/map.h"
#include "base/containers/vector.h"
#include "cube/model/delay_kind.h"
#include "engine/engine.h"

#define FM_REMOTE_RECENT 1024 /* a power of two */

/** The wait states of one kind at a call path of a location; fixed-point values. */
struct fm_remote_cost {
    int64_t direct, indirect;
    uint32_t location, callpath;
    uint32_t kind; /**< fm_delay_kind_t */
    uint32_t next; /**< row of another kind at the same place; FM_MAP_ABSENT: none */
};

/** Values of one worker. `struct fm_remote_costs c = {0};` is an empty one. */
struct fm_remote_costs {
    struct fm_map row_of_place; /**< (location, call path) -> its first row */
    FM_VECTOR(struct fm_remote_cost) rows;
    uint32_t recent[FM_REMOTE_RECENT]; /**< rows, by a hash; may be outdated */
    unsigned char apart[FM_APART];
};

/** The slow path of fm_remote_costs_at(), for rows that are not in `recent`. */
struct fm_remote_cost *fm_remote_costs_find(struct fm_remote_costs *costs, uint32_t location,
                                            uint32_t callpath, fm_delay_kind_t kind);

/** @return the row to add values to, which is added if it is new. Valid until the next call. */
static inline struct fm_remote_cost *fm_remote_costs_at(struct fm_remote_costs *costs,
                                                        uint32_t location, uint32_t callpath,
                                                        fm_delay_kind_t kind)
{
    uint32_t *recent =
        &costs->recent[(location * 31 + callpath * 7 + (uint32_t)kind) % FM_REMOTE_RECENT];
    if (*recent < costs->rows.count) {
        struct fm_remote_cost *row = &costs->rows.items[*recent];
        if (row->location == location && row->callpath == callpath && row->kind == (uint32_t)kind) {
            return row;
        }
    }
    struct fm_remote_cost *row = fm_remote_costs_find(costs, location, callpath, kind);
    *recent = (uint32_t)(row - costs->rows.items);
    return row;
}

void fm_remote_costs_free(struct fm_remote_costs *costs);

#endif
