/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/model/partition.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* The remaining text, up to `end`. */
struct text {
    const char *next, *end;
};

static struct text trimmed(struct text text)
{
    while (text.next < text.end && strchr(" \t\r", *text.next) != NULL) {
        ++text.next;
    }
    while (text.end > text.next && strchr(" \t\r", text.end[-1]) != NULL) {
        --text.end;
    }
    return text;
}

/* Removes the text before the first `separator`, or the whole text. @return it, trimmed */
static struct text cut(struct text *text, char separator)
{
    struct text part = {text->next, text->end};
    const char *found = memchr(text->next, separator, (size_t)(text->end - text->next));
    if (found != NULL) {
        part.end = found;
    }
    text->next = found != NULL ? found + 1 : text->end;
    return trimmed(part);
}

static bool contains(struct text text, char character)
{
    return memchr(text.next, character, (size_t)(text.end - text.next)) != NULL;
}

static bool read_number(struct text text, uint32_t *number)
{
    uint64_t value = 0;
    if (text.next == text.end) {
        return false;
    }
    for (; text.next < text.end; ++text.next) {
        if (*text.next < '0' || *text.next > '9') {
            return false;
        }
        value = 10 * value + (uint64_t)(*text.next - '0');
        if (value >= UINT32_MAX) {
            return false;
        }
    }
    *number = (uint32_t)value;
    return true;
}

/* Reads `4`, `0-3` or `*`. */
static bool read_range(struct text text, uint32_t *first, uint32_t *last)
{
    if (text.end - text.next == 1 && *text.next == '*') {
        *first = 0;
        *last = UINT32_MAX;
        return true;
    }
    struct text from = cut(&text, '-');
    if (!read_number(from, first)) {
        return false;
    }
    *last = *first;
    return from.end == text.end || (read_number(trimmed(text), last) && *last >= *first);
}

static uint32_t find_name(struct fm_partitions *partitions, struct text name)
{
    size_t length = (size_t)(name.end - name.next);
    for (uint32_t i = 0; i < partitions->names.count; ++i) {
        const char *known = partitions->names.items[i];
        if (strlen(known) == length && memcmp(known, name.next, length) == 0) {
            return i;
        }
    }
    char *copy = fm_allocate(length + 1, 1);
    memcpy(copy, name.next, length);
    fm_vector_push(&partitions->names, copy);
    return (uint32_t)partitions->names.count - 1;
}

/* Reads `[NAME:]RANKS[.THREADS]`. */
static fm_status_t read_item(struct fm_partitions *partitions, struct text item,
                             uint32_t *partition, struct fm_error *error)
{
    struct text whole = item;
    if (contains(item, ':')) {
        struct text name = cut(&item, ':');
        item = trimmed(item);
        if (name.next == name.end) {
            return fm_fail(error, FM_ERR_USAGE, "a partition has no name: '%.*s'",
                           (int)(whole.end - whole.next), whole.next);
        }
        *partition = find_name(partitions, name);
    }
    if (*partition == FM_NONE) {
        return fm_fail(error, FM_ERR_USAGE, "partitions are NAME:RANKS,...; '%.*s' has no name",
                       (int)(whole.end - whole.next), whole.next);
    }
    struct fm_partition_range range = {.partition = *partition, .last_thread = UINT32_MAX};
    bool has_threads = contains(item, '.');
    struct text ranks = cut(&item, '.');
    if (!read_range(ranks, &range.first_rank, &range.last_rank) ||
        (has_threads && !read_range(trimmed(item), &range.first_thread, &range.last_thread))) {
        return fm_fail(error, FM_ERR_USAGE,
                       "'%.*s' names no ranks: they are written 4, 0-3 or *, threads of them 4.0, "
                       "0-3.1-7 or *.0",
                       (int)(whole.end - whole.next), whole.next);
    }
    fm_vector_push(&partitions->ranges, range);
    return FM_OK;
}

fm_status_t fm_partitions_parse(const char *text, struct fm_partitions *partitions,
                                struct fm_error *error)
{
    *partitions = (struct fm_partitions){0};
    struct text rest = {text, text + strlen(text)};
    fm_status_t status = FM_OK;
    uint32_t partition = FM_NONE;
    while (status == FM_OK && rest.next < rest.end) {
        struct text line = cut(&rest, '\n');
        line = cut(&line, '#');
        while (status == FM_OK && line.next < line.end) {
            status = read_item(partitions, cut(&line, ','), &partition, error);
        }
    }
    if (status == FM_OK && partitions->ranges.count == 0) {
        status = fm_fail(error, FM_ERR_USAGE, "no partition is named");
    }
    return status;
}

void fm_partitions_free(struct fm_partitions *partitions)
{
    for (size_t i = 0; i < partitions->names.count; ++i) {
        fm_free(partitions->names.items[i]);
    }
    fm_vector_free(&partitions->names);
    fm_vector_free(&partitions->ranges);
}

uint64_t fm_partitions_summary(const struct fm_partitions *partitions, uint64_t seed)
{
    uint64_t sum = crc32_z(0, (const Bytef *)&seed, sizeof seed);
    for (size_t i = 0; i < partitions->names.count; ++i) {
        const char *name = partitions->names.items[i];
        sum = crc32_z(sum, (const Bytef *)name, strlen(name) + 1);
    }
    for (size_t i = 0; i < partitions->ranges.count; ++i) {
        const struct fm_partition_range *range = &partitions->ranges.items[i];
        const uint32_t numbers[] = {range->partition, range->first_rank, range->last_rank,
                                    range->first_thread, range->last_thread};
        sum = crc32_z(sum, (const Bytef *)numbers, sizeof numbers);
    }
    return sum;
}

/* Assigns the locations of a range to their partition. @return FM_ERR_USAGE if one is assigned
 * already */
static fm_status_t assign_range(const struct fm_partitions *partitions,
                                const struct fm_partition_range *range,
                                const struct fm_trace *trace, uint32_t *of_location,
                                struct fm_error *error)
{
    uint32_t last_rank = range->last_rank;
    if (last_rank == UINT32_MAX) {
        last_rank = trace->process_count - 1;
    }
    if (last_rank >= trace->process_count) {
        return fm_fail(error, FM_ERR_USAGE, "partition %s: there is no rank %u",
                       partitions->names.items[range->partition], last_rank);
    }
    bool found = false;
    for (uint32_t p = range->first_rank; p <= last_rank; ++p) {
        const struct fm_process *process = &trace->processes[p];
        for (uint32_t t = range->first_thread;
             t < process->location_count && t <= range->last_thread; ++t) {
            uint32_t *partition = &of_location[process->first_location + t];
            found = true;
            if (*partition != FM_NONE) {
                return fm_fail(error, FM_ERR_USAGE,
                               "rank %u, thread %u is named twice: in the partitions %s and %s", p,
                               t, partitions->names.items[*partition],
                               partitions->names.items[range->partition]);
            }
            *partition = range->partition;
        }
    }
    return found ? FM_OK
                 : fm_fail(error, FM_ERR_USAGE, "partition %s: there are no threads from %u on",
                           partitions->names.items[range->partition], range->first_thread);
}

fm_status_t fm_partitions_assign(const struct fm_partitions *partitions,
                                 const struct fm_trace *trace, uint32_t **of_location,
                                 uint32_t *count, struct fm_error *error)
{
    uint32_t *assigned = fm_allocate(trace->location_count, sizeof *assigned);
    memset(assigned, 0xff, trace->location_count * sizeof *assigned);
    fm_status_t status = FM_OK;
    for (size_t i = 0; i < partitions->ranges.count && status == FM_OK; ++i) {
        status = assign_range(partitions, &partitions->ranges.items[i], trace, assigned, error);
    }
    if (status != FM_OK) {
        fm_free(assigned);
        return status;
    }
    *count = (uint32_t)partitions->names.count;
    bool is_complete = true;
    for (uint32_t l = 0; l < trace->location_count; ++l) {
        if (assigned[l] == FM_NONE) {
            assigned[l] = (uint32_t)partitions->names.count;
            is_complete = false;
        }
    }
    *count += !is_complete;
    *of_location = assigned;
    return FM_OK;
}
