/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/causes/remote_costs.h"

static struct fm_remote_cost *add_row(struct fm_remote_costs *costs, uint32_t location,
                                      uint32_t callpath, fm_delay_kind_t kind)
{
    fm_vector_push(&costs->rows, (struct fm_remote_cost){.location = location,
                                                         .callpath = callpath,
                                                         .kind = (uint32_t)kind,
                                                         .next = FM_MAP_ABSENT});
    return &costs->rows.items[costs->rows.count - 1];
}

struct fm_remote_cost *fm_remote_costs_find(struct fm_remote_costs *costs, uint32_t location,
                                            uint32_t callpath, fm_delay_kind_t kind)
{
    uint32_t next = (uint32_t)costs->rows.count;
    uint32_t number = *fm_map_at(&costs->row_of_place, (uint64_t)location << 32 | callpath, next);
    if (number == next) {
        return add_row(costs, location, callpath, kind);
    }
    struct fm_remote_cost *row = &costs->rows.items[number];
    while (row->kind != (uint32_t)kind) {
        if (row->next == FM_MAP_ABSENT) {
            row->next = next;
            return add_row(costs, location, callpath, kind);
        }
        row = &costs->rows.items[row->next];
    }
    return row;
}

void fm_remote_costs_free(struct fm_remote_costs *costs)
{
    fm_map_free(&costs->row_of_place);
    fm_vector_free(&costs->rows);
}
