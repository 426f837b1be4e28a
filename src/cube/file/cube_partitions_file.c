/* Which partitions of messages were ready last, in the report file: section PART. */
#include "cube/file/cube_format.h"
#include "cube/file/cube_reader.h"
#include "cube/file/cube_writer.h"

#define ROW_SIZE (3 * 4 + 2 * 8)

void fm_cube_put_last_partitions(struct fm_sink *sink, const struct fm_cube *cube)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < cube->location_count; i++) {
        count += cube->locations[i].last_partition.messages != 0;
    }
    fm_sink_u32(sink, FM_CUBE_PARTITIONS_VERSION);
    fm_sink_u32(sink, count);
    for (uint32_t i = 0; i < cube->location_count; i++) {
        const struct fm_cube_last_partition *last = &cube->locations[i].last_partition;
        if (last->messages != 0) {
            fm_sink_u32(sink, i);
            fm_sink_u32(sink, last->partition);
            fm_sink_u32(sink, last->partitions);
            fm_sink_u64(sink, last->messages);
            fm_sink_u64(sink, last->all_messages);
        }
    }
}

fm_status_t fm_cube_read_last_partitions(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_PART];
    bool readable;
    fm_status_t status = fm_cube_begin_optional(reader, FM_SECTION_PART, FM_CUBE_PARTITIONS_VERSION,
                                                "Which partitions were ready last is", &readable);
    if (status != FM_OK || !readable) {
        return status;
    }
    const uint32_t count = fm_source_count(source, ROW_SIZE);
    for (uint32_t i = 0, previous = 0; i < count; i++) {
        const uint32_t location = fm_source_u32(source);
        struct fm_cube_last_partition last;
        last.partition = fm_source_u32(source);
        last.partitions = fm_source_u32(source);
        last.messages = fm_source_u64(source);
        last.all_messages = fm_source_u64(source);
        if (source->failed || location >= reader->cube->location_count ||
            (i > 0 && location <= previous) || last.partition >= last.partitions ||
            last.messages == 0 || last.messages > last.all_messages) {
            return fm_cube_damaged(reader, "last partition %u is malformed", i);
        }
        reader->cube->locations[location].last_partition = last;
        previous = location;
    }
    return fm_cube_check_used_up(reader, FM_SECTION_PART);
}
