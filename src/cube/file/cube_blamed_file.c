/* SPDX-License-Identifier: BSD-3-Clause */
/* What is blamed for the worst wait states, in the report file: section BLAM. */
#include "cube/file/cube_format.h"
#include "cube/file/cube_reader.h"
#include "cube/file/cube_writer.h"

#define RECORD_SIZE (4 + 1)

void fm_cube_put_blamed(struct fm_sink *sink, const struct fm_cube *cube)
{
    fm_sink_u32(sink, FM_CUBE_BLAMED_VERSION);
    fm_sink_u32(sink, cube->statistics_count);
    for (uint32_t i = 0; i < cube->statistics_count; i++) {
        const struct fm_cube_statistics *record = &cube->statistics[i];
        fm_sink_u32(sink, record->metric);
        fm_sink_u8(sink, record->worst_count);
        for (uint32_t j = 0; j < record->worst_count; j++) {
            fm_sink_u32(sink, record->worst[j].blamed.location);
            fm_sink_u32(sink, record->worst[j].blamed.callpath);
            fm_sink_u64(sink, record->worst[j].blamed.ticks);
        }
    }
}

struct fm_cube_statistics *fm_cube_statistics_in_file(const struct fm_cube_reader *reader,
                                                      uint32_t metric)
{
    if (metric >= reader->metric_count || !reader->metric_exact[metric]) {
        return NULL;
    }
    for (uint32_t i = 0; i < reader->cube->statistics_count; i++) {
        if (reader->cube->statistics[i].metric == (uint32_t)reader->metrics[metric]) {
            return &reader->cube->statistics[i];
        }
    }
    return NULL;
}

static bool is_valid(const struct fm_cube *cube, const struct fm_cube_blamed *blamed,
                     uint64_t waiting)
{
    return (blamed->location == FM_CUBE_NONE || blamed->location < cube->location_count) &&
           (blamed->callpath == FM_CUBE_NONE || blamed->callpath < cube->callpath_count) &&
           blamed->ticks <= waiting;
}

fm_status_t fm_cube_read_blamed(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_BLAM];
    bool readable;
    fm_status_t status =
        fm_cube_begin_optional(reader, FM_SECTION_BLAM, FM_CUBE_BLAMED_VERSION,
                               "What is blamed for the longest waits is", &readable);
    if (status != FM_OK || !readable) {
        return status;
    }
    uint32_t count = fm_source_count(source, RECORD_SIZE);
    for (uint32_t i = 0; i < count; i++) {
        struct fm_cube_statistics *record =
            fm_cube_statistics_in_file(reader, fm_source_u32(source));
        uint8_t worst_count = fm_source_u8(source);
        bool valid = !source->failed && (record == NULL || record->worst_count == worst_count);
        for (uint8_t j = 0; valid && j < worst_count; j++) {
            struct fm_cube_blamed blamed = {.location = fm_source_u32(source)};
            blamed.callpath = fm_source_u32(source);
            blamed.ticks = fm_source_u64(source);
            valid = !source->failed;
            if (valid && record != NULL) {
                valid = is_valid(reader->cube, &blamed, record->worst[j].wait);
                record->worst[j].blamed = blamed;
            }
        }
        if (!valid) {
            return fm_cube_damaged(reader, "what is blamed for waits %u is malformed", i);
        }
    }
    return fm_cube_check_used_up(reader, FM_SECTION_BLAM);
}
