#include "cube/callpath_text.h"

#include <stdlib.h>
#include <string.h>

const char *fm_cube_callpath_region(const struct fm_cube *cube, uint32_t callpath)
{
    return cube->regions[cube->callpaths[callpath].region].name;
}

char *fm_cube_callpath_text(const struct fm_cube *cube, uint32_t callpath, const char *separator)
{
    size_t gap = strlen(separator);
    size_t length = 0;
    for (uint32_t i = callpath; i != FM_CUBE_NONE; i = cube->callpaths[i].parent)
        length += strlen(fm_cube_callpath_region(cube, i)) + gap;
    length -= gap;
    char *text = malloc(length + 1);
    if (text == NULL)
        return NULL;
    text[length] = '\0';
    /* From the leaf to the root, hence written from the end. */
    for (uint32_t i = callpath; i != FM_CUBE_NONE; i = cube->callpaths[i].parent) {
        const char *name = fm_cube_callpath_region(cube, i);
        size_t name_length = strlen(name);
        length -= name_length;
        memcpy(text + length, name, name_length);
        if (length > 0) {
            length -= gap;
            memcpy(text + length, separator, gap);
        }
    }
    return text;
}
