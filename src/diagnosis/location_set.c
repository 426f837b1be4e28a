/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/location_set.h"

#include "base/memory.h"
#include "diagnosis/number_format.h"
#include "diagnosis/place.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Maximum number of ranges that are written out; of more, only the number of ranks is stated. */
#define RANGE_LIMIT 5

static char *format(const char *text, ...) __attribute__((format(printf, 1, 2)));

static char *format(const char *text, ...)
{
    va_list arguments;
    char *made = NULL;
    va_start(arguments, text);
    int length = vasprintf(&made, text, arguments);
    va_end(arguments);
    if (length < 0) {
        abort(); /* Without memory for one line no error message can be printed either. */
    }
    return made;
}

bool fm_location_set_is_one_process(const struct fm_cube *cube)
{
    return cube->location_count > 1 &&
           cube->locations[0].rank == cube->locations[cube->location_count - 1].rank;
}

bool fm_location_set_has_single_threads(const struct fm_cube *cube)
{
    for (uint32_t i = 1; i < cube->location_count; i++) {
        if (cube->locations[i].rank == cube->locations[i - 1].rank) {
            return false;
        }
    }
    return true;
}

/** @return "threads", "streams", or "threads and streams": what a set has. */
static const char *noun_of(const struct fm_cube *cube, struct fm_location_set set)
{
    uint32_t streams = 0;
    for (uint32_t i = 0; i < set.count; i++) {
        streams += cube->locations[set.items[i]].is_stream;
    }
    return streams == 0 ? "threads" : streams == set.count ? "streams" : "threads and streams";
}

bool fm_location_set_has_streams(const struct fm_cube *cube)
{
    for (uint32_t i = 0; i < cube->location_count; i++) {
        if (cube->locations[i].is_stream) {
            return true;
        }
    }
    return false;
}

const char *fm_location_set_all(const struct fm_diagnosis *diagnosis)
{
    return fm_location_set_has_single_threads(diagnosis->cube) ? diagnosis->process.many
           : fm_location_set_has_streams(diagnosis->cube)      ? "threads and streams"
                                                               : "threads";
}

const char *fm_location_set_one(const struct fm_diagnosis *diagnosis)
{
    return fm_location_set_has_single_threads(diagnosis->cube) ? diagnosis->process.one
           : fm_location_set_has_streams(diagnosis->cube)      ? "thread or stream"
                                                               : "thread";
}

const char *fm_location_set_others(const struct fm_diagnosis *diagnosis, uint32_t count)
{
    if (fm_location_set_has_streams(diagnosis->cube)) {
        return count == 1 ? "other thread or stream" : "other threads and streams";
    }
    if (!fm_location_set_has_single_threads(diagnosis->cube)) {
        return count == 1 ? "other thread" : "other threads";
    }
    if (strcmp(diagnosis->process.one, "PE") == 0) {
        return count == 1 ? "other PE" : "other PEs";
    }
    if (strcmp(diagnosis->process.one, "image") == 0) {
        return count == 1 ? "other image" : "other images";
    }
    return count == 1 ? "other rank" : "other ranks";
}

/** @return the end of the range of consecutive numbers that begins at `first`. Two consecutive
 * numbers are two ranges, for readability: "3, 4 and 9". */
static uint32_t range_end(const uint32_t *numbers, uint32_t count, uint32_t first)
{
    uint32_t end = first + 1;
    while (end < count && numbers[end] == numbers[end - 1] + 1) {
        end++;
    }
    return end == first + 2 ? first + 1 : end;
}

/** @return the number of ranges, up to RANGE_LIMIT + 1. */
static unsigned count_ranges(const uint32_t *numbers, uint32_t count)
{
    unsigned ranges = 0;
    for (uint32_t i = 0; i < count && ranges <= RANGE_LIMIT; i = range_end(numbers, count, i)) {
        ranges++;
    }
    return ranges;
}

/** Writes ascending numbers as ranges: "0-3 and 8". */
static char *format_numbers(const uint32_t *numbers, uint32_t count)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (stream == NULL) {
        abort();
    }
    for (uint32_t i = 0, end; i < count; i = end) {
        end = range_end(numbers, count, i);
        fputs(i == 0 ? "" : end == count ? " and " : ", ", stream);
        fprintf(stream, "%u", numbers[i]);
        if (end > i + 1) {
            fprintf(stream, "-%u", numbers[end - 1]);
        }
    }
    if (fclose(stream) != 0) {
        abort();
    }
    return text;
}

/** @return whether the set contains all threads of each of its processes. */
static bool has_whole_processes(const struct fm_cube *cube, struct fm_location_set set)
{
    for (uint32_t i = 0; i < set.count; i++) {
        uint32_t location = set.items[i];
        uint32_t rank = cube->locations[location].rank;
        bool begins = location == 0 || cube->locations[location - 1].rank != rank;
        bool ends =
            location + 1 == cube->location_count || cube->locations[location + 1].rank != rank;
        if ((!begins && (i == 0 || set.items[i - 1] != location - 1)) ||
            (!ends && (i + 1 == set.count || set.items[i + 1] != location + 1))) {
            return false;
        }
    }
    return true;
}

const char *fm_location_set_many(const struct fm_diagnosis *diagnosis, struct fm_location_set set)
{
    const struct fm_cube *cube = diagnosis->cube;
    return !fm_location_set_is_one_process(cube) && has_whole_processes(cube, set)
               ? diagnosis->process.many
               : noun_of(cube, set);
}

/** Describes a set that is neither a single location nor all locations. */
static char *describe_some(const struct fm_diagnosis *diagnosis, struct fm_location_set set)
{
    const struct fm_cube *cube = diagnosis->cube;
    uint32_t *numbers = fm_allocate(set.count, sizeof *numbers);
    uint32_t count = 0;
    bool one_process = fm_location_set_is_one_process(cube);
    bool only_first = true;
    for (uint32_t i = 0; i < set.count; i++) {
        const struct fm_cube_location *location = &cube->locations[set.items[i]];
        uint32_t number =
            one_process ? location->thread : location->rank + diagnosis->process.first;
        only_first = only_first && location->thread == 0;
        if (count == 0 || numbers[count - 1] != number) {
            numbers[count++] = number;
        }
    }
    if (count_ranges(numbers, count) > RANGE_LIMIT) {
        char numerals[2][FM_FORMAT_SIZE];
        const char *noun = fm_location_set_all(diagnosis);
        fm_free(numbers);
        return format("%s of the %s %s", fm_format_count(numerals[0], set.count),
                      fm_format_count(numerals[1], cube->location_count), noun);
    }
    char *list = format_numbers(numbers, count);
    const char *ranks = count == 1 ? diagnosis->process.one : diagnosis->process.many;
    char *text = one_process                      ? format("%s %s", noun_of(cube, set), list)
                 : has_whole_processes(cube, set) ? format("%s %s", ranks, list)
                 : only_first
                     ? format("thread 0 of %s %s", ranks, list)
                     : format("%u %s of %s %s", set.count, noun_of(cube, set), ranks, list);
    free(list);
    fm_free(numbers);
    return text;
}

static bool are_disjoint(struct fm_location_set a, struct fm_location_set b)
{
    for (uint32_t i = 0, k = 0; i < a.count && k < b.count;) {
        if (a.items[i] == b.items[k]) {
            return false;
        }
        if (a.items[i] < b.items[k]) {
            i++;
        } else {
            k++;
        }
    }
    return true;
}

char *fm_location_set_text(const struct fm_diagnosis *diagnosis, struct fm_location_set set,
                           const struct fm_location_set *subject)
{
    const struct fm_cube *cube = diagnosis->cube;
    const char *noun = fm_location_set_all(diagnosis);
    if (set.count == 0) {
        return format("no %s", diagnosis->process.one);
    }
    if (set.count == 1) {
        return fm_location_set_is_one_process(cube)
                   ? format("%s %u", fm_place_kind(&cube->locations[set.items[0]]),
                            cube->locations[set.items[0]].thread)
                   : fm_place_location(diagnosis, set.items[0]);
    }
    if (set.count == cube->location_count) {
        char number[FM_FORMAT_SIZE];
        return set.count == 2
                   ? format("both %s", noun)
                   : format("all %s %s", fm_format_count(number, (int64_t)set.count), noun);
    }
    if (subject != NULL && set.count + subject->count == cube->location_count &&
        are_disjoint(set, *subject)) {
        return format("all %s", fm_location_set_others(diagnosis, set.count));
    }
    return describe_some(diagnosis, set);
}
