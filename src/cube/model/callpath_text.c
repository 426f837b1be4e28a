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

/* Finds the place that calls a call path, which belongs to the cube. */
static bool find_site(const struct fm_cube *cube, uint32_t callpath, struct fm_cube_site *site)
{
    const struct fm_cube_callpath *own = &cube->callpaths[callpath];
    const struct fm_cube_region *region = &cube->regions[own->region];
    if (own->site != FM_CUBE_NONE) {
        *site = cube->sites[own->site];
        return true;
    }
    /* The line of a user function is that of its definition, not of a call. */
    *site = (struct fm_cube_site){region->file, region->line};
    return region->file != NULL && region->line != 0 && strcmp(region->paradigm, "user") != 0;
}

const char *fm_cube_callpath_place(const struct fm_cube *cube, uint32_t callpath,
                                   char place[FM_CUBE_PLACE_SIZE])
{
    struct fm_cube_site site;
    place[0] = '\0';
    if (!find_site(cube, callpath, &site) || !has_namesake(cube, callpath))
        return place;
    const char *slash = strrchr(site.file, '/');
    const char *file = slash != NULL ? slash + 1 : site.file;
    if (site.line != 0)
        snprintf(place, FM_CUBE_PLACE_SIZE, "@%.250s:%u", file, site.line);
    else
        snprintf(place, FM_CUBE_PLACE_SIZE, "@%.250s", file);
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
