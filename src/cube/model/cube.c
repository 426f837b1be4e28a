/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/model/cube.h"

#include "base/containers/keyed_sort.h"
#include "base/library_function.h"
#include "cube/model/callpath_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Below this number of cells, growing is cheaper than adding up repeated cells first. */
#define COMPACTION_THRESHOLD ((size_t)1 << 20)

struct fm_cube *fm_cube_create(void)
{
    return calloc(1, sizeof(struct fm_cube));
}

void fm_cube_free(struct fm_cube *cube)
{
    if (cube == NULL)
        return;
    free(cube->experiment.title);
    free(cube->experiment.command);
    free(cube->experiment.creator);
    free(cube->experiment.machine);
    for (uint32_t i = 0; i < cube->region_count; i++) {
        free(cube->regions[i].name);
        free(cube->regions[i].paradigm);
        free(cube->regions[i].file);
    }
    free(cube->regions);
    free(cube->callpaths);
    for (uint32_t i = 0; i < cube->site_count; i++)
        free(cube->sites[i].file);
    free(cube->sites);
    for (uint32_t i = 0; i < cube->location_count; i++) {
        free(cube->locations[i].node);
        free(cube->locations[i].name);
    }
    free(cube->locations);
    free(cube->cells);
    free(cube->statistics);
    free(cube->segments);
    free(cube->path_errors.of_callpath);
    for (uint32_t i = 0; i < cube->warning_count; i++)
        free(cube->warnings[i]);
    free(cube->warnings);
    fm_cube_free_locks(cube);
    fm_cube_free_switched_off(cube);
    fm_cube_free_findings(cube);
    fm_cube_hang_free(&cube->hang);
    fm_cube_free_partitions(cube);
    fm_cube_free_time(cube);
    fm_cube_free_matrices(cube);
    fm_cube_free_topologies(cube);
    fm_cube_free_problems(cube);
    free(cube);
}

/** Makes room for one more element. @return the array, possibly moved; NULL if memory is exhausted:
 * the old array stays valid then. */
static void *grow(void *array, uint32_t count, uint32_t *capacity, size_t element_size)
{
    if (count < *capacity)
        return array;
    if (*capacity > UINT32_MAX / 2)
        return NULL;
    uint32_t wanted = *capacity == 0 ? 16 : *capacity * 2;
    void *grown = reallocarray(array, wanted, element_size);
    if (grown != NULL)
        *capacity = wanted;
    return grown;
}

fm_status_t fm_cube_set_text(char **field, const char *text, struct fm_error *error)
{
    char *copy = NULL;
    if (text != NULL) {
        copy = strdup(text);
        if (copy == NULL)
            return fm_fail(error, FM_ERR_SYSTEM, "out of memory");
    }
    free(*field);
    *field = copy;
    return FM_OK;
}

uint32_t fm_cube_add_region(struct fm_cube *cube, const char *name, const char *paradigm,
                            const char *file, uint32_t line)
{
    struct fm_cube_region *regions =
        grow(cube->regions, cube->region_count, &cube->region_capacity, sizeof *regions);
    if (regions == NULL)
        return FM_CUBE_NONE;
    cube->regions = regions;
    struct fm_cube_region region = {
        .name = strdup(name),
        .paradigm = strdup(paradigm),
        .file = file == NULL ? NULL : strdup(file),
        .line = line,
    };
    if (region.name == NULL || region.paradigm == NULL || (file != NULL && region.file == NULL)) {
        free(region.name);
        free(region.paradigm);
        free(region.file);
        return FM_CUBE_NONE;
    }
    regions[cube->region_count] = region;
    return cube->region_count++;
}

uint32_t fm_cube_add_callpath(struct fm_cube *cube, uint32_t parent, uint32_t region)
{
    if (region >= cube->region_count || (parent != FM_CUBE_NONE && parent >= cube->callpath_count))
        return FM_CUBE_NONE;
    struct fm_cube_callpath *callpaths =
        grow(cube->callpaths, cube->callpath_count, &cube->callpath_capacity, sizeof *callpaths);
    if (callpaths == NULL)
        return FM_CUBE_NONE;
    cube->callpaths = callpaths;
    callpaths[cube->callpath_count] = (struct fm_cube_callpath){parent, region, FM_CUBE_NONE};
    return cube->callpath_count++;
}

uint32_t fm_cube_add_site(struct fm_cube *cube, const char *file, uint32_t line)
{
    struct fm_cube_site *sites =
        grow(cube->sites, cube->site_count, &cube->site_capacity, sizeof *sites);
    if (sites == NULL)
        return FM_CUBE_NONE;
    cube->sites = sites;
    sites[cube->site_count] = (struct fm_cube_site){strdup(file), line};
    return sites[cube->site_count].file == NULL ? FM_CUBE_NONE : cube->site_count++;
}

uint32_t fm_cube_add_location(struct fm_cube *cube, uint64_t id, uint32_t rank, uint32_t thread,
                              const char *node, const char *name)
{
    struct fm_cube_location *locations =
        grow(cube->locations, cube->location_count, &cube->location_capacity, sizeof *locations);
    if (locations == NULL)
        return FM_CUBE_NONE;
    cube->locations = locations;
    struct fm_cube_location location = {.id = id,
                                        .rank = rank,
                                        .thread = thread,
                                        .node = strdup(node),
                                        .name = strdup(name),
                                        .world_rank = rank};
    if (location.node == NULL || location.name == NULL) {
        free(location.node);
        free(location.name);
        return FM_CUBE_NONE;
    }
    locations[cube->location_count] = location;
    return cube->location_count++;
}

static int compare_cells(const void *left, const void *right)
{
    const struct fm_cube_cell *a = left;
    const struct fm_cube_cell *b = right;
    if (a->metric != b->metric)
        return a->metric < b->metric ? -1 : 1;
    if (a->callpath != b->callpath)
        return a->callpath < b->callpath ? -1 : 1;
    if (a->location != b->location)
        return a->location < b->location ? -1 : 1;
    return 0;
}

static bool is_sorted(const struct fm_cube *cube)
{
    for (size_t i = 1; i < cube->cell_count; i++) {
        if (compare_cells(&cube->cells[i - 1], &cube->cells[i]) >= 0)
            return false;
    }
    return true;
}

/** Sorts the cells by one integer key each, which is faster than sorting by comparison.
 * @return false: the keys exceed 64 bits, there are too many cells, or memory is exhausted */
static bool sort_by_number(struct fm_cube *cube)
{
    size_t count = cube->cell_count;
    uint64_t largest;
    if (count > UINT32_MAX ||
        __builtin_mul_overflow((uint64_t)cube->callpath_count, cube->location_count, &largest) ||
        __builtin_mul_overflow(largest, (uint64_t)FM_METRIC_COUNT, &largest))
        return false;
    struct fm_keyed *keyed = reallocarray(NULL, 2 * count, sizeof *keyed);
    struct fm_cube_cell *sorted = reallocarray(NULL, cube->cell_capacity, sizeof *sorted);
    if (keyed == NULL || sorted == NULL) {
        free(keyed);
        free(sorted);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        uint64_t column = (uint64_t)cell->metric * cube->callpath_count + cell->callpath;
        keyed[i] = (struct fm_keyed){column * cube->location_count + cell->location, (uint32_t)i};
    }
    fm_keyed_sort(keyed, count, keyed + count);
    for (size_t i = 0; i < count; i++)
        sorted[i] = cube->cells[keyed[i].value];
    free(keyed);
    free(cube->cells);
    cube->cells = sorted;
    return true;
}

/** Sorts the cells, adds up repetitions, drops zeros. */
static fm_status_t compact(struct fm_cube *cube, struct fm_error *error)
{
    if (cube->cell_count == 0)
        return FM_OK;
    if (!is_sorted(cube) && !sort_by_number(cube))
        qsort(cube->cells, cube->cell_count, sizeof *cube->cells, compare_cells);
    struct fm_cube_cell *cells = cube->cells;
    size_t kept = 0;
    for (size_t i = 0; i < cube->cell_count;) {
        struct fm_cube_cell sum = cells[i++];
        while (i < cube->cell_count && compare_cells(&sum, &cells[i]) == 0) {
            if (__builtin_add_overflow(sum.value, cells[i].value, &sum.value)) {
                return fm_fail(error, FM_ERR_DATA,
                               "metric %s: the sum of the values exceeds 64 bits",
                               fm_metric_info((fm_metric_t)sum.metric)->id);
            }
            i++;
        }
        if (sum.value != 0)
            cells[kept++] = sum;
    }
    cube->cell_count = kept;
    return FM_OK;
}

fm_status_t fm_cube_add(struct fm_cube *cube, fm_metric_t metric, uint32_t callpath,
                        uint32_t location, int64_t value, struct fm_error *error)
{
    if ((unsigned)metric >= FM_METRIC_COUNT || callpath >= cube->callpath_count ||
        location >= cube->location_count) {
        return fm_fail(error, FM_ERR_FAILED,
                       "severity outside the cube: metric %u, call path %u, location %u",
                       (unsigned)metric, callpath, location);
    }
    if (value == 0)
        return FM_OK;
    if (cube->cell_count == cube->cell_capacity) {
        if (cube->cell_count >= COMPACTION_THRESHOLD) {
            fm_status_t status = compact(cube, error);
            if (status != FM_OK)
                return status;
        }
        if (cube->cell_count >= cube->cell_capacity / 2) {
            size_t wanted = cube->cell_capacity == 0 ? 256 : cube->cell_capacity * 2;
            struct fm_cube_cell *grown = reallocarray(cube->cells, wanted, sizeof *grown);
            if (grown == NULL) {
                return fm_fail(error, FM_ERR_SYSTEM, "out of memory for %zu severities", wanted);
            }
            cube->cells = grown;
            cube->cell_capacity = wanted;
        }
    }
    cube->cells[cube->cell_count++] =
        (struct fm_cube_cell){(uint32_t)metric, callpath, location, value};
    return FM_OK;
}

fm_status_t fm_cube_add_statistics(struct fm_cube *cube, const struct fm_cube_statistics *record,
                                   struct fm_error *error)
{
    if (record->metric >= FM_METRIC_COUNT || record->worst_count > FM_CUBE_WORST)
        return fm_fail(error, FM_ERR_FAILED, "statistics of metric %u outside the cube",
                       record->metric);
    struct fm_cube_statistics *statistics = grow(cube->statistics, cube->statistics_count,
                                                 &cube->statistics_capacity, sizeof *statistics);
    if (statistics == NULL)
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for statistics");
    cube->statistics = statistics;
    statistics[cube->statistics_count++] = *record;
    return FM_OK;
}

fm_status_t fm_cube_add_segment(struct fm_cube *cube, const struct fm_cube_segment *segment,
                                struct fm_error *error)
{
    if (segment->location >= cube->location_count || segment->begin > segment->end)
        return fm_fail(error, FM_ERR_FAILED, "a segment of the critical path outside the cube");
    struct fm_cube_segment *segments =
        grow(cube->segments, cube->segment_count, &cube->segment_capacity, sizeof *segments);
    if (segments == NULL)
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for the critical path");
    cube->segments = segments;
    segments[cube->segment_count++] = *segment;
    return FM_OK;
}

fm_status_t fm_cube_set_path_errors(struct fm_cube *cube, const struct fm_cube_path_errors *errors,
                                    struct fm_error *error)
{
    struct fm_cube_path_errors copy = *errors;
    copy.of_callpath = calloc(cube->callpath_count + (size_t)1, sizeof *copy.of_callpath);
    if (copy.of_callpath == NULL)
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for the critical path");
    memcpy(copy.of_callpath, errors->of_callpath, cube->callpath_count * sizeof *copy.of_callpath);
    free(cube->path_errors.of_callpath);
    cube->path_errors = copy;
    return FM_OK;
}

static fm_status_t insert_warning(struct fm_cube *cube, uint32_t place, struct fm_error *error,
                                  const char *format, va_list arguments)
{
    char **warnings =
        grow(cube->warnings, cube->warning_count, &cube->warning_capacity, sizeof *warnings);
    if (warnings == NULL)
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for a warning");
    cube->warnings = warnings;
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0)
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for a warning");
    memmove(&warnings[place + 1], &warnings[place],
            (cube->warning_count - place) * sizeof *warnings);
    warnings[place] = text;
    cube->warning_count++;
    return FM_OK;
}

fm_status_t fm_cube_warn(struct fm_cube *cube, struct fm_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fm_status_t status = insert_warning(cube, cube->warning_count, error, format, arguments);
    va_end(arguments);
    return status;
}

fm_status_t fm_cube_warn_omission(struct fm_cube *cube, struct fm_error *error, const char *format,
                                  ...)
{
    va_list arguments;
    va_start(arguments, format);
    fm_status_t status = insert_warning(cube, cube->omission_count, error, format, arguments);
    va_end(arguments);
    if (status == FM_OK)
        cube->omission_count++;
    return status;
}

static int compare_statistics(const void *left, const void *right)
{
    const struct fm_cube_statistics *a = left;
    const struct fm_cube_statistics *b = right;
    return (a->metric > b->metric) - (a->metric < b->metric);
}

fm_status_t fm_cube_seal(struct fm_cube *cube, struct fm_error *error)
{
    fm_status_t status = compact(cube, error);
    if (status != FM_OK)
        return status;
    if (cube->cell_count > 0 && cube->cell_count < cube->cell_capacity) {
        struct fm_cube_cell *shrunk = reallocarray(cube->cells, cube->cell_count, sizeof *shrunk);
        if (shrunk != NULL) {
            cube->cells = shrunk;
            cube->cell_capacity = cube->cell_count;
        }
    }
    if (cube->statistics_count > 0)
        qsort(cube->statistics, cube->statistics_count, sizeof *cube->statistics,
              compare_statistics);
    for (uint32_t i = 1; i < cube->statistics_count; i++) {
        uint32_t metric = cube->statistics[i].metric;
        if (metric == cube->statistics[i - 1].metric) {
            return fm_fail(error, FM_ERR_FAILED, "two statistics of metric %s",
                           fm_metric_info((fm_metric_t)metric)->id);
        }
    }
    return FM_OK;
}

/** @return the index of the first cell that is not before `key`. */
static size_t lower_bound(const struct fm_cube *cube, const struct fm_cube_cell *key)
{
    size_t low = 0;
    size_t high = cube->cell_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_cells(&cube->cells[middle], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct fm_cube_cell *fm_cube_metric_cells(const struct fm_cube *cube, fm_metric_t metric,
                                                size_t *count)
{
    size_t begin = lower_bound(cube, &(struct fm_cube_cell){.metric = (uint32_t)metric});
    size_t end = lower_bound(cube, &(struct fm_cube_cell){.metric = (uint32_t)metric + 1});
    *count = end - begin;
    return cube->cells + begin;
}

static bool is_user_code(const struct fm_cube *cube, uint32_t callpath)
{
    return strcmp(cube->regions[cube->callpaths[callpath].region].paradigm, "user") == 0;
}

static bool is_library_code(const struct fm_cube *cube, uint32_t callpath)
{
    const struct fm_cube_region *region = &cube->regions[cube->callpaths[callpath].region];
    return is_user_code(cube, callpath) && fm_is_library_function(region->name, region->file);
}

uint32_t fm_cube_function_of(const struct fm_cube *cube, uint32_t callpath)
{
    uint32_t at = callpath;
    while (at != FM_CUBE_NONE && is_library_code(cube, at)) {
        at = cube->callpaths[at].parent;
    }
    return at != FM_CUBE_NONE && is_user_code(cube, at) ? at : callpath;
}

int64_t fm_cube_value(const struct fm_cube *cube, fm_metric_t metric, uint32_t callpath,
                      uint32_t location)
{
    struct fm_cube_cell key = {(uint32_t)metric, callpath, location, 0};
    size_t index = lower_bound(cube, &key);
    if (index < cube->cell_count && compare_cells(&cube->cells[index], &key) == 0)
        return cube->cells[index].value;
    return 0;
}

int64_t fm_cube_value_on(const struct fm_cube *cube, fm_metric_t metric, uint32_t callpath,
                         const uint32_t *locations, uint32_t count)
{
    uint64_t sum = 0; /* of an invalid file it may exceed 64 bits: it wraps */
    for (uint32_t i = 0; i < count; i++) {
        sum +=
            (uint64_t)fm_cube_value(cube, metric, callpath, locations == NULL ? i : locations[i]);
    }
    return (int64_t)sum;
}

const struct fm_cube_statistics *fm_cube_metric_statistics(const struct fm_cube *cube,
                                                           fm_metric_t metric)
{
    for (uint32_t i = 0; i < cube->statistics_count; i++) {
        if (cube->statistics[i].metric == (uint32_t)metric)
            return &cube->statistics[i];
    }
    return NULL;
}

uint32_t fm_cube_find_callpath(const struct fm_cube *cube, const char *path)
{
    /* Names may contain '/', so `path` cannot be split. Instead, `covered` holds for each call path
     * the offset in `path` behind its name and the '/' that follows; 0: `path` does not begin with
     * this call path. */
    if (*path == '/')
        path++;
    size_t *covered = calloc(cube->callpath_count + (size_t)1, sizeof *covered);
    if (covered == NULL)
        return FM_CUBE_NONE;
    uint32_t found = FM_CUBE_NONE;
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        const struct fm_cube_callpath *callpath = &cube->callpaths[i];
        const char *name = cube->regions[callpath->region].name;
        size_t length = strlen(name);
        size_t begin = 0;
        if (callpath->parent != FM_CUBE_NONE) {
            size_t end_of_parent = covered[callpath->parent];
            if (end_of_parent == 0 || path[end_of_parent - 1] != '/')
                continue;
            begin = end_of_parent;
        }
        if (strncmp(path + begin, name, length) != 0)
            continue;
        char place[FM_CUBE_PLACE_SIZE];
        size_t place_length = strlen(fm_cube_callpath_place(cube, i, place));
        if (strncmp(path + begin + length, place, place_length) != 0)
            continue;
        length += place_length;
        char next = path[begin + length];
        if (next == '\0') {
            found = i;
            break;
        }
        if (next == '/')
            covered[i] = begin + length + 1;
    }
    free(covered);
    return found;
}
