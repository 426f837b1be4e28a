/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/problems/library_share.h"

#include "base/library_function.h"
#include "base/memory.h"
#include "diagnosis/place.h"
#include "diagnosis/problems/cause_paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** A tenth, in percent. */
#define LEAST_PERCENT 10

/** Functions of libraries in a sentence. */
#define SHOWN 2

/** @return whether a function of a library has no name */
static bool is_nameless(const struct fm_cube_region *region)
{
    return region->file != NULL && fm_is_unnamed(region->name, region->file);
}

/** @return the function of a library that the program calls, of one that it takes time in; of those
 * without names, one that stands for all of the library */
static uint32_t called(const struct fm_cube *cube, uint32_t callpath, uint32_t caller)
{
    while (cube->callpaths[callpath].parent != caller) {
        callpath = cube->callpaths[callpath].parent;
    }
    const uint32_t region = cube->callpaths[callpath].region;
    for (uint32_t r = 0; r < region && is_nameless(&cube->regions[region]); r++) {
        if (is_nameless(&cube->regions[r]) &&
            strcmp(cube->regions[r].file, cube->regions[region].file) == 0) {
            return r;
        }
    }
    return region;
}

/** @return the region with the largest time, which is taken out of the list; FM_CUBE_NONE: it is
 * less than LEAST_PERCENT of all */
static uint32_t take_largest(int64_t *times, uint32_t count, int64_t total, int *percent)
{
    uint32_t largest = 0;
    for (uint32_t r = 1; r < count; r++) {
        largest = times[r] > times[largest] ? r : largest;
    }
    *percent = (int)(100 * (double)times[largest] / (double)total + 0.5);
    times[largest] = 0;
    return *percent < LEAST_PERCENT ? FM_CUBE_NONE : largest;
}

static char *write_share(const struct fm_diagnosis *diagnosis, int64_t *times, int64_t total)
{
    const struct fm_cube *cube = diagnosis->cube;
    char *text = NULL;
    size_t size = 0;
    int percent;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        abort(); /* Without memory for one line no error message can be printed either. */
    }
    for (int i = 0; i < SHOWN && total > 0; i++) {
        const uint32_t region = take_largest(times, cube->region_count, total, &percent);
        if (region == FM_CUBE_NONE) {
            break;
        }
        const bool nameless = is_nameless(&cube->regions[region]);
        char *name = fm_place_name(diagnosis, nameless ? cube->regions[region].file
                                                       : cube->regions[region].name);
        const char *quote = nameless ? "" : "`";
        fprintf(stream, "%s%d %% in %s%s%s", i == 0 ? " (" : ", ", percent, quote, name, quote);
        free(name);
    }
    if (ftell(stream) > 0) {
        fputc(')', stream);
    }
    if (fclose(stream) != 0) {
        abort();
    }
    return text;
}

/** Times on the locations of a cause, and by how much they are longer than on the others. */
struct shares {
    int64_t *times, *excess; /* [region]: of functions of libraries */
    int64_t time, whole;     /* of all, excess of all */
};

/** Adds the time of a call path to its function of a library, if it is in one. */
static void add_callpath(const struct fm_cube *cube, const struct fm_cube_problem *cause,
                         uint32_t callpath, struct shares *shares)
{
    const uint32_t others = cube->location_count - cause->location_count;
    const int64_t there =
        fm_cube_value_on(cube, FM_METRIC_COMP, callpath, cause->locations, cause->location_count);
    const int64_t all =
        fm_cube_value_on(cube, FM_METRIC_COMP, callpath, NULL, cube->location_count);
    const int64_t excess =
        others == 0 ? 0 : there - (int64_t)((double)(all - there) * cause->location_count / others);
    const uint32_t function = fm_cube_function_of(cube, callpath);
    shares->time += there;
    shares->whole += excess;
    if (callpath != function) {
        const uint32_t region = called(cube, callpath, function);
        shares->times[region] += there;
        shares->excess[region] += excess;
    }
}

char *fm_library_share(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause)
{
    const struct fm_cube *cube = diagnosis->cube;
    struct shares shares = {
        .times = fm_allocate(cube->region_count, sizeof *shares.times),
        .excess = fm_allocate(cube->region_count, sizeof *shares.excess),
    };
    bool *is_part = fm_cause_paths(cube, cause);
    for (uint32_t c = 0; c < cube->callpath_count; c++) {
        if (is_part[c]) {
            add_callpath(cube, cause, c, &shares);
        }
    }
    fm_free(is_part);
    char *text = shares.whole > 0 ? write_share(diagnosis, shares.excess, shares.whole)
                                  : write_share(diagnosis, shares.times, shares.time);
    fm_free(shares.times);
    fm_free(shares.excess);
    return text;
}
