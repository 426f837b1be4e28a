/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/model/callpath_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *fm_cube_callpath_region(const struct fm_cube *cube, uint32_t callpath)
{
    return cube->regions[cube->callpaths[callpath].region].name;
}

static bool has_namesake(const struct fm_cube *cube, uint32_t callpath)
{
    const struct fm_cube_callpath *own = &cube->callpaths[callpath];
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        if (i != callpath && cube->callpaths[i].parent == own->parent &&
            strcmp(fm_cube_callpath_region(cube, i), fm_cube_callpath_region(cube, callpath)) == 0)
            return true;
    }
    return false;
}

const char *fm_cube_callpath_place(const struct fm_cube *cube, uint32_t callpath,
                                   char place[FM_CUBE_PLACE_SIZE])
{
    const struct fm_cube_region *region = &cube->regions[cube->callpaths[callpath].region];
    place[0] = '\0';
    /* The line of a user function is that of its definition, not of a call. */
    if (region->file != NULL && region->line != 0 && strcmp(region->paradigm, "user") != 0 &&
        has_namesake(cube, callpath)) {
        const char *slash = strrchr(region->file, '/');
        snprintf(place, FM_CUBE_PLACE_SIZE, "@%.250s:%u", slash != NULL ? slash + 1 : region->file,
                 region->line);
    }
    return place;
}

char *fm_cube_callpath_text(const struct fm_cube *cube, uint32_t callpath, const char *separator)
{
    size_t gap = strlen(separator);
    size_t length = 0;
    char place[FM_CUBE_PLACE_SIZE];
    for (uint32_t i = callpath; i != FM_CUBE_NONE; i = cube->callpaths[i].parent)
        length += strlen(fm_cube_callpath_region(cube, i)) +
                  strlen(fm_cube_callpath_place(cube, i, place)) + gap;
    length -= gap;
    char *text = malloc(length + 1);
    if (text == NULL)
        return NULL;
    text[length] = '\0';
    /* The loop goes from the leaf to the root: the text is written from its end. */
    for (uint32_t i = callpath; i != FM_CUBE_NONE; i = cube->callpaths[i].parent) {
        const char *name = fm_cube_callpath_region(cube, i);
        size_t name_length = strlen(name);
        size_t place_length = strlen(fm_cube_callpath_place(cube, i, place));
        length -= place_length;
        memcpy(text + length, place, place_length);
        length -= name_length;
        memcpy(text + length, name, name_length);
        if (length > 0) {
            length -= gap;
            memcpy(text + length, separator, gap);
        }
    }
    return text;
}
