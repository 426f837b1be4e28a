/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases, samples of counters, the cells of the report. */
#include "access/access_tables.h"

#include "cube/view/view.h"

static void make_phases(struct fm_access_source *source)
{
    struct fermata_trace *tables = source->tables;
    const struct fm_trace *trace = source->trace;
    size_t count = 0, row = 0;
    for (uint32_t l = 0; l < trace->location_count; l++) {
        count += trace->locations[l].phases.count;
    }
    fm_access_size(tables, FM_TABLE_OF_phases, count);
    for (uint32_t l = 0; l < trace->location_count; l++) {
        const struct fm_location *location = &trace->locations[l];
        for (size_t i = 0; i < location->phases.count; i++, row++) {
            const struct fm_phase *phase = &location->phases.items[i];
            fm_access_int32(tables, FM_COLUMN_phases_location)[row] = (int32_t)l;
            fm_access_int32(tables, FM_COLUMN_phases_callpath)[row] =
                (int32_t)location->profile.items[phase->visit].callpath;
            fm_access_int64(tables, FM_COLUMN_phases_begin)[row] =
                fm_access_ticks(source, phase->begin);
            fm_access_int64(tables, FM_COLUMN_phases_end)[row] =
                fm_access_ticks(source, phase->end);
        }
    }
}

static void make_samples(struct fm_access_source *source)
{
    struct fermata_trace *tables = source->tables;
    const struct fm_trace *trace = source->trace;
    size_t count = 0, row = 0;
    for (uint32_t l = 0; l < trace->location_count; l++) {
        for (size_t s = 0; s < trace->locations[l].counters.count; s++) {
            count += trace->locations[l].counters.items[s].samples.count;
        }
    }
    const char **names = fm_allocate(trace->counter_count + (size_t)1, sizeof *names);
    for (uint32_t c = 0; c < trace->counter_count; c++) {
        names[c] = fm_access_keep(tables, trace->counters[c].name);
    }
    fm_access_size(tables, FM_TABLE_OF_samples, count);
    for (uint32_t l = 0; l < trace->location_count; l++) {
        for (size_t s = 0; s < trace->locations[l].counters.count; s++) {
            const struct fm_counter_series *series = &trace->locations[l].counters.items[s];
            for (size_t i = 0; i < series->samples.count; i++, row++) {
                fm_access_int32(tables, FM_COLUMN_samples_location)[row] = (int32_t)l;
                fm_access_text(tables, FM_COLUMN_samples_counter)[row] = names[series->counter];
                fm_access_int64(tables, FM_COLUMN_samples_time)[row] =
                    fm_access_ticks(source, series->samples.items[i].time);
                fm_access_float64(tables, FM_COLUMN_samples_value)[row] =
                    series->samples.items[i].value;
            }
        }
    }
    fm_free(names);
}

static void make_severities(struct fm_access_source *source)
{
    struct fermata_trace *tables = source->tables;
    const struct fm_cube *cube = source->cube;
    fm_access_size(tables, FM_TABLE_OF_severities, cube->cell_count);
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        fm_access_int32(tables, FM_COLUMN_severities_metric)[i] = (int32_t)cell->metric;
        fm_access_int32(tables, FM_COLUMN_severities_callpath)[i] = (int32_t)cell->callpath;
        fm_access_int32(tables, FM_COLUMN_severities_location)[i] = (int32_t)cell->location;
        fm_access_float64(tables, FM_COLUMN_severities_value)[i] =
            fm_cube_scaled(cube, (fm_metric_t)cell->metric, cell->value);
        fm_access_int64(tables, FM_COLUMN_severities_exact)[i] = cell->value;
    }
}

void fm_access_results(struct fm_access_source *source)
{
    make_phases(source);
    make_samples(source);
    make_severities(source);
}
