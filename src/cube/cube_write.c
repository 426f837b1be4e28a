#include "base/crc64.h"
#include "base/new_file.h"
#include "cube/cube.h"
#include "cube/cube_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Where bytes go: a stream, with the checksum of all that passed. */
struct sink {
    FILE *stream;
    uint64_t crc;
};

static void put_bytes(struct sink *sink, const void *bytes, size_t length)
{
    if (length == 0)
        return;
    sink->crc = fm_crc64(sink->crc, bytes, length);
    fwrite(bytes, 1, length, sink->stream);
}

static void put_u8(struct sink *sink, unsigned value)
{
    put_bytes(sink, &(unsigned char){(unsigned char)value}, 1);
}

static void put_u32(struct sink *sink, uint32_t value)
{
    unsigned char bytes[4];
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
    put_bytes(sink, bytes, sizeof bytes);
}

static void put_u64(struct sink *sink, uint64_t value)
{
    put_u32(sink, (uint32_t)value);
    put_u32(sink, (uint32_t)(value >> 32));
}

static void put_string(struct sink *sink, const char *text)
{
    if (text == NULL) {
        put_u32(sink, UINT32_MAX);
        return;
    }
    size_t length = strnlen(text, UINT32_MAX - 1);
    put_u32(sink, (uint32_t)length);
    put_bytes(sink, text, length);
}

static void put_section_header(struct sink *sink, const char *tag, unsigned flags, uint64_t length)
{
    put_bytes(sink, tag, 4);
    put_u32(sink, flags);
    put_u64(sink, length);
}

static void put_experiment(struct sink *sink, const struct fm_cube *cube)
{
    const struct fm_cube_experiment *experiment = &cube->experiment;
    put_string(sink, experiment->title);
    put_string(sink, experiment->command);
    put_string(sink, experiment->creator);
    put_string(sink, experiment->machine);
    put_u64(sink, experiment->ticks_per_second);
    put_u32(sink, experiment->cost_shift);
    put_u64(sink, experiment->begin);
    put_u64(sink, experiment->end);
    put_u64(sink, experiment->event_count);
    put_u32(sink, experiment->process_count);
}

static void put_metrics(struct sink *sink, const struct fm_cube *cube)
{
    (void)cube;
    put_u32(sink, FM_METRIC_COUNT);
    for (unsigned i = 0; i < FM_METRIC_COUNT; i++) {
        const struct fm_metric_info *info = fm_metric_info((fm_metric_t)i);
        put_string(sink, info->id);
        put_string(sink, info->name);
        put_u32(sink, info->parent == FM_METRIC_NONE ? FM_CUBE_NONE : (uint32_t)info->parent);
        put_u8(sink, info->unit);
    }
}

static void put_regions(struct sink *sink, const struct fm_cube *cube)
{
    put_u32(sink, cube->region_count);
    for (uint32_t i = 0; i < cube->region_count; i++) {
        put_string(sink, cube->regions[i].name);
        put_string(sink, cube->regions[i].paradigm);
        put_string(sink, cube->regions[i].file);
        put_u32(sink, cube->regions[i].line);
    }
}

static void put_callpaths(struct sink *sink, const struct fm_cube *cube)
{
    put_u32(sink, cube->callpath_count);
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        put_u32(sink, cube->callpaths[i].parent);
        put_u32(sink, cube->callpaths[i].region);
    }
}

static void put_locations(struct sink *sink, const struct fm_cube *cube)
{
    put_u32(sink, cube->location_count);
    for (uint32_t i = 0; i < cube->location_count; i++) {
        put_u64(sink, cube->locations[i].id);
        put_u32(sink, cube->locations[i].rank);
        put_u32(sink, cube->locations[i].thread);
        put_string(sink, cube->locations[i].node);
        put_string(sink, cube->locations[i].name);
    }
}

static void put_statistics(struct sink *sink, const struct fm_cube *cube)
{
    put_u32(sink, cube->statistics_count);
    for (uint32_t i = 0; i < cube->statistics_count; i++) {
        const struct fm_cube_statistics *record = &cube->statistics[i];
        put_u32(sink, record->metric);
        put_u64(sink, record->count);
        put_u64(sink, record->sum);
        put_u64(sink, record->min);
        put_u64(sink, record->lower_quartile);
        put_u64(sink, record->median);
        put_u64(sink, record->upper_quartile);
        put_u64(sink, record->max);
        put_u8(sink, record->worst_count);
        for (uint32_t j = 0; j < record->worst_count; j++) {
            const struct fm_cube_instance *instance = &record->worst[j];
            put_u32(sink, instance->location);
            put_u32(sink, instance->callpath);
            put_u64(sink, instance->enter);
            put_u64(sink, instance->wait);
            put_u32(sink, instance->cause_location);
            put_u32(sink, instance->cause_callpath);
            put_u32(sink, instance->chain_length);
            for (uint32_t k = 0; k < instance->chain_length; k++) {
                put_u32(sink, instance->chain[k].location);
                put_u32(sink, instance->chain[k].callpath);
                put_u32(sink, instance->chain[k].metric == FM_METRIC_NONE
                                  ? FM_CUBE_NONE
                                  : instance->chain[k].metric);
                put_u32(sink, instance->chain[k].permille);
                put_u64(sink, instance->chain[k].ticks);
            }
        }
    }
}

static void put_critical_path(struct sink *sink, const struct fm_cube *cube)
{
    put_u32(sink, cube->segment_count);
    for (uint32_t i = 0; i < cube->segment_count; i++) {
        put_u32(sink, cube->segments[i].location);
        put_u64(sink, cube->segments[i].begin);
        put_u64(sink, cube->segments[i].end);
    }
}

static void put_warnings(struct sink *sink, const struct fm_cube *cube)
{
    put_u32(sink, cube->warning_count);
    for (uint32_t i = 0; i < cube->warning_count; i++)
        put_string(sink, cube->warnings[i]);
}

static void put_parties(struct sink *sink, const struct fm_cube_lock_party *parties, uint32_t count)
{
    put_u32(sink, count);
    for (uint32_t i = 0; i < count; i++) {
        put_u32(sink, parties[i].rank);
        put_u64(sink, parties[i].epochs);
        put_u64(sink, parties[i].held);
        put_u64(sink, parties[i].caused);
        put_u64(sink, parties[i].waits);
        put_u64(sink, parties[i].waiting);
    }
}

static void put_locks(struct sink *sink, const struct fm_cube *cube)
{
    put_u32(sink, FM_CUBE_LOCKS_VERSION);
    put_u32(sink, cube->lock_count);
    for (uint32_t i = 0; i < cube->lock_count; i++) {
        const struct fm_cube_lock *lock = &cube->locks[i];
        const uint64_t numbers[] = {lock->exclusive, lock->shared,        lock->held,
                                    lock->waits,     lock->waiting,       lock->begin,
                                    lock->end,       lock->longest_queue, lock->longest_chain};
        put_u32(sink, lock->window);
        put_string(sink, lock->name);
        put_u32(sink, lock->target);
        for (size_t j = 0; j < sizeof numbers / sizeof numbers[0]; j++)
            put_u64(sink, numbers[j]);
        put_u32(sink, lock->chain_count);
        for (uint32_t j = 0; j < lock->chain_count; j++)
            put_u32(sink, lock->chain[j]);
        put_parties(sink, lock->holders, lock->holder_count);
        put_parties(sink, lock->victims, lock->victim_count);
        put_u32(sink, lock->bin_count);
        for (uint32_t j = 0; j < lock->bin_count; j++)
            put_u64(sink, lock->queue[j]);
    }
}

/** @return the number of cells of the same metric that begin at `begin`. */
static size_t block_length(const struct fm_cube *cube, size_t begin)
{
    size_t count;
    fm_cube_metric_cells(cube, (fm_metric_t)cube->cells[begin].metric, &count);
    return count;
}

static uint64_t severities_size(const struct fm_cube *cube)
{
    uint64_t size = 8;
    for (size_t i = 0; i < cube->cell_count;) {
        size_t count = block_length(cube, i);
        size += 12 + (uint64_t)count * 16;
        i += count;
    }
    return size;
}

static void put_severities(struct sink *sink, const struct fm_cube *cube)
{
    put_u64(sink, cube->cell_count);
    for (size_t i = 0; i < cube->cell_count;) {
        size_t end = i + block_length(cube, i);
        put_u32(sink, cube->cells[i].metric);
        put_u64(sink, end - i);
        for (; i < end; i++) {
            put_u32(sink, cube->cells[i].callpath);
            put_u32(sink, cube->cells[i].location);
            put_u64(sink, (uint64_t)cube->cells[i].value);
        }
    }
}

/** The sections but that of the severities: small enough to be made in memory first, because their
 * lengths stand before them. */
static const struct {
    const char *tag;
    unsigned flags;
    void (*put)(struct sink *sink, const struct fm_cube *cube);
} sections[] = {
    {"EXPT", FM_CUBE_SECTION_REQUIRED, put_experiment},
    {"METR", FM_CUBE_SECTION_REQUIRED, put_metrics},
    {"REGN", FM_CUBE_SECTION_REQUIRED, put_regions},
    {"CALL", FM_CUBE_SECTION_REQUIRED, put_callpaths},
    {"LOCN", FM_CUBE_SECTION_REQUIRED, put_locations},
    {"STAT", FM_CUBE_SECTION_REQUIRED, put_statistics},
    {"PATH", FM_CUBE_SECTION_REQUIRED, put_critical_path},
    {"WARN", FM_CUBE_SECTION_REQUIRED, put_warnings},
    {"LOCK", 0, put_locks},
};

#define SMALL_SECTIONS (sizeof sections / sizeof sections[0])

_Static_assert(SMALL_SECTIONS + 1 == FM_CUBE_SECTION_COUNT, "each section is written");

/** Makes the payload of a section. @return it, to be freed; NULL without memory. */
static char *make_payload(const struct fm_cube *cube, size_t section, size_t *size)
{
    char *payload = NULL;
    struct sink sink = {open_memstream(&payload, size), 0};
    if (sink.stream == NULL)
        return NULL;
    sections[section].put(&sink, cube);
    bool failed = ferror(sink.stream) != 0;
    if (fclose(sink.stream) != 0 || failed) {
        free(payload);
        return NULL;
    }
    return payload;
}

static void put_file(struct sink *sink, const struct fm_cube *cube, char *const *payloads,
                     const size_t *sizes)
{
    uint64_t file_size = FM_CUBE_FILE_HEADER_SIZE + FM_CUBE_FILE_CHECKSUM_SIZE +
                         (uint64_t)FM_CUBE_SECTION_COUNT * FM_CUBE_SECTION_HEADER_SIZE;
    for (size_t i = 0; i < SMALL_SECTIONS; i++)
        file_size += sizes[i];
    uint64_t severity_bytes = severities_size(cube);
    file_size += severity_bytes;

    put_bytes(sink, FM_CUBE_FILE_MAGIC, FM_CUBE_FILE_MAGIC_SIZE);
    put_u32(sink, FM_CUBE_FILE_VERSION);
    put_u32(sink, FM_CUBE_SECTION_COUNT);
    put_u64(sink, file_size);
    for (size_t i = 0; i < SMALL_SECTIONS; i++) {
        put_section_header(sink, sections[i].tag, sections[i].flags, sizes[i]);
        put_bytes(sink, payloads[i], sizes[i]);
    }
    put_section_header(sink, "SEVR", FM_CUBE_SECTION_REQUIRED, severity_bytes);
    put_severities(sink, cube);
    put_u64(sink, sink->crc);
}

fm_status_t fm_cube_write(const struct fm_cube *cube, const char *path, struct fm_error *error)
{
    char *payloads[SMALL_SECTIONS] = {NULL};
    size_t sizes[SMALL_SECTIONS] = {0};
    fm_status_t status = FM_OK;
    for (size_t i = 0; i < SMALL_SECTIONS; i++) {
        payloads[i] = make_payload(cube, i, &sizes[i]);
        if (payloads[i] == NULL) {
            status = fm_fail(error, FM_ERR_SYSTEM, "%s: out of memory for the report", path);
            goto free_payloads;
        }
    }
    struct fm_new_file file;
    status = fm_new_file_open(&file, path, error);
    if (status == FM_OK) {
        struct sink sink = {file.stream, 0};
        put_file(&sink, cube, payloads, sizes);
        status = fm_new_file_commit(&file, error);
    }
free_payloads:
    for (size_t i = 0; i < SMALL_SECTIONS; i++)
        free(payloads[i]);
    return status;
}
