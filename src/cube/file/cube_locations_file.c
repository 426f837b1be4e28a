/* SPDX-License-Identifier: BSD-3-Clause */
/* What locations are, in the report file: which are streams of accelerators (section STRM), and
 * which belong to which MPI_COMM_WORLD (section WRLD). */
#include "cube/file/cube_format.h"
#include "cube/file/cube_reader.h"
#include "cube/file/cube_writer.h"

void fm_cube_put_streams(struct fm_sink *sink, const struct fm_cube *cube)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < cube->location_count; i++) {
        count += cube->locations[i].is_stream;
    }
    fm_sink_u32(sink, FM_CUBE_STREAMS_VERSION);
    fm_sink_u32(sink, count);
    for (uint32_t i = 0; i < cube->location_count; i++) {
        if (cube->locations[i].is_stream) {
            fm_sink_u32(sink, i);
        }
    }
}

fm_status_t fm_cube_read_streams(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_STRM];
    bool readable;
    fm_status_t status =
        fm_cube_begin_optional(reader, FM_SECTION_STRM, FM_CUBE_STREAMS_VERSION,
                               "Which locations are streams of accelerators is", &readable);
    if (status != FM_OK || !readable) {
        return status;
    }
    const uint32_t count = fm_source_count(source, sizeof(uint32_t));
    for (uint32_t i = 0, previous = 0; i < count; i++) {
        const uint32_t location = fm_source_u32(source);
        if (source->failed || location >= reader->cube->location_count ||
            (i > 0 && location <= previous)) {
            return fm_cube_damaged(reader, "stream %u is malformed", i);
        }
        reader->cube->locations[location].is_stream = true;
        previous = location;
    }
    return fm_cube_check_used_up(reader, FM_SECTION_STRM);
}

/* ---- worlds ---- */

static bool begins_world(const struct fm_cube *cube, uint32_t location)
{
    return location == 0 || cube->locations[location].world != cube->locations[location - 1].world;
}

void fm_cube_put_worlds(struct fm_sink *sink, const struct fm_cube *cube)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < cube->location_count; i++) {
        count += begins_world(cube, i);
    }
    fm_sink_u32(sink, FM_CUBE_WORLDS_VERSION);
    fm_sink_u32(sink, count);
    for (uint32_t i = 0; i < cube->location_count; i++) {
        if (begins_world(cube, i)) {
            fm_sink_u32(sink, i);
            fm_sink_u32(sink, cube->locations[i].world);
        }
    }
}

/* Sets the world of the locations from one on, up to the next world or the last location. */
static void set_world(struct fm_cube *cube, uint32_t from, uint32_t until, uint32_t world)
{
    for (uint32_t i = from; i < until; i++) {
        cube->locations[i].world = world;
        cube->locations[i].world_rank = cube->locations[i].rank - cube->locations[from].rank;
    }
}

fm_status_t fm_cube_read_worlds(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_WRLD];
    struct fm_cube *cube = reader->cube;
    bool readable;
    fm_status_t status = fm_cube_begin_optional(reader, FM_SECTION_WRLD, FM_CUBE_WORLDS_VERSION,
                                                "Which ranks belong to which world is", &readable);
    if (status != FM_OK || !readable) {
        return status;
    }
    const uint32_t count = fm_source_count(source, 2 * sizeof(uint32_t));
    for (uint32_t i = 0, previous = 0; i < count; i++) {
        const uint32_t first = fm_source_u32(source), world = fm_source_u32(source);
        if (source->failed || first >= cube->location_count || (i == 0 && first != 0) ||
            (i > 0 && (first <= previous ||
                       cube->locations[first].rank <= cube->locations[previous].rank))) {
            return fm_cube_damaged(reader, "world %u is malformed", i);
        }
        set_world(cube, first, cube->location_count, world);
        previous = first;
    }
    return fm_cube_check_used_up(reader, FM_SECTION_WRLD);
}
