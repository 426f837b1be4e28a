/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/merge/unite.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/** The call forest of the frame during its construction: children of each call path as linked
 * lists. */
struct forest {
    struct fm_cube *frame;
    uint32_t *first_child; /**< entry `capacity` - 1: the roots */
    uint32_t *next;
    size_t capacity;
};

static bool is_same_region(const struct fm_cube_region *a, const struct fm_cube_region *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->paradigm, b->paradigm) == 0;
}

static uint32_t find_region(const struct fm_cube *frame, const struct fm_cube_region *region)
{
    for (uint32_t i = 0; i < frame->region_count; i++) {
        if (is_same_region(&frame->regions[i], region))
            return i;
    }
    return FM_CUBE_NONE;
}

/** If the same call has different lines in different reports, the united region has no line. */
static void forget_other_line(struct fm_cube_region *united, const struct fm_cube_region *region)
{
    bool same_file = united->file != NULL && region->file != NULL
                         ? strcmp(united->file, region->file) == 0
                         : united->file == region->file;
    if (!same_file || united->line != region->line) {
        free(united->file);
        united->file = NULL;
        united->line = 0;
    }
}

/** @return [region of `cube`]: region of the frame; NULL if memory is exhausted */
static uint32_t *unite_regions(struct fm_cube *frame, const struct fm_cube *cube)
{
    uint32_t *map = calloc(cube->region_count + (size_t)1, sizeof *map);
    for (uint32_t i = 0; map != NULL && i < cube->region_count; i++) {
        const struct fm_cube_region *region = &cube->regions[i];
        map[i] = find_region(frame, region);
        if (map[i] != FM_CUBE_NONE && strcmp(region->paradigm, "user") != 0)
            forget_other_line(&frame->regions[map[i]], region);
        if (map[i] == FM_CUBE_NONE)
            map[i] = fm_cube_add_region(frame, region->name, region->paradigm, region->file,
                                        region->line);
        if (map[i] == FM_CUBE_NONE) {
            free(map);
            map = NULL;
        } else {
            frame->regions[map[i]].is_estimated |= region->is_estimated;
        }
    }
    return map;
}

static uint32_t count_roots(const struct fm_cube *cube)
{
    uint32_t roots = 0;
    for (uint32_t i = 0; i < cube->callpath_count; i++)
        roots += cube->callpaths[i].parent == FM_CUBE_NONE;
    return roots;
}

/** Maps the call paths of a cube to those of the forest; adds missing ones to the forest. */
static bool unite_callpaths(struct forest *forest, const struct fm_cube *cube, bool one_root,
                            uint32_t *map)
{
    uint32_t *regions = unite_regions(forest->frame, cube);
    bool complete = regions != NULL;
    for (uint32_t i = 0; complete && i < cube->callpath_count; i++) {
        const struct fm_cube_callpath *callpath = &cube->callpaths[i];
        bool is_root = callpath->parent == FM_CUBE_NONE;
        uint32_t parent = is_root ? FM_CUBE_NONE : map[callpath->parent];
        uint32_t region = regions[callpath->region];
        uint32_t *list = &forest->first_child[is_root ? forest->capacity - 1 : parent];
        uint32_t found = *list;
        while (found != FM_CUBE_NONE && !(is_root && one_root) &&
               forest->frame->callpaths[found].region != region)
            found = forest->next[found];
        if (found == FM_CUBE_NONE) {
            found = fm_cube_add_callpath(forest->frame, parent, region);
            complete = found != FM_CUBE_NONE;
            if (complete) {
                forest->next[found] = *list;
                *list = found;
            }
        }
        map[i] = found;
    }
    free(regions);
    return complete;
}

static bool unite_all_callpaths(const struct fm_cube *const *cubes, struct fm_cube_union *united)
{
    struct forest forest = {.frame = united->frame, .capacity = 1};
    bool one_root = true, complete = true;
    for (size_t c = 0; c < united->cube_count; c++) {
        forest.capacity += cubes[c]->callpath_count;
        one_root = one_root && count_roots(cubes[c]) <= 1;
    }
    forest.first_child = malloc(forest.capacity * sizeof *forest.first_child);
    forest.next = malloc(forest.capacity * sizeof *forest.next);
    if (forest.first_child != NULL)
        memset(forest.first_child, 0xff, forest.capacity * sizeof *forest.first_child);
    for (size_t c = 0; c < united->cube_count && complete; c++) {
        united->callpaths[c] =
            calloc(cubes[c]->callpath_count + (size_t)1, sizeof *united->callpaths[c]);
        complete = forest.first_child != NULL && forest.next != NULL &&
                   united->callpaths[c] != NULL &&
                   unite_callpaths(&forest, cubes[c], one_root, united->callpaths[c]);
    }
    free(forest.first_child);
    free(forest.next);
    return complete;
}

static int compare_locations(const struct fm_cube_location *a, const struct fm_cube_location *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->thread > b->thread) - (a->thread < b->thread);
}

/** Merges the locations of all cubes, each sorted by rank and thread. */
static bool unite_locations(const struct fm_cube *const *cubes, struct fm_cube_union *united)
{
    size_t count = united->cube_count;
    uint32_t *at = calloc(count, sizeof *at);
    bool complete = at != NULL;
    for (size_t c = 0; c < count && complete; c++) {
        united->locations[c] =
            calloc(cubes[c]->location_count + (size_t)1, sizeof *united->locations[c]);
        complete = united->locations[c] != NULL;
    }
    while (complete) {
        const struct fm_cube_location *least = NULL;
        for (size_t c = 0; c < count; c++) {
            if (at[c] < cubes[c]->location_count &&
                (least == NULL || compare_locations(&cubes[c]->locations[at[c]], least) < 0))
                least = &cubes[c]->locations[at[c]];
        }
        if (least == NULL)
            break;
        uint32_t index = fm_cube_add_location(united->frame, least->id, least->rank, least->thread,
                                              least->node, least->name);
        complete = index != FM_CUBE_NONE;
        if (complete) {
            united->frame->locations[index].is_stream = least->is_stream;
            united->frame->locations[index].world = least->world;
            united->frame->locations[index].world_rank = least->world_rank;
        }
        for (size_t c = 0; c < count && complete; c++) {
            if (at[c] < cubes[c]->location_count &&
                compare_locations(&cubes[c]->locations[at[c]], least) == 0)
                united->locations[c][at[c]++] = index;
        }
    }
    free(at);
    return complete;
}

fm_status_t fm_cube_unite(const struct fm_cube *const *cubes, size_t count,
                          struct fm_cube_union *united, struct fm_error *error)
{
    struct fm_cube_union made = {
        .cube_count = count,
        .frame = fm_cube_create(),
        .callpaths = calloc(count, sizeof *made.callpaths),
        .locations = calloc(count, sizeof *made.locations),
    };
    if (made.frame == NULL || made.callpaths == NULL || made.locations == NULL ||
        !unite_all_callpaths(cubes, &made) || !unite_locations(cubes, &made)) {
        fm_cube_union_release(&made);
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for the reports");
    }
    *united = made;
    return FM_OK;
}

void fm_cube_union_release(struct fm_cube_union *united)
{
    for (size_t c = 0; c < united->cube_count; c++) {
        if (united->callpaths != NULL)
            free(united->callpaths[c]);
        if (united->locations != NULL)
            free(united->locations[c]);
    }
    free(united->callpaths);
    free(united->locations);
    fm_cube_free(united->frame);
    *united = (struct fm_cube_union){0};
}
