/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known about the clocks of the run, in the report file: section CLCK. */
#include "cube/file/cube_format.h"
#include "cube/file/cube_reader.h"
#include "cube/file/cube_writer.h"

void fm_cube_put_clock(struct fm_sink *sink, const struct fm_cube *cube)
{
    const struct fm_cube_clock *clock = &cube->clock;
    fm_sink_u32(sink, FM_CUBE_CLOCK_VERSION);
    fm_sink_u8(sink, clock->mode);
    fm_sink_u8(sink, clock->is_estimated);
    fm_sink_u64(sink, clock->error);
    fm_sink_u32(sink, clock->unbounded);
    fm_sink_u64(sink, clock->violations_before);
    fm_sink_u64(sink, clock->violations_after);
}

fm_status_t fm_cube_read_clock(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_CLCK];
    struct fm_cube_clock *clock = &reader->cube->clock;
    bool readable;
    fm_status_t status = fm_cube_begin_optional(reader, FM_SECTION_CLCK, FM_CUBE_CLOCK_VERSION,
                                                "What is known about the clocks is", &readable);
    if (status != FM_OK || !readable) {
        return status;
    }
    clock->mode = fm_source_u8(source);
    clock->is_estimated = fm_source_u8(source) != 0;
    clock->error = fm_source_u64(source);
    clock->unbounded = fm_source_u32(source);
    clock->violations_before = fm_source_u64(source);
    clock->violations_after = fm_source_u64(source);
    if (clock->mode > FM_CUBE_CLOCK_NONE) {
        return fm_cube_damaged(reader, "the repair of the clocks is unknown");
    }
    return fm_cube_check_used_up(reader, FM_SECTION_CLCK);
}
