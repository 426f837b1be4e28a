/* SPDX-License-Identifier: BSD-3-Clause */
/* What the report file has of the messages of locations: which partitions were ready last (section
 * PART), and bounds of unexpected messages (section UNEX). */
#include "cube/file/cube_format.h"
#include "cube/file/cube_reader.h"
#include "cube/file/cube_writer.h"

#define PARTITION_SIZE  (3 * 4 + 2 * 8)
#define UNEXPECTED_SIZE (4 + 7 * 8)

/* ---- last partitions ---- */

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
    const uint32_t count = fm_source_count(source, PARTITION_SIZE);
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

/* ---- unexpected messages ---- */

void fm_cube_put_unexpected(struct fm_sink *sink, const struct fm_cube *cube)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < cube->location_count; i++) {
        count += cube->locations[i].unexpected.messages != 0;
    }
    fm_sink_u32(sink, FM_CUBE_UNEXPECTED_VERSION);
    fm_sink_u32(sink, count);
    for (uint32_t i = 0; i < cube->location_count; i++) {
        const struct fm_cube_unexpected *bounds = &cube->locations[i].unexpected;
        if (bounds->messages != 0) {
            fm_sink_u32(sink, i);
            fm_sink_u64(sink, bounds->messages);
            fm_sink_u64(sink, bounds->least);
            fm_sink_u64(sink, bounds->most);
            fm_sink_u64(sink, bounds->queue_least);
            fm_sink_u64(sink, bounds->queue_most);
            fm_sink_u64(sink, bounds->bytes_least);
            fm_sink_u64(sink, bounds->bytes_most);
        }
    }
}

static bool is_valid(const struct fm_cube_unexpected *bounds)
{
    return bounds->messages != 0 && bounds->least <= bounds->most &&
           bounds->most <= bounds->messages && bounds->queue_least <= bounds->queue_most &&
           bounds->queue_least <= bounds->least && bounds->queue_most <= bounds->most &&
           bounds->bytes_least <= bounds->bytes_most;
}

fm_status_t fm_cube_read_unexpected(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_UNEX];
    bool readable;
    fm_status_t status = fm_cube_begin_optional(reader, FM_SECTION_UNEX, FM_CUBE_UNEXPECTED_VERSION,
                                                "How many messages were unexpected is", &readable);
    if (status != FM_OK || !readable) {
        return status;
    }
    const uint32_t count = fm_source_count(source, UNEXPECTED_SIZE);
    for (uint32_t i = 0, previous = 0; i < count; i++) {
        const uint32_t location = fm_source_u32(source);
        struct fm_cube_unexpected bounds;
        bounds.messages = fm_source_u64(source);
        bounds.least = fm_source_u64(source);
        bounds.most = fm_source_u64(source);
        bounds.queue_least = fm_source_u64(source);
        bounds.queue_most = fm_source_u64(source);
        bounds.bytes_least = fm_source_u64(source);
        bounds.bytes_most = fm_source_u64(source);
        if (source->failed || location >= reader->cube->location_count ||
            (i > 0 && location <= previous) || !is_valid(&bounds)) {
            return fm_cube_damaged(reader, "bounds %u of unexpected messages are malformed", i);
        }
        reader->cube->locations[location].unexpected = bounds;
        previous = location;
    }
    return fm_cube_check_used_up(reader, FM_SECTION_UNEX);
}
