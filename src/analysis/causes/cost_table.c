/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/causes/cost_table.h"

#define METRICS (FM_METRIC_USER - FM_METRIC_FORMATION)

void fm_cost_table_begin(struct fm_cost_table *table, const struct fm_formation *formation,
                         uint32_t location)
{
    size_t size = formation->analysis->trace->locations[location].profile.count * METRICS;
    if (size > table->size) {
        fm_free(table->values);
        table->values = fm_allocate(size, sizeof *table->values);
        table->size = size;
    }
    table->scale = formation->cost_scale;
}

void fm_cost_table_end(struct fm_cost_table *table, struct fm_formation *formation, unsigned worker,
                       uint32_t location)
{
    const struct fm_visit_profile *profile =
        formation->analysis->trace->locations[location].profile.items;
    struct fm_cost_cells *costs = &formation->costs[worker];
    for (size_t i = 0; i < table->used.count; ++i) {
        uint32_t position = table->used.items[i];
        if (table->values[position] != 0) {
            fm_vector_push(&costs->cells,
                           (struct fm_cube_cell){FM_METRIC_FORMATION + position % METRICS,
                                                 profile[position / METRICS].callpath, location,
                                                 table->values[position]});
            table->values[position] = 0;
        }
    }
    table->used.count = 0;
    costs->roundings += table->roundings;
    table->roundings = 0;
}

void fm_cost_table_free(struct fm_cost_table *table)
{
    fm_free(table->values);
    fm_vector_free(&table->used);
}
