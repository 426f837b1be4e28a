/* Which locations are streams of accelerators, in the report file: section STRM. */
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
