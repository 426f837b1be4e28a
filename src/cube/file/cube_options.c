/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of the analysis as stored in the cube, and their section of the file; the wait states
 * that the user has switched off; the call sites by which it tells call paths apart, if that is
 * asked for (section SITE); that a report is a profile. */
#include "cube/file/cube_format.h"
#include "cube/file/cube_reader.h"
#include "cube/file/cube_writer.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void fm_cube_free_partitions(struct fm_cube *cube)
{
    for (uint32_t i = 0; i < cube->partition_count; i++)
        free(cube->partition_names[i]);
    free(cube->partition_names);
    free(cube->partition_of);
    cube->partition_names = NULL;
    cube->partition_of = NULL;
    cube->partition_count = 0;
}

fm_status_t fm_cube_set_partitions(struct fm_cube *cube, char *const *names, uint32_t count,
                                   const uint32_t *of_location, struct fm_error *error)
{
    fm_cube_free_partitions(cube);
    cube->partition_names = calloc(count + (size_t)1, sizeof *cube->partition_names);
    cube->partition_of = calloc(cube->location_count + (size_t)1, sizeof *cube->partition_of);
    bool failed = cube->partition_names == NULL || cube->partition_of == NULL;
    for (uint32_t i = 0; !failed && i < count; i++) {
        cube->partition_names[i] = strdup(names[i]);
        failed = cube->partition_names[i] == NULL;
        cube->partition_count += !failed;
    }
    if (failed) {
        fm_cube_free_partitions(cube);
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for partitions");
    }
    for (uint32_t i = 0; i < cube->location_count; i++) {
        if (of_location[i] >= count && of_location[i] != FM_CUBE_NONE) {
            fm_cube_free_partitions(cube);
            return fm_fail(error, FM_ERR_FAILED, "a location's partition does not exist");
        }
        cube->partition_of[i] = of_location[i];
    }
    return FM_OK;
}

void fm_cube_put_options(struct fm_sink *sink, const struct fm_cube *cube)
{
    fm_sink_u32(sink, FM_CUBE_OPTIONS_VERSION);
    fm_sink_u8(sink, cube->path_from_init_to_finalize);
    fm_sink_u32(sink, cube->partition_count);
    for (uint32_t i = 0; i < cube->partition_count; i++)
        fm_sink_string(sink, cube->partition_names[i]);
    for (uint32_t i = 0; cube->partition_count > 0 && i < cube->location_count; i++)
        fm_sink_u32(sink, cube->partition_of[i]);
}

static fm_status_t read_partitions(struct fm_cube_reader *reader, uint32_t count)
{
    struct fm_source *source = &reader->sections[FM_SECTION_OPTS];
    uint32_t locations = reader->cube->location_count;
    char **names = calloc(count, sizeof *names);
    uint32_t *of_location = calloc(locations + (size_t)1, sizeof *of_location);
    fm_status_t status = FM_OK;
    if (names == NULL || of_location == NULL)
        status = fm_fail(reader->error, FM_ERR_SYSTEM, "out of memory for partitions");
    for (uint32_t i = 0; status == FM_OK && i < count; i++)
        names[i] = fm_source_string(source, false);
    for (uint32_t i = 0; status == FM_OK && i < locations; i++)
        of_location[i] = fm_source_u32(source);
    if (status == FM_OK)
        status = fm_cube_check_used_up(reader, FM_SECTION_OPTS);
    if (status == FM_OK)
        status = fm_cube_set_partitions(reader->cube, names, count, of_location, reader->error);
    if (status == FM_ERR_FAILED)
        status = fm_cube_damaged(reader, "the partitions are malformed");
    for (uint32_t i = 0; names != NULL && i < count; i++)
        free(names[i]);
    free(names);
    free(of_location);
    return status;
}

fm_status_t fm_cube_read_options(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_OPTS];
    bool readable;
    fm_status_t status = fm_cube_begin_optional(reader, FM_SECTION_OPTS, FM_CUBE_OPTIONS_VERSION,
                                                "The options of the analysis are", &readable);
    if (status != FM_OK || !readable)
        return status;
    reader->cube->path_from_init_to_finalize = fm_source_u8(source) != 0;
    uint32_t count = fm_source_count(source, 4);
    return count == 0 ? fm_cube_check_used_up(reader, FM_SECTION_OPTS)
                      : read_partitions(reader, count);
}

/* ---- wait states that are switched off ---- */

void fm_cube_free_switched_off(struct fm_cube *cube)
{
    for (uint32_t i = 0; i < cube->switched_off_count; i++) {
        free(cube->switched_off[i]);
    }
    free(cube->switched_off);
    cube->switched_off = NULL;
    cube->switched_off_count = 0;
}

bool fm_cube_is_switched_off(const struct fm_cube *cube, const char *id)
{
    bool found = false;
    for (uint32_t i = 0; i < cube->switched_off_count; i++) {
        found = found || strcmp(cube->switched_off[i], id) == 0;
    }
    return found;
}

void fm_cube_switch_off(struct fm_cube *cube, const char *id)
{
    if (fm_cube_is_switched_off(cube, id)) {
        return;
    }
    char **longer = realloc(cube->switched_off,
                            (cube->switched_off_count + (size_t)1) * sizeof *cube->switched_off);
    char *copy = strdup(id);
    if (longer == NULL || copy == NULL) {
        fm_memory_exhausted();
    }
    cube->switched_off = longer;
    cube->switched_off[cube->switched_off_count++] = copy;
}

void fm_cube_put_switched_off(struct fm_sink *sink, const struct fm_cube *cube)
{
    fm_sink_u32(sink, FM_CUBE_SWITCHED_OFF_VERSION);
    fm_sink_u32(sink, cube->switched_off_count);
    for (uint32_t i = 0; i < cube->switched_off_count; i++) {
        fm_sink_string(sink, cube->switched_off[i]);
    }
}

fm_status_t fm_cube_read_switched_off(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_SOFF];
    bool readable;
    fm_status_t status =
        fm_cube_begin_optional(reader, FM_SECTION_SOFF, FM_CUBE_SWITCHED_OFF_VERSION,
                               "The wait states that were switched off are", &readable);
    if (status != FM_OK || !readable) {
        return status;
    }
    const uint32_t count = fm_source_count(source, sizeof(uint32_t));
    for (uint32_t i = 0; i < count && !source->failed; i++) {
        char *id = fm_source_string(source, false);
        if (id != NULL) {
            fm_cube_switch_off(reader->cube, id);
        }
        free(id);
    }
    return fm_cube_check_used_up(reader, FM_SECTION_SOFF);
}

/* ---- call sites ---- */

/* Smallest place: length of the file's name, line. */
#define PLACE_SIZE (4 + 4)

/* Call path, place. */
#define CALL_SIZE (4 + 4)

void fm_cube_put_sites(struct fm_sink *sink, const struct fm_cube *cube)
{
    uint32_t count = 0;
    fm_sink_u32(sink, FM_CUBE_SITES_VERSION);
    fm_sink_u32(sink, cube->site_count);
    for (uint32_t i = 0; i < cube->site_count; i++) {
        fm_sink_string(sink, cube->sites[i].file);
        fm_sink_u32(sink, cube->sites[i].line);
    }
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        count += cube->callpaths[i].site != FM_CUBE_NONE;
    }
    fm_sink_u32(sink, count);
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        if (cube->callpaths[i].site != FM_CUBE_NONE) {
            fm_sink_u32(sink, i);
            fm_sink_u32(sink, cube->callpaths[i].site);
        }
    }
}

static fm_status_t read_places(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_SITE];
    const uint32_t count = fm_source_count(source, PLACE_SIZE);
    for (uint32_t i = 0; i < count; i++) {
        char *file = fm_source_string(source, false);
        const uint32_t line = fm_source_u32(source);
        const bool is_valid = !source->failed;
        const uint32_t site = is_valid ? fm_cube_add_site(reader->cube, file, line) : 0;
        free(file);
        if (!is_valid) {
            return fm_cube_damaged(reader, "place %u of calls is malformed", i);
        }
        if (site == FM_CUBE_NONE) {
            return fm_fail(reader->error, FM_ERR_SYSTEM, "%s: out of memory", reader->path);
        }
    }
    return FM_OK;
}

fm_status_t fm_cube_read_sites(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_SITE];
    struct fm_cube *cube = reader->cube;
    bool readable;
    fm_status_t status = fm_cube_begin_optional(reader, FM_SECTION_SITE, FM_CUBE_SITES_VERSION,
                                                "Which lines call functions is", &readable);
    if (status == FM_OK && readable) {
        status = read_places(reader);
    }
    if (status != FM_OK || !readable) {
        return status;
    }
    const uint32_t count = fm_source_count(source, CALL_SIZE);
    for (uint32_t i = 0, previous = 0; i < count; i++) {
        const uint32_t callpath = fm_source_u32(source), site = fm_source_u32(source);
        if (source->failed || callpath >= cube->callpath_count || (i > 0 && callpath <= previous) ||
            site >= cube->site_count) {
            return fm_cube_damaged(reader, "place of call path %u is malformed", i);
        }
        cube->callpaths[callpath].site = site;
        previous = callpath;
    }
    return fm_cube_check_used_up(reader, FM_SECTION_SITE);
}

/* ---- profiles ---- */

void fm_cube_put_profile(struct fm_sink *sink, const struct fm_cube *cube)
{
    (void)cube;
    fm_sink_u32(sink, FM_CUBE_PROFILE_VERSION);
}

fm_status_t fm_cube_read_profile(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_PROF];
    if (!reader->present[FM_SECTION_PROF])
        return FM_OK;
    uint32_t version = fm_source_u32(source);
    reader->cube->is_profile = true;
    if (!source->failed && version != FM_CUBE_PROFILE_VERSION)
        return fm_fail(reader->error, FM_ERR_DATA,
                       "%s: a profile of version %u, which this program does not know",
                       reader->path, version);
    return fm_cube_check_used_up(reader, FM_SECTION_PROF);
}
