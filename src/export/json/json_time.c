/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases, time bins and efficiencies as JSON. */
#include "base/memory.h"
#include "diagnosis/efficiency/efficiency.h"
#include "diagnosis/efficiency/hybrid_efficiency.h"
#include "diagnosis/efficiency/load_levels.h"
#include "diagnosis/uncertainty.h"
#include "export/json/json_fields.h"

#include <math.h>

static void put_efficiency(struct fm_json *json, const struct fm_efficiency *efficiency)
{
    fm_json_double(json, "parallel_efficiency", efficiency->parallel);
    fm_json_double(json, "load_balance", efficiency->load_balance);
    fm_json_double(json, "communication_efficiency", efficiency->communication);
    if (!isnan(efficiency->offload)) {
        fm_json_double(json, "offload_efficiency", efficiency->offload);
    }
}

static void put_efficiency_and_time(struct fm_json *json, const struct fm_cube *cube,
                                    const struct fm_efficiency *efficiency)
{
    put_efficiency(json, efficiency);
    fm_json_double(json, "time", efficiency->time / (double)cube->experiment.ticks_per_second);
}

static void put_hybrid(struct fm_json *json, const struct fm_cube *cube)
{
    struct fm_hybrid_efficiency hybrid;
    if (!fm_hybrid_efficiency(cube, &hybrid)) {
        fm_json_null(json, "hybrid");
        return;
    }
    struct fm_hybrid_row rows[FM_HYBRID_ROWS];
    fm_hybrid_rows(&hybrid, rows);
    fm_json_object(json, "hybrid");
    for (unsigned i = 0; i < FM_HYBRID_ROWS; i++) {
        fm_json_double(json, rows[i].key, rows[i].value);
    }
    fm_json_end(json);
}

static void put_load(struct fm_json *json, const char *key, const struct fm_load_levels *levels,
                     enum fm_level level, const struct fm_load_imbalance *loads, double tick)
{
    fm_json_object(json, key);
    fm_json_double(json, "average", loads->average * tick);
    fm_json_double(json, "largest", loads->largest * tick);
    fm_json_double(json, "imbalance", loads->imbalance);
    fm_json_unsigned(json, "location", levels->units[level][loads->where].first);
    fm_json_end(json);
}

static void put_load_levels(struct fm_json *json, const struct fm_cube *cube)
{
    const double tick = 1 / (double)cube->experiment.ticks_per_second;
    struct fm_load_levels levels;
    fm_load_levels_make(cube, FM_CUBE_NONE, &levels);
    fm_json_array(json, "load_levels");
    for (int i = 0; i < FM_LEVELS; i++) {
        const enum fm_level level = (enum fm_level)i;
        if (!fm_level_is_known(&levels, level)) {
            continue;
        }
        fm_json_object(json, NULL);
        fm_json_string(json, "level", fm_level_id(level));
        fm_json_string(json, "parts", fm_level_parts(level));
        fm_json_unsigned(json, "units", levels.counts[level]);
        fm_json_double(json, "efficiency", fm_level_mean_efficiency(&levels, level));
        put_load(json, "measured", &levels, level, &levels.times[level], tick);
        put_load(json, "adjusted", &levels, level, &levels.loads[level], tick);
        if (levels.composites[level].count > 0) {
            put_load(json, "composite", &levels, level, &levels.composites[level], tick);
        } else {
            fm_json_null(json, "composite");
        }
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_load_levels_free(&levels);
}

static void put_errors(struct fm_json *json, const struct fm_cube *cube,
                       const struct fm_efficiency *run)
{
    const struct fm_efficiency errors = fm_errors_of_efficiency(cube, run);
    const struct {
        const char *key;
        double efficiency, error;
    } list[] = {
        {"parallel_efficiency_error", run->parallel, errors.parallel},
        {"load_balance_error", run->load_balance, errors.load_balance},
        {"communication_efficiency_error", run->communication, errors.communication},
        {"serialization_efficiency_error", run->serialization, errors.serialization},
        {"transfer_efficiency_error", run->transfer, errors.transfer},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        fm_json_double(json, list[i].key,
                       cube->errors.are_known && !isnan(list[i].efficiency) ? list[i].error : NAN);
    }
}

void fm_json_put_efficiency(struct fm_json *json, const struct fm_cube *cube)
{
    struct fm_efficiency *callpaths = fm_allocate(cube->callpath_count, sizeof *callpaths);
    const struct fm_efficiency run = fm_efficiency_of_cube(cube, callpaths);
    fm_json_object(json, "efficiency");
    put_efficiency_and_time(json, cube, &run);
    fm_json_double(json, "serialization_efficiency", run.serialization);
    fm_json_double(json, "transfer_efficiency", run.transfer);
    put_errors(json, cube, &run);
    put_hybrid(json, cube);
    put_load_levels(json, cube);
    fm_json_array(json, "callpaths");
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        if (isnan(callpaths[i].parallel)) {
            continue;
        }
        fm_json_line(json, 2);
        fm_json_object(json, NULL);
        fm_json_unsigned(json, "callpath", i);
        put_efficiency_and_time(json, cube, &callpaths[i]);
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_end(json);
    fm_free(callpaths);
}

static void put_times(struct fm_json *json, const struct fm_cube *cube,
                      const struct fm_cube_iteration *iteration)
{
    fm_json_seconds(json, "begin", cube, iteration->begin);
    fm_json_seconds(json, "end", cube, iteration->end);
    fm_json_seconds(json, "duration", cube, iteration->duration);
    fm_json_seconds(json, "time", cube, iteration->time);
    fm_json_seconds(json, "computation", cube, iteration->computation);
    fm_json_seconds(json, "longest_computation", cube, iteration->longest_computation);
    fm_json_seconds(json, "waiting", cube, iteration->waiting);
    fm_json_error(json, "waiting_error", cube, iteration->error);
    fm_json_double(json, "imbalance",
                   fm_cube_iteration_imbalance(iteration) /
                       (double)cube->experiment.ticks_per_second);
    fm_json_unsigned(json, "locations", iteration->locations);
    fm_json_index(json, "slowest", iteration->slowest);
}

/* Writes values of the kinds of wait states that occur. */
static void put_kinds(struct fm_json *json, const char *key, const struct fm_cube *cube,
                      const struct fm_cube_phase *phase, const uint64_t *waiting,
                      const uint64_t *values)
{
    fm_json_object(json, key);
    for (uint32_t k = 0; k < phase->kind_count; k++) {
        if (waiting[k] != 0) {
            fm_json_seconds(json, fm_metric_info((fm_metric_t)phase->kinds[k])->id, cube,
                            values[k]);
        }
    }
    fm_json_end(json);
}

static void put_iteration(struct fm_json *json, const char *key, const struct fm_cube *cube,
                          const struct fm_cube_phase *phase,
                          const struct fm_cube_iteration *iteration, const uint64_t *waiting,
                          const uint64_t *errors)
{
    const struct fm_efficiency efficiency = fm_efficiency_of_iteration(cube, iteration);
    fm_json_object(json, key);
    fm_json_unsigned(json, "first", iteration->first);
    fm_json_unsigned(json, "count", iteration->count);
    put_times(json, cube, iteration);
    put_efficiency(json, &efficiency);
    put_kinds(json, "waits", cube, phase, waiting, waiting);
    if (errors != NULL) {
        put_kinds(json, "wait_errors", cube, phase, waiting, errors);
    }
    fm_json_end(json);
}

static void put_phase(struct fm_json *json, const struct fm_cube *cube,
                      const struct fm_cube_phase *phase)
{
    struct fm_cube_iteration total;
    const bool has_errors =
        cube->errors.are_known && (phase->errors != NULL || phase->kind_count == 0);
    uint64_t *waiting = fm_allocate(phase->kind_count, sizeof *waiting);
    uint64_t *errors = fm_allocate(phase->kind_count, sizeof *errors);
    fm_cube_phase_total(phase, &total, waiting, errors);
    fm_json_object(json, NULL);
    fm_json_string(json, "region", cube->regions[phase->region].name);
    fm_json_unsigned(json, "iterations", phase->iteration_count);
    fm_json_line(json, 3);
    put_iteration(json, "total", cube, phase, &total, waiting, has_errors ? errors : NULL);
    fm_json_line(json, 3);
    fm_json_array(json, "rows");
    for (uint32_t i = 0; i < phase->row_count; i++) {
        fm_json_line(json, 4);
        const size_t first = (size_t)i * phase->kind_count;
        put_iteration(json, NULL, cube, phase, &phase->rows[i], &phase->waiting[first],
                      phase->errors != NULL ? &phase->errors[first]
                      : has_errors          ? errors
                                            : NULL);
    }
    fm_json_end(json);
    fm_json_end(json);
    fm_free(errors);
    fm_free(waiting);
}

void fm_json_put_phases(struct fm_json *json, const struct fm_cube *cube)
{
    fm_json_array(json, "phases");
    for (uint32_t i = 0; i < cube->phase_count; i++) {
        fm_json_line(json, 2);
        put_phase(json, cube, &cube->phases[i]);
    }
    fm_json_end(json);
}

void fm_json_put_time_bins(struct fm_json *json, const struct fm_cube *cube)
{
    const struct fm_cube_bins *bins = &cube->bins;
    fm_json_object(json, "time_bins");
    fm_json_unsigned(json, "count", bins->bin_count);
    fm_json_unsigned(json, "locations_per_row", bins->locations_per_row);
    fm_json_array(json, "waiting");
    for (size_t i = 0; i < bins->cell_count;) {
        const struct fm_cube_bin *first = &bins->cells[i];
        fm_json_line(json, 2);
        fm_json_object(json, NULL);
        fm_json_string(json, "metric", fm_metric_info((fm_metric_t)first->metric)->id);
        fm_json_unsigned(json, "row", first->row);
        fm_json_array(json, "bins");
        for (; i < bins->cell_count && bins->cells[i].metric == first->metric &&
               bins->cells[i].row == first->row;
             i++) {
            fm_json_array(json, NULL);
            fm_json_unsigned(json, NULL, bins->cells[i].bin);
            fm_json_seconds(json, NULL, cube, bins->cells[i].ticks);
            fm_json_end(json);
        }
        fm_json_end(json);
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_end(json);
}
