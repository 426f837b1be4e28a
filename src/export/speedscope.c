/* SPDX-License-Identifier: BSD-3-Clause */
/* A property as flame graphs for speedscope (https://www.speedscope.app): one profile of all
 * locations together, then one profile for each location, or, if there are too many to choose from,
 * for each group of locations (location_groups.h). A sample is a call path; its weight is the value
 * of the property, in a group its mean over the group's locations. */
#include "base/json/json_writer.h"
#include "base/memory.h"
#include "export/export.h"
#include "export/location_groups.h"

#include <stdlib.h>

struct weight {
    uint32_t location, callpath; /* or a group instead of a location */
    int64_t value;
};

struct weights {
    struct weight *items;
    size_t count;
};

static int compare_weights(const void *left, const void *right)
{
    const struct weight *a = left, *b = right;
    if (a->location != b->location) {
        return a->location < b->location ? -1 : 1;
    }
    return (a->callpath > b->callpath) - (a->callpath < b->callpath);
}

/* Merges neighbours with the same location and call path. */
static void join_equal(struct weights *weights)
{
    size_t kept = 0;
    for (size_t i = 0; i < weights->count; i++) {
        if (kept > 0 && compare_weights(&weights->items[kept - 1], &weights->items[i]) == 0) {
            weights->items[kept - 1].value += weights->items[i].value;
        } else {
            weights->items[kept++] = weights->items[i];
        }
    }
    weights->count = kept;
}

/* Collects the cells of a metric and all metrics below it, ascending by location, then by call
 * path. */
static fm_status_t collect(struct weights *weights, const struct fm_cube *cube, fm_metric_t metric,
                           struct fm_error *error)
{
    *weights = (struct weights){calloc(cube->cell_count + 1, sizeof *weights->items), 0};
    if (weights->items == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for the flame graphs");
    }
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        if (cell->value > 0 && fm_metric_is_within((fm_metric_t)cell->metric, metric)) {
            weights->items[weights->count++] =
                (struct weight){cell->location, cell->callpath, cell->value};
        }
    }
    qsort(weights->items, weights->count, sizeof *weights->items, compare_weights);
    join_equal(weights);
    return FM_OK;
}

/* Adds the cells of a metric and all metrics below it up, by group of locations and call path.
 * Needs memory for the groups only, not for the cells.
 * @param of  [location]: its group; NULL: all locations are in group 0 */
static fm_status_t collect_groups(struct weights *weights, const struct fm_cube *cube,
                                  fm_metric_t metric, const uint32_t *of, uint32_t groups,
                                  struct fm_error *error)
{
    size_t count = (size_t)groups * cube->callpath_count;
    *weights = (struct weights){calloc(count + 1, sizeof *weights->items), 0};
    if (weights->items == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for the flame graphs");
    }
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        if (cell->value > 0 && fm_metric_is_within((fm_metric_t)cell->metric, metric)) {
            size_t group = of == NULL ? 0 : of[cell->location];
            weights->items[group * cube->callpath_count + cell->callpath].value += cell->value;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (weights->items[i].value != 0) {
            weights->items[weights->count++] =
                (struct weight){(uint32_t)(i / cube->callpath_count),
                                (uint32_t)(i % cube->callpath_count), weights->items[i].value};
        }
    }
    return FM_OK;
}

static void put_frames(const struct fm_cube *cube, struct fm_json *json)
{
    fm_json_object(json, "shared");
    fm_json_array(json, "frames");
    for (uint32_t i = 0; i < cube->region_count; i++) {
        const struct fm_cube_region *region = &cube->regions[i];
        fm_json_line(json, 0);
        fm_json_object(json, NULL);
        fm_json_string(json, "name", region->name);
        if (region->file != NULL) {
            fm_json_string(json, "file", region->file);
        }
        if (region->line != 0) {
            fm_json_unsigned(json, "line", region->line);
        }
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_end(json);
}

/* Writes the regions of a call path, outermost first. `stack` has space for all call paths. */
static void put_stack(const struct fm_cube *cube, uint32_t callpath, uint32_t *stack,
                      struct fm_json *json)
{
    size_t depth = 0;
    for (; callpath != FM_CUBE_NONE; callpath = cube->callpaths[callpath].parent) {
        stack[depth++] = cube->callpaths[callpath].region;
    }
    fm_json_array(json, NULL);
    while (depth-- > 0) {
        fm_json_unsigned(json, NULL, stack[depth]);
    }
    fm_json_end(json);
}

/* @param locations  number of locations whose values the weights are the sum of: the profile shows
 *                   their mean */
static void put_profile(const struct fm_cube *cube, fm_metric_t metric, const char *name,
                        const struct weight *weights, size_t count, uint32_t locations,
                        uint32_t *stack, struct fm_json *json)
{
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += weights[i].value;
    }
    fm_unit_t unit = fm_metric_info(metric)->unit;
    fm_json_line(json, 0);
    fm_json_object(json, NULL);
    fm_json_string(json, "type", "sampled");
    fm_json_string(json, "name", name);
    fm_json_string(json, "unit",
                   fm_unit_is_time(unit)   ? "seconds"
                   : unit == FM_UNIT_BYTES ? "bytes"
                                           : "none");
    fm_json_unsigned(json, "startValue", 0);
    fm_json_double(json, "endValue", fm_cube_scaled(cube, metric, sum) / locations);
    fm_json_array(json, "samples");
    for (size_t i = 0; i < count; i++) {
        put_stack(cube, weights[i].callpath, stack, json);
    }
    fm_json_end(json);
    fm_json_array(json, "weights");
    for (size_t i = 0; i < count; i++) {
        fm_json_double(json, NULL, fm_cube_scaled(cube, metric, weights[i].value) / locations);
    }
    fm_json_end(json);
    fm_json_end(json);
}

static fm_status_t put_all(const struct fm_cube *cube, fm_metric_t metric, uint32_t *stack,
                           struct fm_json *json, struct fm_error *error)
{
    struct weights weights;
    fm_status_t status = collect_groups(&weights, cube, metric, NULL, 1, error);
    if (status == FM_OK) {
        put_profile(cube, metric, "all locations", weights.items, weights.count, 1, stack, json);
        free(weights.items);
    }
    return status;
}

static fm_status_t put_locations(const struct fm_cube *cube, fm_metric_t metric, uint32_t *stack,
                                 struct fm_json *json, struct fm_error *error)
{
    struct weights weights;
    const struct fm_process_word process = fm_process_word(cube);
    fm_status_t status = collect(&weights, cube, metric, error);
    if (status != FM_OK) {
        return status;
    }
    for (size_t i = 0, end; i < weights.count; i = end) {
        uint32_t location = weights.items[i].location;
        for (end = i; end < weights.count && weights.items[end].location == location; end++) {
        }
        char *label = fm_location_label(process, &cube->locations[location]);
        put_profile(cube, metric, label, &weights.items[i], end - i, 1, stack, json);
        free(label);
    }
    free(weights.items);
    return FM_OK;
}

static struct fm_location_groups make_groups(const struct fm_cube *cube, fm_metric_t metric)
{
    int64_t *values = fm_allocate(cube->location_count, sizeof *values);
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        if (fm_metric_is_within((fm_metric_t)cell->metric, metric)) {
            values[cell->location] += cell->value;
        }
    }
    struct fm_location_groups groups =
        fm_location_groups_make(cube, values, fm_metric_info(metric)->unit);
    fm_free(values);
    return groups;
}

static fm_status_t put_groups(const struct fm_cube *cube, fm_metric_t metric, uint32_t *stack,
                              struct fm_json *json, struct fm_error *error)
{
    struct weights weights;
    struct fm_location_groups groups = make_groups(cube, metric);
    fm_status_t status = collect_groups(&weights, cube, metric, groups.of, groups.count, error);
    if (status == FM_OK) {
        for (size_t i = 0, end; i < weights.count; i = end) {
            uint32_t group = weights.items[i].location;
            for (end = i; end < weights.count && weights.items[end].location == group; end++) {
            }
            put_profile(cube, metric, groups.names[group], &weights.items[i], end - i,
                        groups.sizes[group], stack, json);
        }
        free(weights.items);
    }
    fm_location_groups_free(&groups);
    return status;
}

static fm_status_t write_speedscope(const struct fm_export_request *request, FILE *stream,
                                    struct fm_error *error)
{
    const struct fm_cube *cube = request->cube;
    uint32_t *stack = calloc(cube->callpath_count + (size_t)1, sizeof *stack);
    if (stack == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for the flame graphs");
    }
    struct fm_json json = fm_json_begin(stream, FM_JSON_COMPACT);
    fm_json_object(&json, NULL);
    fm_json_string(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    fm_json_line(&json, 0);
    fm_json_string(&json, "exporter", "fermata " FERMATA_VERSION);
    fm_json_string(&json, "name", fm_metric_info(request->metric)->name);
    fm_json_line(&json, 0);
    put_frames(cube, &json);
    fm_json_line(&json, 0);
    fm_json_array(&json, "profiles");
    fm_status_t status = put_all(cube, request->metric, stack, &json, error);
    if (status == FM_OK) {
        status = cube->location_count > FM_SINGLE_LOCATIONS
                     ? put_groups(cube, request->metric, stack, &json, error)
                     : put_locations(cube, request->metric, stack, &json, error);
    }
    fm_json_end(&json);
    fm_json_end(&json);
    putc('\n', stream);
    free(stack);
    return status;
}

const struct fm_export_format fm_export_speedscope = {
    .name = "speedscope",
    .file = "report.speedscope.json",
    .summary = "flame graphs of --metric (default: time), one for each location or group",
    .of_one_metric = true,
    .write = write_speedscope,
};
