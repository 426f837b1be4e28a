/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/model/cube.h"

#include <stdlib.h>
#include <string.h>

static void release(struct fm_cube_topology *topology)
{
    free(topology->name);
    for (uint32_t d = 0; d < FM_CUBE_DIMENSIONS; d++)
        free(topology->dimensions[d].name);
    free(topology->locations);
    free(topology->coordinates);
}

void fm_cube_free_topologies(struct fm_cube *cube)
{
    for (uint32_t i = 0; i < cube->topology_count; i++)
        release(&cube->topologies[i]);
    free(cube->topologies);
    cube->topologies = NULL;
    cube->topology_count = 0;
}

static bool is_valid(const struct fm_cube *cube, const struct fm_cube_topology *topology)
{
    if (cube->topology_count >= FM_CUBE_TOPOLOGIES || topology->dimension_count == 0 ||
        topology->dimension_count > FM_CUBE_DIMENSIONS)
        return false;
    for (uint32_t m = 0; m < topology->member_count; m++) {
        uint32_t location = topology->locations[m];
        if (location >= cube->location_count || (m > 0 && location <= topology->locations[m - 1]))
            return false;
        for (uint32_t d = 0; d < topology->dimension_count; d++) {
            if (topology->coordinates[m * (size_t)topology->dimension_count + d] >=
                topology->dimensions[d].size)
                return false;
        }
    }
    return true;
}

/** @return a copy of `count` numbers; NULL if memory is exhausted. */
static uint32_t *copy_numbers(const uint32_t *numbers, size_t count)
{
    uint32_t *copy = calloc(count + 1, sizeof *copy);
    if (copy != NULL && count > 0)
        memcpy(copy, numbers, count * sizeof *copy);
    return copy;
}

static bool copy_text(char **to, const char *text)
{
    *to = text == NULL ? NULL : strdup(text);
    return text == NULL || *to != NULL;
}

fm_status_t fm_cube_add_topology(struct fm_cube *cube, const struct fm_cube_topology *topology,
                                 struct fm_error *error)
{
    if (!is_valid(cube, topology))
        return fm_fail(error, FM_ERR_FAILED, "topology %u is malformed", cube->topology_count);
    struct fm_cube_topology *grown =
        reallocarray(cube->topologies, cube->topology_count + (size_t)1, sizeof *grown);
    if (grown == NULL)
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for topologies");
    cube->topologies = grown;
    struct fm_cube_topology *copy = &grown[cube->topology_count];
    *copy = (struct fm_cube_topology){.dimension_count = topology->dimension_count,
                                      .member_count = topology->member_count};
    bool good = copy_text(&copy->name, topology->name);
    for (uint32_t d = 0; d < topology->dimension_count; d++) {
        copy->dimensions[d].size = topology->dimensions[d].size;
        copy->dimensions[d].periodic = topology->dimensions[d].periodic;
        good = copy_text(&copy->dimensions[d].name, topology->dimensions[d].name) && good;
    }
    copy->locations = copy_numbers(topology->locations, topology->member_count);
    copy->coordinates = copy_numbers(topology->coordinates,
                                     (size_t)topology->member_count * topology->dimension_count);
    if (!good || copy->locations == NULL || copy->coordinates == NULL) {
        release(copy);
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for topologies");
    }
    cube->topology_count++;
    return FM_OK;
}

struct place {
    uint32_t location, member;
};

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return (a->location > b->location) - (a->location < b->location);
}

/** Fills `to` with the members of `from` under new location numbers, in ascending order of these.
 */
static void renumber(struct fm_cube_topology *to, const struct fm_cube_topology *from,
                     const uint32_t *locations, struct place *places)
{
    uint32_t count = from->dimension_count;
    for (uint32_t m = 0; m < from->member_count; m++)
        places[m] = (struct place){locations[from->locations[m]], m};
    if (from->member_count > 1)
        qsort(places, from->member_count, sizeof *places, compare_places);
    for (uint32_t m = 0; m < from->member_count; m++) {
        to->locations[m] = places[m].location;
        memcpy(&to->coordinates[(size_t)m * count],
               &from->coordinates[(size_t)places[m].member * count], count * sizeof(uint32_t));
    }
}

fm_status_t fm_cube_copy_topologies(struct fm_cube *cube, const struct fm_cube *from,
                                    const uint32_t *locations, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    for (uint32_t i = 0; i < from->topology_count && status == FM_OK; i++) {
        struct fm_cube_topology copy = from->topologies[i];
        size_t members = copy.member_count + (size_t)1;
        struct place *places = calloc(members, sizeof *places);
        copy.locations = calloc(members, sizeof *copy.locations);
        copy.coordinates = calloc(members * copy.dimension_count, sizeof *copy.coordinates);
        if (places == NULL || copy.locations == NULL || copy.coordinates == NULL) {
            status = fm_fail(error, FM_ERR_SYSTEM, "out of memory for topologies");
        } else {
            renumber(&copy, &from->topologies[i], locations, places);
            status = fm_cube_add_topology(cube, &copy, error);
        }
        free(places);
        free(copy.locations);
        free(copy.coordinates);
    }
    return status;
}
