/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Costs before they are added to the cube: fixed-point values, summed for one location at a time in
 * a table, and then appended to the worker's list. */
#ifndef FERMATA_ANALYSIS_CAUSES_COST_TABLE_H
#define FERMATA_ANALYSIS_CAUSES_COST_TABLE_H

#include "analysis/causes/formation.h"

/** Values of one location: [node of its call tree][metric of the formation]. Belongs to one worker.
 * `struct fm_cost_table t = {0};` is an empty one. */
struct fm_cost_table {
    int64_t *values;
    size_t size;
    FM_VECTOR(uint32_t) used; /**< positions of `values` that may not be 0 */
    uint64_t roundings;
    double scale; /**< fixed-point units in a tick */
};

/** Begins a location. */
void fm_cost_table_begin(struct fm_cost_table *table, const struct fm_formation *formation,
                         uint32_t location);

/** Moves the values to the worker's list; the table is empty afterwards. */
void fm_cost_table_end(struct fm_cost_table *table, struct fm_formation *formation, unsigned worker,
                       uint32_t location);

void fm_cost_table_free(struct fm_cost_table *table);

/** @return the value as an integer count of 1 / `scale` ticks, rounded as llround() does. */
static inline int64_t fm_cost_rounded(double ticks, double scale)
{
    double exact = ticks * scale;
    int64_t whole = (int64_t)exact;
    double rest = exact - (double)whole;
    return whole + (rest >= 0.5) - (rest <= -0.5);
}

/** Adds an integer, for metrics other than costs. */
static inline void fm_cost_table_add(struct fm_cost_table *table, uint32_t visit,
                                     fm_metric_t metric, int64_t value)
{
    size_t position =
        (size_t)visit * (FM_METRIC_USER - FM_METRIC_FORMATION) + metric - FM_METRIC_FORMATION;
    if (table->values[position] == 0) {
        fm_vector_push(&table->used, (uint32_t)position);
    }
    table->values[position] += value;
}

/** Adds a number of ticks, which need not be an integer, to a cost metric. */
static inline void fm_cost_table_add_ticks(struct fm_cost_table *table, uint32_t visit,
                                           fm_metric_t metric, double ticks)
{
    if (ticks != 0) {
        ++table->roundings;
        fm_cost_table_add(table, visit, metric, fm_cost_rounded(ticks, table->scale));
    }
}

#endif
