/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/files/new_file.h"
#include "cube/file/cube_format.h"
#include "cube/file/cube_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_section_header(struct fm_sink *sink, const char *tag, unsigned flags,
                               uint64_t length)
{
    fm_sink_bytes(sink, tag, 4);
    fm_sink_u32(sink, flags);
    fm_sink_u64(sink, length);
}

static void put_experiment(struct fm_sink *sink, const struct fm_cube *cube)
{
    const struct fm_cube_experiment *experiment = &cube->experiment;
    fm_sink_string(sink, experiment->title);
    fm_sink_string(sink, experiment->command);
    fm_sink_string(sink, experiment->creator);
    fm_sink_string(sink, experiment->machine);
    fm_sink_u64(sink, experiment->ticks_per_second);
    fm_sink_u32(sink, experiment->cost_shift);
    fm_sink_u64(sink, experiment->begin);
    fm_sink_u64(sink, experiment->end);
    fm_sink_u64(sink, experiment->event_count);
    fm_sink_u32(sink, experiment->process_count);
}

static void put_metrics(struct fm_sink *sink, const struct fm_cube *cube)
{
    (void)cube;
    fm_sink_u32(sink, fm_metric_end());
    for (unsigned i = 0; i < fm_metric_end(); i++) {
        const struct fm_metric_info *info = fm_metric_info((fm_metric_t)i);
        fm_sink_string(sink, info->id);
        fm_sink_string(sink, info->name);
        fm_sink_u32(sink, info->parent == FM_METRIC_NONE ? FM_CUBE_NONE : (uint32_t)info->parent);
        fm_sink_u8(sink, info->unit);
    }
}

static void put_regions(struct fm_sink *sink, const struct fm_cube *cube)
{
    fm_sink_u32(sink, cube->region_count);
    for (uint32_t i = 0; i < cube->region_count; i++) {
        fm_sink_string(sink, cube->regions[i].name);
        fm_sink_string(sink, cube->regions[i].paradigm);
        fm_sink_string(sink, cube->regions[i].file);
        fm_sink_u32(sink, cube->regions[i].line);
    }
}

static void put_callpaths(struct fm_sink *sink, const struct fm_cube *cube)
{
    fm_sink_u32(sink, cube->callpath_count);
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        fm_sink_u32(sink, cube->callpaths[i].parent);
        fm_sink_u32(sink, cube->callpaths[i].region);
    }
}

static void put_locations(struct fm_sink *sink, const struct fm_cube *cube)
{
    fm_sink_u32(sink, cube->location_count);
    for (uint32_t i = 0; i < cube->location_count; i++) {
        fm_sink_u64(sink, cube->locations[i].id);
        fm_sink_u32(sink, cube->locations[i].rank);
        fm_sink_u32(sink, cube->locations[i].thread);
        fm_sink_string(sink, cube->locations[i].node);
        fm_sink_string(sink, cube->locations[i].name);
    }
}

static void put_statistics(struct fm_sink *sink, const struct fm_cube *cube)
{
    fm_sink_u32(sink, cube->statistics_count);
    for (uint32_t i = 0; i < cube->statistics_count; i++) {
        const struct fm_cube_statistics *record = &cube->statistics[i];
        fm_sink_u32(sink, record->metric);
        fm_sink_u64(sink, record->count);
        fm_sink_u64(sink, record->sum);
        fm_sink_u64(sink, record->min);
        fm_sink_u64(sink, record->lower_quartile);
        fm_sink_u64(sink, record->median);
        fm_sink_u64(sink, record->upper_quartile);
        fm_sink_u64(sink, record->max);
        fm_sink_u8(sink, record->worst_count);
        for (uint32_t j = 0; j < record->worst_count; j++) {
            const struct fm_cube_instance *instance = &record->worst[j];
            fm_sink_u32(sink, instance->location);
            fm_sink_u32(sink, instance->callpath);
            fm_sink_u64(sink, instance->enter);
            fm_sink_u64(sink, instance->wait);
            fm_sink_u32(sink, instance->cause_location);
            fm_sink_u32(sink, instance->cause_callpath);
            fm_sink_u32(sink, instance->chain_length);
            for (uint32_t k = 0; k < instance->chain_length; k++) {
                fm_sink_u32(sink, instance->chain[k].location);
                fm_sink_u32(sink, instance->chain[k].callpath);
                fm_sink_u32(sink, instance->chain[k].metric == FM_METRIC_NONE
                                      ? FM_CUBE_NONE
                                      : instance->chain[k].metric);
                fm_sink_u32(sink, instance->chain[k].permille);
                fm_sink_u64(sink, instance->chain[k].ticks);
            }
        }
    }
}

static void put_critical_path(struct fm_sink *sink, const struct fm_cube *cube)
{
    fm_sink_u32(sink, cube->segment_count);
    for (uint32_t i = 0; i < cube->segment_count; i++) {
        fm_sink_u32(sink, cube->segments[i].location);
        fm_sink_u64(sink, cube->segments[i].begin);
        fm_sink_u64(sink, cube->segments[i].end);
    }
}

static void put_warnings(struct fm_sink *sink, const struct fm_cube *cube)
{
    fm_sink_u32(sink, cube->warning_count);
    for (uint32_t i = 0; i < cube->warning_count; i++)
        fm_sink_string(sink, cube->warnings[i]);
}

/** @return the number of consecutive cells, from `begin` on, with the same metric. */
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

static void put_severities(struct fm_sink *sink, const struct fm_cube *cube)
{
    fm_sink_u64(sink, cube->cell_count);
    for (size_t i = 0; i < cube->cell_count;) {
        size_t end = i + block_length(cube, i);
        fm_sink_u32(sink, cube->cells[i].metric);
        fm_sink_u64(sink, end - i);
        for (; i < end; i++) {
            fm_sink_u32(sink, cube->cells[i].callpath);
            fm_sink_u32(sink, cube->cells[i].location);
            fm_sink_u64(sink, (uint64_t)cube->cells[i].value);
        }
    }
}

/** All sections except the severities. Their payloads are built in memory first, because the length
 * of a section precedes its payload; they are small enough for this. */
static const struct {
    const char *tag;
    unsigned flags;
    void (*put)(struct fm_sink *sink, const struct fm_cube *cube);
} sections[] = {
    {"EXPT", FM_CUBE_SECTION_REQUIRED, put_experiment},
    {"METR", FM_CUBE_SECTION_REQUIRED, put_metrics},
    {"REGN", FM_CUBE_SECTION_REQUIRED, put_regions},
    {"CALL", FM_CUBE_SECTION_REQUIRED, put_callpaths},
    {"LOCN", FM_CUBE_SECTION_REQUIRED, put_locations},
    {"STAT", FM_CUBE_SECTION_REQUIRED, put_statistics},
    {"PATH", FM_CUBE_SECTION_REQUIRED, put_critical_path},
    {"WARN", FM_CUBE_SECTION_REQUIRED, put_warnings},
    {"LOCK", 0, fm_cube_put_locks},
    {"OPTS", 0, fm_cube_put_options},
    {"PHAS", 0, fm_cube_put_phases},
    {"BINS", 0, fm_cube_put_bins},
    {"MATX", 0, fm_cube_put_matrices},
    {"TOPO", 0, fm_cube_put_topologies},
    {"PROB", 0, fm_cube_put_problems},
    {"BLAM", 0, fm_cube_put_blamed},
    {"STRM", 0, fm_cube_put_streams},
    {"CLCK", 0, fm_cube_put_clock},
    {"SOFF", 0, fm_cube_put_switched_off},
    {"PART", 0, fm_cube_put_last_partitions},
    {"UNEX", 0, fm_cube_put_unexpected},
    {"SITE", 0, fm_cube_put_sites},
    {"WRLD", 0, fm_cube_put_worlds},
    {"UNCT", 0, fm_cube_put_uncertainty},
    {"UMET", 0, fm_cube_put_user_metrics},
    {"PRED", 0, fm_cube_put_predictions},
    {"FIND", 0, fm_cube_put_findings},
    {"HANG", 0, fm_cube_put_hang},
    {"PROF", FM_CUBE_SECTION_REQUIRED, fm_cube_put_profile}, /* only of profiles */
};

#define SMALL_SECTIONS (sizeof sections / sizeof sections[0])

/** @return number of small sections of the file of a cube. */
static size_t small_sections(const struct fm_cube *cube)
{
    return SMALL_SECTIONS - !cube->is_profile;
}

_Static_assert(SMALL_SECTIONS + 1 == FM_CUBE_SECTION_COUNT, "each section is written");

/** Builds the payload of a section. @return the payload, to be freed; NULL if memory is exhausted.
 */
static char *make_payload(const struct fm_cube *cube, size_t section, size_t *size)
{
    char *payload = NULL;
    struct fm_sink sink = {.stream = open_memstream(&payload, size)};
    if (sink.stream == NULL)
        return NULL;
    sections[section].put(&sink, cube);
    fm_sink_flush(&sink);
    bool failed = ferror(sink.stream) != 0;
    if (fclose(sink.stream) != 0 || failed) {
        free(payload);
        return NULL;
    }
    return payload;
}

static void put_file(struct fm_sink *sink, const struct fm_cube *cube, char *const *payloads,
                     const size_t *sizes)
{
    const size_t count = small_sections(cube);
    uint64_t file_size = FM_CUBE_FILE_HEADER_SIZE + FM_CUBE_FILE_CHECKSUM_SIZE +
                         (uint64_t)(count + 1) * FM_CUBE_SECTION_HEADER_SIZE;
    for (size_t i = 0; i < count; i++)
        file_size += sizes[i];
    uint64_t severity_bytes = severities_size(cube);
    file_size += severity_bytes;

    fm_sink_bytes(sink, FM_CUBE_FILE_MAGIC, FM_CUBE_FILE_MAGIC_SIZE);
    fm_sink_u32(sink, FM_CUBE_FILE_VERSION);
    fm_sink_u32(sink, (uint32_t)count + 1);
    fm_sink_u64(sink, file_size);
    for (size_t i = 0; i < count; i++) {
        put_section_header(sink, sections[i].tag, sections[i].flags, sizes[i]);
        fm_sink_bytes(sink, payloads[i], sizes[i]);
    }
    put_section_header(sink, "SEVR", FM_CUBE_SECTION_REQUIRED, severity_bytes);
    put_severities(sink, cube);
    fm_sink_flush(sink);
    fm_sink_u64(sink, sink->crc);
    fm_sink_flush(sink);
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
        struct fm_sink sink = {.stream = file.stream};
        put_file(&sink, cube, payloads, sizes);
        status = fm_new_file_commit(&file, error);
    }
free_payloads:
    for (size_t i = 0; i < SMALL_SECTIONS; i++)
        free(payloads[i]);
    return status;
}
