/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/results/topologies.h"

#include "base/containers/sort.h"
#include "base/memory.h"

#include <string.h>

struct member {
    uint32_t location, rank;
};

static int compare_members(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    if (a->location != b->location)
        return a->location < b->location ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static bool has_place(const struct fm_topology *topology, uint32_t rank)
{
    const uint32_t *coordinates = &topology->coordinates[(size_t)rank * topology->dimension_count];
    for (unsigned i = 0; i < topology->dimension_count; i++) {
        if (coordinates[i] >= topology->sizes[i])
            return false; /* outside of the topology, or unknown (FM_NONE) */
    }
    return true;
}

/** Lists the members that have a place in the topology, ascending by location, each location once.
 * @return their number */
static uint32_t find_members(const struct fm_trace *trace,
                             const struct fm_communicator *communicator, struct member *members)
{
    uint32_t found = 0, count = 0;
    for (uint32_t rank = 0; rank < communicator->size; rank++) {
        uint32_t process = communicator->members[rank];
        if (process < trace->process_count && trace->processes[process].location_count > 0 &&
            has_place(communicator->topology, rank))
            members[found++] = (struct member){trace->processes[process].first_location, rank};
    }
    fm_sort(members, found, sizeof *members, compare_members);
    for (uint32_t i = 0; i < found; i++) {
        if (count == 0 || members[i].location != members[count - 1].location)
            members[count++] = members[i];
    }
    return count;
}

/* Lends the names to the cube's structure, whose members are not const; the cube copies them. */
static void set_dimensions(struct fm_cube_topology *to, const struct fm_topology *from)
{
    to->dimension_count = from->dimension_count;
    for (unsigned d = 0; d < from->dimension_count; d++)
        to->dimensions[d] =
            (struct fm_cube_dimension){from->dimension_names[d], from->sizes[d], from->periodic[d]};
}

static fm_status_t add_topology(const struct fm_trace *trace,
                                const struct fm_communicator *communicator, struct fm_cube *cube,
                                struct fm_error *error)
{
    const struct fm_topology *from = communicator->topology;
    size_t dimensions = from->dimension_count;
    struct member *members = fm_allocate(communicator->size, sizeof *members);
    struct fm_cube_topology to = {.name = from->name != NULL ? from->name : communicator->name};
    fm_status_t status = FM_OK;
    to.member_count = find_members(trace, communicator, members);
    if (to.member_count > 0) {
        set_dimensions(&to, from);
        to.locations = fm_allocate(to.member_count, sizeof *to.locations);
        to.coordinates = fm_allocate(to.member_count * dimensions, sizeof *to.coordinates);
        for (uint32_t m = 0; m < to.member_count; m++) {
            to.locations[m] = members[m].location;
            memcpy(&to.coordinates[m * dimensions],
                   &from->coordinates[members[m].rank * dimensions],
                   dimensions * sizeof *to.coordinates);
        }
        status = fm_cube_add_topology(cube, &to, error);
        fm_free(to.locations);
        fm_free(to.coordinates);
    }
    fm_free(members);
    return status;
}

fm_status_t fm_topologies_add(const struct fm_trace *trace, struct fm_cube *cube,
                              struct fm_error *error)
{
    fm_status_t status = FM_OK;
    for (uint32_t i = 0; i < trace->communicator_count && status == FM_OK; i++) {
        const struct fm_communicator *communicator = &trace->communicators[i];
        if (communicator->topology != NULL && cube->topology_count < FM_CUBE_TOPOLOGIES &&
            communicator->topology->dimension_count > 0 &&
            communicator->topology->dimension_count <= FM_CUBE_DIMENSIONS)
            status = add_topology(trace, communicator, cube, error);
    }
    return status;
}
