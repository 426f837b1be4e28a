#include "analysis/remote_costs.h"

struct fm_cube_cell *fm_remote_costs_find(struct fm_remote_costs *costs, uint32_t location,
                                          uint32_t callpath, fm_metric_t metric)
{
    uint32_t number = *fm_map_at(&costs->number_of_place, (uint64_t)location << 32 | callpath,
                                 (uint32_t)costs->number_of_place.count);
    uint32_t next = (uint32_t)costs->cells.count;
    uint32_t position = *fm_map_at(&costs->cell_of, (uint64_t)number << 32 | metric, next);
    if (position == next) {
        fm_vector_push(&costs->cells,
                       (struct fm_cube_cell){(uint32_t)metric, callpath, location, 0});
    }
    return &costs->cells.items[position];
}

void fm_remote_costs_free(struct fm_remote_costs *costs)
{
    fm_map_free(&costs->number_of_place);
    fm_map_free(&costs->cell_of);
    fm_vector_free(&costs->cells);
}
