/* SPDX-License-Identifier: BSD-3-Clause */
/* The wait states that the user has switched off, and their section of the file. */
#include "cube/file/cube_format.h"
#include "cube/file/cube_reader.h"
#include "cube/file/cube_writer.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

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
