/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/report/phase_data.h"

#include "cube/model/cube_time.h"
#include "view/columns.h"

struct columns {
    fm_column first, count, begin, end, duration, time, capacity, computation, longest;
    fm_column computation_capacity, waiting, error, locations, slowest, waits;
};

static void add_row(struct columns *columns, const struct fm_cube_iteration *row)
{
    fm_vector_push(&columns->first, row->first);
    fm_vector_push(&columns->count, row->count);
    fm_vector_push(&columns->begin, row->begin);
    fm_vector_push(&columns->end, row->end);
    fm_vector_push(&columns->duration, row->duration);
    fm_vector_push(&columns->time, row->time);
    fm_vector_push(&columns->capacity, row->capacity);
    fm_vector_push(&columns->computation, row->computation);
    fm_vector_push(&columns->longest, row->longest_computation);
    fm_vector_push(&columns->computation_capacity, row->computation_capacity);
    fm_vector_push(&columns->waiting, row->waiting);
    fm_vector_push(&columns->error, row->error);
    fm_vector_push(&columns->locations, row->locations);
    fm_vector_push(&columns->slowest,
                   row->slowest == FM_CUBE_NONE ? 0 : row->slowest + UINT64_C(1));
}

/** Adds one row with the sum of the rows first .. end - 1 of a phase. */
static void add_rows(struct columns *columns, const struct fm_cube_phase *phase, uint32_t first,
                     uint32_t end)
{
    struct fm_cube_iteration sum = phase->rows[first];
    for (uint32_t i = first + 1; i < end; i++)
        fm_cube_iteration_add(&sum, &phase->rows[i]);
    add_row(columns, &sum);
    for (uint32_t kind = 0; kind < phase->kind_count; kind++) {
        uint64_t ticks = 0;
        for (uint32_t i = first; i < end; i++)
            ticks += phase->waiting[(size_t)i * phase->kind_count + kind];
        fm_vector_push(&columns->waits, ticks);
    }
}

static void add_phase(struct columns *columns, const struct fm_cube *cube,
                      const struct fm_cube_phase *phase, struct fm_json *json)
{
    uint32_t step = (phase->row_count + FM_PHASE_ROWS - 1) / FM_PHASE_ROWS, rows = 0;
    for (uint32_t i = 0; i < phase->row_count; i += step, rows++)
        add_rows(columns, phase, i, phase->row_count - i < step ? phase->row_count : i + step);
    fm_json_object(json, NULL);
    fm_json_string(json, "region", cube->regions[phase->region].name);
    fm_json_unsigned(json, "iterations", phase->iteration_count);
    fm_json_unsigned(json, "rows", rows);
    fm_json_array(json, "kinds");
    for (uint32_t i = 0; i < phase->kind_count; i++) {
        fm_json_unsigned(json, NULL, phase->kinds[i]);
    }
    fm_json_end(json);
    fm_json_end(json);
}

void fm_phase_data_add(struct fm_bundle *bundle, const struct fm_cube *cube)
{
    struct columns columns = {0};
    struct fm_json *json = fm_bundle_json(bundle);
    fm_json_array(json, "phases");
    for (uint32_t i = 0; i < cube->phase_count; i++) {
        add_phase(&columns, cube, &cube->phases[i], json);
    }
    fm_json_end(json);
    fm_column_move(bundle, "phase_first", &columns.first, true);
    fm_column_move(bundle, "phase_count", &columns.count, false);
    fm_column_move(bundle, "phase_begin", &columns.begin, true);
    fm_column_move(bundle, "phase_end", &columns.end, true);
    fm_column_move(bundle, "phase_duration", &columns.duration, false);
    fm_column_move(bundle, "phase_time", &columns.time, false);
    fm_column_move(bundle, "phase_capacity", &columns.capacity, false);
    fm_column_move(bundle, "phase_computation", &columns.computation, false);
    fm_column_move(bundle, "phase_longest", &columns.longest, false);
    fm_column_move(bundle, "phase_computation_capacity", &columns.computation_capacity, false);
    fm_column_move(bundle, "phase_waiting", &columns.waiting, false);
    fm_column_move(bundle, "phase_error", &columns.error, false);
    fm_column_move(bundle, "phase_locations", &columns.locations, false);
    fm_column_move(bundle, "phase_slowest", &columns.slowest, false);
    fm_column_move(bundle, "phase_waits", &columns.waits, false);
}
