/* SPDX-License-Identifier: BSD-3-Clause */
#include "export/location_groups.h"
#include "diagnosis/place.h"

#include "base/memory.h"
#include "diagnosis/number_format.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/** Ranges of ranks in the name of a group. */
#define NAMED_RANGES 4U

struct ranked {
    int64_t value;
    uint32_t location;
};

static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->value != b->value) {
        return a->value > b->value ? -1 : 1;
    }
    return (a->location > b->location) - (a->location < b->location);
}

static struct fm_location_groups make_groups(const struct fm_cube *cube, uint32_t count)
{
    return (struct fm_location_groups){
        .count = count,
        .of = fm_allocate(cube->location_count, sizeof(uint32_t)),
        .sizes = fm_allocate(count, sizeof(uint32_t)),
        .names = fm_allocate(count, sizeof(char *)),
    };
}

static char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));

static char *text(const char *format, ...)
{
    char *made = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&made, format, arguments) < 0) {
        abort(); /* as fm_allocate(): out of memory */
    }
    va_end(arguments);
    return made;
}

char *fm_location_label(struct fm_process_word process, const struct fm_cube_location *location)
{
    const uint32_t number = location->rank + process.first;
    return location->thread == 0 ? text("%s %" PRIu32, process.one, number)
                                 : text("%s %" PRIu32 " %s %" PRIu32, process.one, number,
                                        fm_place_kind(location), location->thread);
}

/** Names a band by its size, its values and its ranks. */
static char *band_name(const struct fm_cube *cube, const struct ranked *band, uint32_t size,
                       fm_unit_t unit)
{
    char least[FM_FORMAT_SIZE], most[FM_FORMAT_SIZE];
    const struct fm_process_word process = fm_process_word(cube);
    if (size == 1) {
        char *label = fm_location_label(process, &cube->locations[band->location]);
        char *name = text("%s: %s", label, fm_format_value(most, cube, unit, band->value));
        free(label);
        return name;
    }
    uint32_t ranks = 0;
    for (uint32_t i = 0; i < size; i++) {
        uint32_t rank = cube->locations[band[i].location].rank + process.first;
        ranks = rank >= ranks ? rank + 1 : ranks;
    }
    bool *member = fm_allocate(ranks, sizeof *member);
    for (uint32_t i = 0; i < size; i++) {
        member[cube->locations[band[i].location].rank + process.first] = true;
    }
    char *list = fm_format_ranges(member, ranks, NAMED_RANGES);
    char *name = text("mean of %" PRIu32 " locations with %s to %s: %s %s", size,
                      fm_format_value(least, cube, unit, band[size - 1].value),
                      fm_format_value(most, cube, unit, band[0].value), process.many, list);
    free(list);
    fm_free(member);
    return name;
}

static struct fm_location_groups group_by_value(const struct fm_cube *cube, const int64_t *values,
                                                fm_unit_t unit)
{
    uint32_t count = cube->location_count, bands = 2 * FM_EXTREME_LOCATIONS + FM_LOCATION_BANDS;
    uint32_t between = count - 2 * FM_EXTREME_LOCATIONS;
    struct fm_location_groups groups = make_groups(cube, bands);
    struct ranked *order = fm_allocate(count, sizeof *order);
    for (uint32_t l = 0; l < count; l++) {
        order[l] = (struct ranked){values[l], l};
    }
    qsort(order, count, sizeof *order, compare_ranked);
    for (uint32_t g = 0, begin = 0; g < bands; g++) {
        uint32_t band = g - FM_EXTREME_LOCATIONS; /* between the extremes: 0, 1, ... */
        uint32_t end = begin + 1;
        if (g >= FM_EXTREME_LOCATIONS && band < FM_LOCATION_BANDS) {
            end = FM_EXTREME_LOCATIONS +
                  (uint32_t)((uint64_t)between * (band + 1) / FM_LOCATION_BANDS);
        }
        for (uint32_t i = begin; i < end; i++) {
            groups.of[order[i].location] = g;
        }
        groups.sizes[g] = end - begin;
        groups.names[g] = band_name(cube, &order[begin], end - begin, unit);
        begin = end;
    }
    fm_free(order);
    return groups;
}

static struct fm_location_groups group_by_partition(const struct fm_cube *cube)
{
    struct fm_location_groups groups = make_groups(cube, cube->partition_count + 1);
    for (uint32_t l = 0; l < cube->location_count; l++) {
        uint32_t partition = cube->partition_of[l];
        groups.of[l] = partition == FM_CUBE_NONE ? cube->partition_count : partition;
        groups.sizes[groups.of[l]]++;
    }
    for (uint32_t g = 0; g < groups.count; g++) {
        const char *name = g < cube->partition_count ? cube->partition_names[g] : "no partition";
        groups.names[g] = text("%s: mean of %" PRIu32 " location%s", name, groups.sizes[g],
                               groups.sizes[g] == 1 ? "" : "s");
    }
    return groups;
}

struct fm_location_groups fm_location_groups_make(const struct fm_cube *cube, const int64_t *values,
                                                  fm_unit_t unit)
{
    return cube->partition_count > 0 ? group_by_partition(cube)
                                     : group_by_value(cube, values, unit);
}

void fm_location_groups_free(struct fm_location_groups *groups)
{
    for (uint32_t g = 0; g < groups->count; g++) {
        free(groups->names[g]);
    }
    fm_free(groups->names);
    fm_free(groups->sizes);
    fm_free(groups->of);
    *groups = (struct fm_location_groups){0};
}
