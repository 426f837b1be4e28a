#include "diagnosis/place.h"

#include "base/text.h"
#include "cube/model/callpath_pattern.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Columns of the label before a sentence. */
#define LABEL_COLUMNS 13

/** Minimum number of columns of a call path. */
#define SHORTEST_PATH 40

/** Aborts if memory for a line is exhausted: no error message could be printed either. */
static char *never_null(char *text)
{
    if (text == NULL) {
        abort();
    }
    return text;
}

char *fm_place_name(const struct fm_diagnosis *diagnosis, const char *name)
{
    return never_null(fm_text_printable(name, diagnosis->options.utf8));
}

char *fm_place_callpath_within(const struct fm_diagnosis *diagnosis, uint32_t callpath,
                               unsigned columns)
{
    size_t room = diagnosis->options.width == 0 ? SIZE_MAX
                  : columns > SHORTEST_PATH     ? columns
                                                : SHORTEST_PATH;
    char *path = never_null(fm_cube_callpath_short(diagnosis->cube, callpath, room));
    char *printable = fm_place_name(diagnosis, path);
    free(path);
    return printable;
}

char *fm_place_callpath(const struct fm_diagnosis *diagnosis, uint32_t callpath)
{
    unsigned width = diagnosis->options.width;
    return fm_place_callpath_within(diagnosis, callpath,
                                    width > LABEL_COLUMNS ? width - LABEL_COLUMNS : 0);
}

char *fm_place_region(const struct fm_cube_region *region)
{
    char *text = NULL;
    const char *slash = region->file == NULL ? NULL : strrchr(region->file, '/');
    const char *file = slash == NULL ? region->file : slash + 1;
    if (file == NULL || region->line == 0) {
        return never_null(strdup(region->name));
    }
    if (asprintf(&text, "%s (%s:%u)", region->name, file, region->line) < 0) {
        text = NULL;
    }
    return never_null(text);
}

char *fm_place_callpath_with_line(const struct fm_diagnosis *diagnosis, uint32_t callpath)
{
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_cube_region *region = &cube->regions[cube->callpaths[callpath].region];
    char *path = fm_place_callpath(diagnosis, callpath);
    char *named = fm_place_region(region);
    char *line = fm_place_name(diagnosis, named + strlen(region->name));
    char *text = NULL;
    if (asprintf(&text, "%s%s", path, line) < 0) {
        text = NULL;
    }
    free(line);
    free(named);
    free(path);
    return never_null(text);
}

/** @return whether several call paths end with the region of `callpath`. */
static bool is_ambiguous(const struct fm_cube *cube, uint32_t callpath)
{
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        if (i != callpath && cube->callpaths[i].region == cube->callpaths[callpath].region) {
            return true;
        }
    }
    return false;
}

char *fm_place_function(const struct fm_diagnosis *diagnosis, uint32_t callpath)
{
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_cube_region *region = &cube->regions[cube->callpaths[callpath].region];
    uint32_t parent = cube->callpaths[callpath].parent;
    char *caller = NULL;
    if (parent != FM_CUBE_NONE && is_ambiguous(cube, callpath)) {
        caller = fm_place_name(diagnosis, cube->regions[cube->callpaths[parent].region].name);
    }
    char *name = fm_place_name(diagnosis, region->name);
    char *named = fm_place_region(region);
    char *line = fm_place_name(diagnosis, named + strlen(region->name));
    char *text = NULL;
    if (asprintf(&text, "`%s%s%s`%s", caller == NULL ? "" : caller, caller == NULL ? "" : "/", name,
                 line) < 0) {
        text = NULL;
    }
    free(line);
    free(named);
    free(name);
    free(caller);
    return never_null(text);
}

char *fm_place_location(const struct fm_diagnosis *diagnosis, uint32_t location)
{
    const struct fm_cube_location *where = &diagnosis->cube->locations[location];
    const char *noun = diagnosis->process.one;
    const uint32_t number = where->rank + diagnosis->process.first;
    char *text = NULL;
    int length = where->thread == 0
                     ? asprintf(&text, "%s %u", noun, number)
                     : asprintf(&text, "%s %u, thread %u", noun, number, where->thread);
    return never_null(length < 0 ? NULL : text);
}
