/* How uncertain the waiting times are, in the report file: section UNCT. */
#include "cube/file/cube_format.h"
#include "cube/file/cube_reader.h"
#include "cube/file/cube_writer.h"

#define RECORD_SIZE (4 + 3 * 8)

void fm_cube_put_uncertainty(struct fm_sink *sink, const struct fm_cube *cube)
{
    fm_sink_u32(sink, FM_CUBE_UNCERTAINTY_VERSION);
    fm_sink_u8(sink, cube->errors.are_known);
    fm_sink_u64(sink, cube->errors.call);
    fm_sink_u64(sink, cube->errors.clock);
    fm_sink_u64(sink, cube->errors.computation);
    fm_sink_u32(sink, cube->statistics_count);
    for (uint32_t i = 0; i < cube->statistics_count; i++) {
        const struct fm_cube_statistics *record = &cube->statistics[i];
        fm_sink_u32(sink, record->metric);
        fm_sink_u64(sink, record->error);
        fm_sink_u64(sink, record->insignificant);
        fm_sink_u64(sink, record->insignificant_sum);
    }
}

fm_status_t fm_cube_read_uncertainty(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_UNCT];
    struct fm_cube *cube = reader->cube;
    bool readable;
    fm_status_t status =
        fm_cube_begin_optional(reader, FM_SECTION_UNCT, FM_CUBE_UNCERTAINTY_VERSION,
                               "How uncertain waiting times are is", &readable);
    if (status != FM_OK || !readable) {
        return status;
    }
    cube->errors.are_known = fm_source_u8(source) != 0;
    cube->errors.call = fm_source_u64(source);
    cube->errors.clock = fm_source_u64(source);
    cube->errors.computation = fm_source_u64(source);
    const uint32_t count = fm_source_count(source, RECORD_SIZE);
    for (uint32_t i = 0; i < count; i++) {
        struct fm_cube_statistics *record =
            fm_cube_statistics_in_file(reader, fm_source_u32(source));
        struct fm_cube_statistics unknown = {0};
        record = record == NULL ? &unknown : record;
        record->error = fm_source_u64(source);
        record->insignificant = fm_source_u64(source);
        record->insignificant_sum = fm_source_u64(source);
        if (source->failed || record->error > INT64_MAX ||
            (record != &unknown &&
             (record->insignificant > record->count || record->insignificant_sum > record->sum))) {
            return fm_cube_damaged(reader, "uncertainty %u is malformed", i);
        }
    }
    return fm_cube_check_used_up(reader, FM_SECTION_UNCT);
}
