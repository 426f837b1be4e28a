/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of Cube are inclusive along the tree of metrics, and those of inclusive metrics along the
 * call tree. Each value is added at its place and taken away at its parents' places, so that sums
 * stay what they are in the file. */
#include "import/cubex/cubex_import.h"

#include "base/memory.h"
#include "functions/function_kind.h"
#include "import/cubex/cubex_archive.h"
#include "import/cubex/cubex_model.h"
#include "import/cubex/cubex_rows.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICKS_PER_SECOND 1000000000
#define COST_SHIFT       8

/* Differences of rounded times, in ticks, that are no times. */
#define ROUNDING 64

enum { MOST_LOCATIONS = 1 << 26, MAGIC_AT = 257 };

struct import {
    const char *path;
    struct fm_cubex_archive archive;
    struct fm_cubex_model model;
    struct fm_cube *cube;
    fm_metric_t *metric_of; /* [metric]: ours; FM_METRIC_NONE: left out */
    uint32_t *location_of;  /* [location]: ours; FM_CUBE_NONE: left out */
    fm_metric_t *time_of;   /* [region]: metric of its own time; NULL: the file divides time */
    unsigned left_out_metrics, left_out_locations;
};

bool fm_cubex_is_one(const char *path)
{
    unsigned char bytes[MAGIC_AT + 5] = {0};
    FILE *file = fopen(path, "rbe");
    const size_t count = file != NULL ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file != NULL) {
        fclose(file);
    }
    const bool is_compressed = count >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
    return is_compressed || (count == sizeof bytes && memcmp(bytes + MAGIC_AT, "ustar", 5) == 0);
}

static fm_status_t no_memory(struct fm_error *error)
{
    return fm_fail(error, FM_ERR_SYSTEM, "out of memory");
}

/* ---- metrics ---- */

/* @return whether the unit is known */
static bool unit_of(const struct fm_cubex_metric *metric, fm_unit_t *unit)
{
    *unit = strcmp(metric->unit, "sec") == 0     ? FM_UNIT_TICKS
            : strcmp(metric->unit, "bytes") == 0 ? FM_UNIT_BYTES
                                                 : FM_UNIT_OCCURRENCES;
    return *unit != FM_UNIT_OCCURRENCES ||
           fm_cubex_value_of(metric->data_type) == FM_CUBEX_INTEGER ||
           strcmp(metric->unit, "occ") == 0;
}

/* Makes a name an id of a declared metric. */
static void make_id(const char *name, bool is_counter, char *id, size_t size)
{
    size_t length = (size_t)snprintf(id, size, "%s", is_counter ? "counter:" : "cube_");
    for (; *name != '\0' && length + 1 < size; name++) {
        const char lower = (char)tolower((unsigned char)*name);
        const bool is_kept = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
        id[length++] = is_kept ? lower : '_';
    }
    id[length] = '\0';
}

/* Declares a metric that we do not have.
 * @param parent  ours; FM_METRIC_NONE: none */
static fm_metric_t declare(const struct fm_cubex_metric *metric, fm_unit_t unit, fm_metric_t parent)
{
    char id[128];
    make_id(metric->unique_name, unit != FM_UNIT_TICKS, id, sizeof id);
    const bool is_part = parent != FM_METRIC_NONE && fm_metric_info(parent)->unit == unit;
    return fm_metric_declare(&(struct fm_metric_info){
        .id = id,
        .parent = is_part ? parent : FM_METRIC_NONE,
        .name = metric->title[0] != '\0' ? metric->title : metric->unique_name,
        .unit = unit,
        .description = metric->description,
        .formula = "",
        .advice = "",
    });
}

static fm_metric_t find_metric(const struct import *import, const struct fm_cubex_metric *metric)
{
    fm_unit_t unit;
    if (metric->type == FM_CUBEX_DERIVED ||
        fm_cubex_value_of(metric->data_type) == FM_CUBEX_OTHER_VALUE || !unit_of(metric, &unit)) {
        return FM_METRIC_NONE;
    }
    const fm_metric_t own = fm_metric_by_id(metric->unique_name);
    if (own != FM_METRIC_NONE) {
        const fm_unit_t own_unit = fm_metric_info(own)->unit;
        const bool fits = own_unit == unit || (fm_unit_is_time(own_unit) && fm_unit_is_time(unit));
        return fits ? own : FM_METRIC_NONE;
    }
    return declare(metric, unit,
                   metric->parent != FM_CUBEX_NONE ? import->metric_of[metric->parent]
                                                   : FM_METRIC_NONE);
}

static void find_metrics(struct import *import)
{
    const struct fm_cubex_model *model = &import->model;
    bool divides_time = false;
    import->metric_of = fm_allocate(model->metrics.count, sizeof *import->metric_of);
    for (size_t i = 0; i < model->metrics.count; i++) {
        const fm_metric_t metric = find_metric(import, &model->metrics.items[i]);
        import->metric_of[i] = metric;
        import->left_out_metrics += metric == FM_METRIC_NONE;
        divides_time |= metric != FM_METRIC_NONE && metric != FM_METRIC_TIME &&
                        metric < FM_METRIC_USER && fm_metric_root(metric) == FM_METRIC_TIME;
    }
    import->cube->is_profile = !divides_time;
    if (divides_time) {
        return;
    }
    import->time_of = fm_allocate(model->regions.count + 1, sizeof *import->time_of);
    for (size_t i = 0; i < model->regions.count; i++) {
        const struct fm_cubex_region *region = &model->regions.items[i];
        const char *id = NULL;
        if (strcmp(region->paradigm, "measurement") == 0) {
            id = "overhead";
        } else {
            fm_paradigm_t paradigm = fm_paradigm_of_function(region->name);
            if (strcmp(region->paradigm, fm_paradigm_name(FM_PARADIGM_OPENMP)) == 0) {
                paradigm = FM_PARADIGM_OPENMP;
            }
            id = fm_function_kind(paradigm, region->name).own_metric;
        }
        import->time_of[i] = id == NULL ? FM_METRIC_COMP : fm_metric_by_id(id);
    }
}

/* ---- definitions ---- */

static int compare_places(const void *left, const void *right, void *context)
{
    const struct fm_cubex_location *items = context;
    const struct fm_cubex_location *a = &items[*(const uint32_t *)left],
                                   *b = &items[*(const uint32_t *)right];
    if (a->process != b->process) {
        return a->process < b->process ? -1 : 1;
    }
    if (a->thread != b->thread) {
        return a->thread < b->thread ? -1 : 1;
    }
    return a->id < b->id ? -1 : a->id > b->id;
}

/* A name of a node without the class in front of it. */
static const char *node_name(const char *name)
{
    return strncmp(name, "node ", 5) == 0 ? name + 5 : name;
}

static fm_status_t add_locations(struct import *import, struct fm_error *error)
{
    const struct fm_cubex_location *items = import->model.locations.items;
    const size_t count = import->model.locations.count;
    uint32_t *order = fm_allocate(count, sizeof *order);
    import->location_of = fm_allocate(count, sizeof *import->location_of);
    for (size_t i = 0; i < count; i++) {
        order[i] = (uint32_t)i;
        import->location_of[i] = FM_CUBE_NONE;
    }
    qsort_r(order, count, sizeof *order, compare_places, import->model.locations.items);
    fm_status_t status = FM_OK;
    uint32_t thread = 0;
    const struct fm_cubex_location *before = NULL;
    for (size_t i = 0; i < count && status == FM_OK; i++) {
        const struct fm_cubex_location *location = &items[order[i]];
        if (location->is_metric) {
            import->left_out_locations++;
            continue;
        }
        thread = before != NULL && before->process == location->process ? thread + 1 : 0;
        if (location->process < 0 || location->process >= FM_CUBE_NONE) {
            status = fm_fail(error, FM_ERR_DATA, "%s: the rank of a process is none", import->path);
            break;
        }
        const uint32_t process = (uint32_t)location->process;
        const uint32_t added =
            fm_cube_add_location(import->cube, (uint64_t)process | (uint64_t)thread << 32, process,
                                 thread, node_name(location->node), location->name);
        if (added == FM_CUBE_NONE) {
            status = no_memory(error);
        } else {
            import->cube->locations[added].is_stream = location->is_stream;
            import->location_of[order[i]] = added;
            import->cube->experiment.process_count += thread == 0;
        }
        before = location;
    }
    fm_free(order);
    return status == FM_OK && before == NULL
               ? fm_fail(error, FM_ERR_DATA, "%s: it has no threads", import->path)
               : status;
}

/* The paradigm as we name it: functions that a compiler or a user has instrumented are the
 * program's. */
static const char *paradigm_of(const struct fm_cubex_region *region)
{
    const bool is_programs = strcmp(region->paradigm, "compiler") == 0 ||
                             strcmp(region->paradigm, "sampling") == 0 ||
                             strcmp(region->paradigm, "unknown") == 0;
    return is_programs ? fm_paradigm_name(fm_paradigm_of_function(region->name)) : region->paradigm;
}

/* Whether a value of a parameter stands for itself: it divides the visits of the function above it,
 * or has a region of its own. */
static bool is_of_parent(const struct fm_cubex_model *model,
                         const struct fm_cubex_callpath *callpath)
{
    const struct fm_cubex_region *region = &model->regions.items[callpath->region];
    return strcmp(region->name, callpath->parameter) == 0 ||
           (callpath->parent != FM_CUBEX_NONE &&
            model->callpaths.items[callpath->parent].region == callpath->region);
}

static uint32_t add_region(struct import *import, const struct fm_cubex_region *region,
                           const char *name)
{
    return fm_cube_add_region(import->cube, name, paradigm_of(region),
                              region->file[0] != '\0' ? region->file : NULL,
                              region->line > 0 ? (uint32_t)region->line : 0);
}

/* Adds a function that is told apart by a value. */
static uint32_t add_region_with(struct import *import, const struct fm_cubex_region *region,
                                const char *value)
{
    char *name = NULL;
    if (asprintf(&name, "%s [%s]", region->name, value) < 0) {
        return FM_CUBE_NONE;
    }
    const uint32_t added = add_region(import, region, name);
    free(name);
    return added;
}

static fm_status_t add_callpaths(struct import *import, struct fm_error *error)
{
    const struct fm_cubex_model *model = &import->model;
    for (size_t i = 0; i < model->regions.count; i++) {
        const struct fm_cubex_region *region = &model->regions.items[i];
        if (add_region(import, region, region->name) == FM_CUBE_NONE) {
            return no_memory(error);
        }
    }
    for (size_t i = 0; i < model->callpaths.count; i++) {
        const struct fm_cubex_callpath *callpath = &model->callpaths.items[i];
        uint32_t region = callpath->region;
        if (callpath->parameter[0] != '\0' && !is_of_parent(model, callpath)) {
            region = add_region_with(import, &model->regions.items[region], callpath->parameter);
        } else if (callpath->parameter[0] != '\0') {
            region =
                fm_cube_add_region(import->cube, callpath->parameter, FM_CUBE_PARAMETER, NULL, 0);
        }
        const uint32_t parent = callpath->parent != FM_CUBEX_NONE ? callpath->parent : FM_CUBE_NONE;
        if (region == FM_CUBE_NONE ||
            fm_cube_add_callpath(import->cube, parent, region) == FM_CUBE_NONE) {
            return no_memory(error);
        }
    }
    return FM_OK;
}

/* ---- values ---- */

/* Numbers the call paths as the rows of inclusive metrics are: below each call path all of its
 * children, then what is below each of them; of exclusive ones as they stand in the file.
 * @return [row]: call path; to be freed with fm_free() */
static uint32_t *number_rows(const struct fm_cubex_model *model, enum fm_cubex_type type)
{
    const struct fm_cubex_callpath *items = model->callpaths.items;
    const uint32_t count = (uint32_t)model->callpaths.count;
    uint32_t *rows = fm_allocate(count, sizeof *rows), next = 0;
    if (type != FM_CUBEX_INCLUSIVE) {
        for (; next < count; next++) {
            rows[next] = next;
        }
        return rows;
    }
    for (uint32_t i = 0; i < count; i++) { /* depth first: parents in the order of recursion */
        if (items[i].parent == FM_CUBEX_NONE) {
            rows[next++] = i;
        }
        for (uint32_t child = i + 1; child < items[i].child_end; child = items[child].child_end) {
            rows[next++] = child;
        }
    }
    return rows;
}

/* Adds a value to a metric's own place and takes it away from what contains it. */
static fm_status_t add_to_metric(struct import *import, size_t metric, uint32_t callpath,
                                 uint32_t location, int64_t value, struct fm_error *error)
{
    fm_metric_t own = import->metric_of[metric];
    if (own == FM_METRIC_TIME && import->time_of != NULL) {
        own = import->time_of[import->model.callpaths.items[callpath].region];
    }
    fm_status_t status = fm_cube_add(import->cube, own, callpath, location, value, error);
    uint32_t above = import->model.metrics.items[metric].parent;
    while (above != FM_CUBEX_NONE && import->metric_of[above] == FM_METRIC_NONE) {
        above = import->model.metrics.items[above].parent;
    }
    const fm_metric_t parent = above != FM_CUBEX_NONE ? import->metric_of[above] : FM_METRIC_NONE;
    if (status != FM_OK || parent == FM_METRIC_NONE ||
        fm_metric_root(parent) != fm_metric_root(own)) {
        return status;
    }
    return fm_cube_add(import->cube, parent, callpath, location, -value, error);
}

/* @return false: the value is none, or too large */
static bool scale(fm_unit_t unit, double value, int64_t *scaled)
{
    const double factor = unit == FM_UNIT_TICKS  ? TICKS_PER_SECOND
                          : unit == FM_UNIT_COST ? TICKS_PER_SECOND * (double)(1 << COST_SHIFT)
                                                 : 1;
    const double result = value * factor;
    if (!(fabs(result) < 4e18)) {
        return false;
    }
    *scaled = llround(result);
    return true;
}

static fm_status_t add_row(struct import *import, size_t metric, uint32_t callpath,
                           const double *values, struct fm_error *error)
{
    const struct fm_cubex_metric *of = &import->model.metrics.items[metric];
    const fm_unit_t unit = fm_metric_info(import->metric_of[metric])->unit;
    const uint32_t parent = import->model.callpaths.items[callpath].parent;
    fm_status_t status = FM_OK;
    for (size_t l = 0; l < import->model.locations.count && status == FM_OK; l++) {
        const uint32_t location = import->location_of[l];
        int64_t value = 0;
        if (location == FM_CUBE_NONE || values[l] == 0) {
            continue;
        }
        if (!scale(unit, values[l], &value)) {
            return fm_fail(error, FM_ERR_DATA, "%s: a value of %s is too large, or none",
                           import->path, of->unique_name);
        }
        status = add_to_metric(import, metric, callpath, location, value, error);
        if (status == FM_OK && of->type == FM_CUBEX_INCLUSIVE && parent != FM_CUBEX_NONE) {
            status = add_to_metric(import, metric, parent, location, -value, error);
        }
    }
    return status;
}

static fm_status_t add_values(struct import *import, size_t metric, struct fm_error *error)
{
    const struct fm_cubex_model *model = &import->model;
    const struct fm_cubex_metric *of = &model->metrics.items[metric];
    const uint32_t width = (uint32_t)model->locations.count;
    struct fm_cubex_rows rows;
    struct fm_error reason;
    fm_status_t status =
        fm_cubex_rows_open(&import->archive, of->id, of->data_type,
                           (uint32_t)model->callpaths.count, width, &rows, &reason);
    if (status != FM_OK) {
        return fm_fail(error, status, "%s: %s", import->path, reason.message);
    }
    uint32_t *numbers = number_rows(model, of->type);
    double *values = fm_allocate(width, sizeof *values);
    for (uint32_t i = 0; i < rows.count && status == FM_OK; i++) {
        status = fm_cubex_rows_read(&rows, i, values, &reason);
        if (status != FM_OK) {
            fm_fail(error, status, "%s: %u.data: %s", import->path, of->id, reason.message);
        } else {
            status =
                add_row(import, metric, numbers[fm_cubex_rows_number(&rows, i)], values, error);
        }
    }
    fm_free(values);
    fm_free(numbers);
    fm_cubex_rows_close(&rows);
    return status;
}

/* ---- the cube ---- */

/* Times that result from rounding alone are none. */
static void drop_rounding(struct fm_cube *cube)
{
    size_t kept = 0;
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell cell = cube->cells[i];
        if (fm_metric_root((fm_metric_t)cell.metric) != FM_METRIC_TIME || cell.value >= 0 ||
            cell.value < -ROUNDING) {
            cube->cells[kept++] = cell;
        }
    }
    cube->cell_count = kept;
}

/* The run lasts as long as the time of the location that has most. */
static void set_duration(struct fm_cube *cube)
{
    int64_t *times = fm_allocate(cube->location_count, sizeof *times), longest = 0;
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        if (fm_metric_root((fm_metric_t)cell->metric) == FM_METRIC_TIME) {
            times[cell->location] += cell->value;
            longest = times[cell->location] > longest ? times[cell->location] : longest;
        }
    }
    cube->experiment.end = (uint64_t)longest;
    fm_free(times);
}

static fm_status_t describe(struct import *import, struct fm_error *error)
{
    struct fm_cube_experiment *experiment = &import->cube->experiment;
    const char *slash = strrchr(import->path, '/');
    experiment->ticks_per_second = TICKS_PER_SECOND;
    experiment->cost_shift = COST_SHIFT;
    fm_status_t status =
        fm_cube_set_text(&experiment->title, slash != NULL ? slash + 1 : import->path, error);
    if (status == FM_OK) {
        status = fm_cube_set_text(&experiment->creator, import->model.creator, error);
    }
    if (status == FM_OK) {
        status = fm_cube_set_text(&experiment->machine, import->model.machine, error);
    }
    if (status == FM_OK && import->left_out_metrics != 0) {
        status = fm_cube_warn(import->cube, error,
                              "%u of %zu metrics of the Cube file are left out: their values do "
                              "not add up, or are computed by expressions.",
                              import->left_out_metrics, import->model.metrics.count);
    }
    if (status == FM_OK && import->left_out_locations != 0) {
        status = fm_cube_warn(import->cube, error,
                              "%u locations of the Cube file that are no threads are left out.",
                              import->left_out_locations);
    }
    return status;
}

static fm_status_t make_cube(struct import *import, struct fm_error *error)
{
    find_metrics(import);
    fm_status_t status = describe(import, error);
    if (status == FM_OK) {
        status = add_locations(import, error);
    }
    if (status == FM_OK) {
        status = add_callpaths(import, error);
    }
    for (size_t i = 0; i < import->model.metrics.count && status == FM_OK; i++) {
        if (import->metric_of[i] != FM_METRIC_NONE) {
            status = add_values(import, i, error);
        }
    }
    if (status == FM_OK) {
        status = fm_cube_seal(import->cube, error);
    }
    if (status == FM_OK) {
        drop_rounding(import->cube);
        set_duration(import->cube);
    }
    return status;
}

static fm_status_t read_model(struct import *import, struct fm_error *error)
{
    const struct fm_cubex_member *anchor = fm_cubex_archive_find(&import->archive, "anchor.xml");
    if (anchor == NULL) {
        return fm_fail(error, FM_ERR_DATA, "%s: not a Cube file: anchor.xml is missing",
                       import->path);
    }
    fm_status_t status = fm_cubex_model_read((const char *)anchor->bytes, anchor->size,
                                             import->path, &import->model, error);
    if (status == FM_OK && import->model.locations.count > MOST_LOCATIONS) {
        status = fm_fail(error, FM_ERR_DATA, "%s: too many locations", import->path);
    }
    return status;
}

fm_status_t fm_cubex_import(const char *path, struct fm_cube **cube, struct fm_error *error)
{
    struct import import = {.path = path, .cube = fm_cube_create()};
    if (import.cube == NULL) {
        return no_memory(error);
    }
    fm_status_t status = fm_cubex_archive_open(path, &import.archive, error);
    if (status == FM_OK) {
        status = read_model(&import, error);
    }
    if (status == FM_OK) {
        status = make_cube(&import, error);
    }
    fm_free(import.metric_of);
    fm_free(import.location_of);
    fm_free(import.time_of);
    fm_cubex_model_free(&import.model);
    fm_cubex_archive_close(&import.archive);
    if (status != FM_OK) {
        fm_cube_free(import.cube);
        return status;
    }
    *cube = import.cube;
    return FM_OK;
}
