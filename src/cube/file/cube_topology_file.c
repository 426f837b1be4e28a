/* SPDX-License-Identifier: BSD-3-Clause */
/* The topologies in the report file: section TOPO. */
#include "cube/file/cube_format.h"
#include "cube/file/cube_reader.h"
#include "cube/file/cube_writer.h"

#include <stdlib.h>

void fm_cube_put_topologies(struct fm_sink *sink, const struct fm_cube *cube)
{
    fm_sink_u32(sink, FM_CUBE_TOPOLOGIES_VERSION);
    fm_sink_u32(sink, cube->topology_count);
    for (uint32_t i = 0; i < cube->topology_count; i++) {
        const struct fm_cube_topology *topology = &cube->topologies[i];
        fm_sink_string(sink, topology->name);
        fm_sink_u32(sink, topology->dimension_count);
        for (uint32_t d = 0; d < topology->dimension_count; d++) {
            fm_sink_string(sink, topology->dimensions[d].name);
            fm_sink_u32(sink, topology->dimensions[d].size);
            fm_sink_u8(sink, topology->dimensions[d].periodic);
        }
        fm_sink_u32(sink, topology->member_count);
        for (uint32_t m = 0; m < topology->member_count; m++) {
            fm_sink_u32(sink, topology->locations[m]);
            for (uint32_t d = 0; d < topology->dimension_count; d++)
                fm_sink_u32(sink, topology->coordinates[(size_t)m * topology->dimension_count + d]);
        }
    }
}

/** Reads name and dimensions. @return false if there are too many dimensions */
static bool read_dimensions(struct fm_source *source, struct fm_cube_topology *topology)
{
    topology->name = fm_source_string(source, true);
    topology->dimension_count = fm_source_count(source, 4 + 4 + 1);
    if (topology->dimension_count > FM_CUBE_DIMENSIONS)
        return false;
    bool good = true;
    for (uint32_t d = 0; d < topology->dimension_count; d++) {
        topology->dimensions[d].name = fm_source_string(source, true);
        topology->dimensions[d].size = fm_source_u32(source);
        unsigned periodic = fm_source_u8(source);
        topology->dimensions[d].periodic = periodic != 0;
        good = good && periodic <= 1;
    }
    return good && !source->failed;
}

static bool read_members(struct fm_source *source, struct fm_cube_topology *topology)
{
    uint32_t dimensions = topology->dimension_count;
    topology->member_count = fm_source_count(source, 4 + 4 * (size_t)dimensions);
    topology->locations = calloc(topology->member_count + (size_t)1, sizeof *topology->locations);
    topology->coordinates =
        calloc((topology->member_count + (size_t)1) * dimensions, sizeof *topology->coordinates);
    if (topology->locations == NULL || topology->coordinates == NULL)
        return false;
    for (uint32_t m = 0; m < topology->member_count; m++) {
        topology->locations[m] = fm_source_u32(source);
        for (uint32_t d = 0; d < dimensions; d++)
            topology->coordinates[(size_t)m * dimensions + d] = fm_source_u32(source);
    }
    return !source->failed;
}

static fm_status_t read_topology(struct fm_cube_reader *reader, uint32_t number)
{
    struct fm_source *source = &reader->sections[FM_SECTION_TOPO];
    struct fm_cube_topology topology = {.name = NULL};
    fm_status_t status = FM_ERR_FAILED;
    if (read_dimensions(source, &topology) && topology.dimension_count > 0) {
        if (read_members(source, &topology))
            status = fm_cube_add_topology(reader->cube, &topology, reader->error);
        else if (!source->failed)
            status = fm_fail(reader->error, FM_ERR_SYSTEM, "%s: out of memory for the report",
                             reader->path);
    }
    free(topology.name);
    for (uint32_t d = 0; d < FM_CUBE_DIMENSIONS; d++)
        free(topology.dimensions[d].name);
    free(topology.locations);
    free(topology.coordinates);
    return status == FM_ERR_FAILED ? fm_cube_damaged(reader, "topology %u is malformed", number)
                                   : status;
}

fm_status_t fm_cube_read_topologies(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_TOPO];
    bool readable;
    fm_status_t status = fm_cube_begin_optional(reader, FM_SECTION_TOPO, FM_CUBE_TOPOLOGIES_VERSION,
                                                "The topologies are", &readable);
    if (status != FM_OK || !readable)
        return status;
    uint32_t count = fm_source_count(source, 4 + 4 + 4);
    for (uint32_t i = 0; i < count && status == FM_OK; i++)
        status = read_topology(reader, i);
    return status == FM_OK ? fm_cube_check_used_up(reader, FM_SECTION_TOPO) : status;
}
