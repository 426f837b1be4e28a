/* SPDX-License-Identifier: BSD-3-Clause */
/* How a run ended that ended inside of calls, and its section of the file. */
#include "cube/file/cube_format.h"
#include "cube/file/cube_reader.h"
#include "cube/file/cube_writer.h"

#include <stdlib.h>
#include <string.h>

const char *fm_hang_id(fm_hang_t kind)
{
    static const char *const names[] = {
        [FM_HANG_NONE] = "none",
        [FM_HANG_DEADLOCK] = "deadlock",
        [FM_HANG_MISSING] = "missing",
        [FM_HANG_NO_PROGRESS] = "no_progress",
    };
    return names[kind];
}

void fm_cube_hang_free(struct fm_cube_hang *hang)
{
    for (uint32_t i = 0; i < hang->part_count; i++) {
        free(hang->parts[i].object);
        free(hang->parts[i].note);
        free(hang->parts[i].taken_in);
    }
    free(hang->waits);
    free(hang->parts);
    free(hang->targets);
    free(hang->cycle);
    free(hang->places);
    *hang = (struct fm_cube_hang){0};
}

/* @return a copy of an array; NULL without memory */
static void *copy_of(const void *items, size_t count, size_t size)
{
    void *copy = malloc(count * size + 1);
    if (copy != NULL && count != 0) {
        memcpy(copy, items, count * size);
    }
    return copy;
}

fm_status_t fm_cube_set_hang(struct fm_cube *cube, const struct fm_cube_hang *hang,
                             struct fm_error *error)
{
    struct fm_cube_hang copy = *hang;
    copy.waits = copy_of(hang->waits, hang->wait_count, sizeof *hang->waits);
    copy.parts = copy_of(hang->parts, hang->part_count, sizeof *hang->parts);
    copy.targets = copy_of(hang->targets, hang->target_count, sizeof *hang->targets);
    copy.cycle = copy_of(hang->cycle, hang->cycle_count, sizeof *hang->cycle);
    copy.places = copy_of(hang->places, hang->place_count, sizeof *hang->places);
    bool failed = copy.waits == NULL || copy.parts == NULL || copy.targets == NULL ||
                  copy.cycle == NULL || copy.places == NULL;
    copy.part_count = copy.parts == NULL ? 0 : copy.part_count;
    for (uint32_t i = 0; i < copy.part_count; i++) {
        copy.parts[i].object = strdup(hang->parts[i].object);
        copy.parts[i].note = strdup(hang->parts[i].note);
        copy.parts[i].taken_in = strdup(hang->parts[i].taken_in);
        failed |= copy.parts[i].object == NULL || copy.parts[i].note == NULL ||
                  copy.parts[i].taken_in == NULL;
    }
    fm_cube_hang_free(&cube->hang);
    if (failed) {
        fm_cube_hang_free(&copy);
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for the end of the run");
    }
    cube->hang = copy;
    return FM_OK;
}

const struct fm_cube_hang_wait *fm_cube_hang_wait_of(const struct fm_cube_hang *hang,
                                                     uint32_t location)
{
    uint32_t low = 0, high = hang->wait_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (hang->waits[middle].location < location) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < hang->wait_count && hang->waits[low].location == location ? &hang->waits[low]
                                                                           : NULL;
}

/* ---- the section ---- */

/* Least bytes of each record. */
enum {
    WAIT_SIZE = 4 + 4 + 8 + 4 + 4 + 4,
    PART_SIZE = 1 + 1 + 4 * 4 + 4 + 4 + 4,
    PLACE_SIZE = 4 + 4 + 1
};

/* Bits of a wait, and of a part. */
enum { COUNTS = 1, IS_ANY = 2, IS_STUCK = 4 };
enum { ANY_TARGET = 1, IS_THERE = 2, IS_NEVER = 4, IS_OTHERS = 8 };

static void put_numbers(struct fm_sink *sink, const uint32_t *numbers, uint32_t count)
{
    fm_sink_u32(sink, count);
    for (uint32_t i = 0; i < count; i++) {
        fm_sink_u32(sink, numbers[i]);
    }
}

void fm_cube_put_hang(struct fm_sink *sink, const struct fm_cube *cube)
{
    const struct fm_cube_hang *hang = &cube->hang;
    fm_sink_u32(sink, FM_CUBE_HANG_VERSION);
    fm_sink_u8(sink, hang->kind);
    fm_sink_u64(sink, hang->since);
    fm_sink_u32(sink, hang->open_ends);
    fm_sink_u32(sink, hang->part_count);
    for (uint32_t i = 0; i < hang->part_count; i++) {
        const struct fm_cube_hang_part *part = &hang->parts[i];
        fm_sink_u8(sink, part->awaits);
        fm_sink_u8(sink, (part->is_any ? ANY_TARGET : 0U) | (part->is_there ? IS_THERE : 0U) |
                             (part->is_never ? IS_NEVER : 0U) | (part->is_others ? IS_OTHERS : 0U));
        fm_sink_u32(sink, part->first_target);
        fm_sink_u32(sink, part->target_count);
        fm_sink_u32(sink, part->tag);
        fm_sink_u32(sink, part->place);
        fm_sink_string(sink, part->object);
        fm_sink_string(sink, part->note);
        fm_sink_string(sink, part->taken_in);
    }
    put_numbers(sink, hang->targets, hang->target_count);
    fm_sink_u32(sink, hang->wait_count);
    for (uint32_t i = 0; i < hang->wait_count; i++) {
        const struct fm_cube_hang_wait *wait = &hang->waits[i];
        fm_sink_u32(sink, wait->location);
        fm_sink_u32(sink, wait->callpath);
        fm_sink_u64(sink, wait->since);
        fm_sink_u32(sink, (wait->counts ? COUNTS : 0U) | (wait->is_any ? IS_ANY : 0U) |
                              (wait->is_stuck ? IS_STUCK : 0U));
        fm_sink_u32(sink, wait->first_part);
        fm_sink_u32(sink, wait->part_count);
    }
    put_numbers(sink, hang->cycle, hang->cycle_count);
    fm_sink_u32(sink, hang->place_count);
    for (uint32_t i = 0; i < hang->place_count; i++) {
        fm_sink_u32(sink, hang->places[i].location);
        fm_sink_u32(sink, hang->places[i].callpath);
        fm_sink_u8(sink, hang->places[i].has_ended);
    }
}

/* @return an array for records that follow; NULL: the section is damaged or memory is exhausted */
static void *records(struct fm_source *source, size_t least, size_t size, uint32_t *count)
{
    *count = fm_source_count(source, least);
    void *items = source->failed ? NULL : calloc(*count + (size_t)1, size);
    source->failed |= items == NULL;
    *count = items == NULL ? 0 : *count;
    return items;
}

static uint32_t *read_numbers(struct fm_source *source, uint32_t limit, uint32_t *count)
{
    uint32_t *numbers = records(source, sizeof *numbers, sizeof *numbers, count);
    for (uint32_t i = 0; i < *count; i++) {
        numbers[i] = fm_source_u32(source);
        source->failed |= numbers[i] >= limit;
    }
    return numbers;
}

/* @return a call path of the cube, or none */
static uint32_t read_callpath(struct fm_source *source, const struct fm_cube *cube)
{
    const uint32_t callpath = fm_source_u32(source);
    source->failed |= callpath != FM_CUBE_NONE && callpath >= cube->callpath_count;
    return callpath;
}

static void read_parts(struct fm_source *source, const struct fm_cube *cube,
                       struct fm_cube_hang *hang)
{
    hang->parts = records(source, PART_SIZE, sizeof *hang->parts, &hang->part_count);
    for (uint32_t i = 0; i < hang->part_count; i++) {
        struct fm_cube_hang_part *part = &hang->parts[i];
        part->awaits = fm_source_u8(source);
        const uint8_t bits = fm_source_u8(source);
        part->is_any = (bits & ANY_TARGET) != 0;
        part->is_there = (bits & IS_THERE) != 0;
        part->is_never = (bits & IS_NEVER) != 0;
        part->is_others = (bits & IS_OTHERS) != 0;
        part->first_target = fm_source_u32(source);
        part->target_count = fm_source_u32(source);
        part->tag = fm_source_u32(source);
        part->place = read_callpath(source, cube);
        part->object = fm_source_string(source, false);
        part->note = fm_source_string(source, false);
        part->taken_in = fm_source_string(source, false);
        source->failed |= part->awaits >= FM_AWAITS_COUNT;
    }
    hang->targets = read_numbers(source, cube->location_count, &hang->target_count);
    for (uint32_t i = 0; i < hang->part_count; i++) {
        const struct fm_cube_hang_part *part = &hang->parts[i];
        source->failed |= part->first_target > hang->target_count ||
                          part->target_count > hang->target_count - part->first_target;
    }
}

/* Each location of the cycle is in an open call, and is in the cycle once. */
static void check_cycle(struct fm_source *source, const struct fm_cube *cube,
                        const struct fm_cube_hang *hang)
{
    bool *is_seen = calloc(cube->location_count + (size_t)1, sizeof *is_seen);
    source->failed |= is_seen == NULL;
    for (uint32_t i = 0; i < hang->cycle_count && !source->failed; i++) {
        const uint32_t location = hang->cycle[i];
        source->failed |= is_seen[location] || fm_cube_hang_wait_of(hang, location) == NULL;
        is_seen[location] = true;
    }
    free(is_seen);
}

static void read_locations(struct fm_source *source, const struct fm_cube *cube,
                           struct fm_cube_hang *hang)
{
    hang->waits = records(source, WAIT_SIZE, sizeof *hang->waits, &hang->wait_count);
    for (uint32_t i = 0; i < hang->wait_count; i++) {
        struct fm_cube_hang_wait *wait = &hang->waits[i];
        wait->location = fm_source_u32(source);
        wait->callpath = read_callpath(source, cube);
        wait->since = fm_source_u64(source);
        const uint32_t bits = fm_source_u32(source);
        wait->counts = (bits & COUNTS) != 0;
        wait->is_any = (bits & IS_ANY) != 0;
        wait->is_stuck = (bits & IS_STUCK) != 0;
        wait->first_part = fm_source_u32(source);
        wait->part_count = fm_source_u32(source);
        source->failed |= wait->location >= cube->location_count ||
                          (i > 0 && wait->location <= hang->waits[i - 1].location) ||
                          wait->first_part > hang->part_count ||
                          wait->part_count > hang->part_count - wait->first_part;
    }
    hang->cycle = read_numbers(source, cube->location_count, &hang->cycle_count);
    check_cycle(source, cube, hang);
    hang->places = records(source, PLACE_SIZE, sizeof *hang->places, &hang->place_count);
    for (uint32_t i = 0; i < hang->place_count; i++) {
        hang->places[i].location = fm_source_u32(source);
        hang->places[i].callpath = read_callpath(source, cube);
        hang->places[i].has_ended = fm_source_u8(source) != 0;
        source->failed |= hang->places[i].location >= cube->location_count ||
                          (i > 0 && hang->places[i].location <= hang->places[i - 1].location);
    }
}

fm_status_t fm_cube_read_hang(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_HANG];
    struct fm_cube_hang *hang = &reader->cube->hang;
    bool readable;
    fm_status_t status = fm_cube_begin_optional(reader, FM_SECTION_HANG, FM_CUBE_HANG_VERSION,
                                                "What open calls wait for is", &readable);
    if (status != FM_OK || !readable) {
        return status;
    }
    const uint8_t kind = fm_source_u8(source);
    hang->kind = (fm_hang_t)kind;
    hang->since = fm_source_u64(source);
    hang->open_ends = fm_source_u32(source);
    read_parts(source, reader->cube, hang);
    read_locations(source, reader->cube, hang);
    if (source->failed || kind > FM_HANG_NO_PROGRESS) {
        fm_cube_hang_free(hang);
        return fm_cube_damaged(reader, "what open calls wait for is malformed");
    }
    return fm_cube_check_used_up(reader, FM_SECTION_HANG);
}
