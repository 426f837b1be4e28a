/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/place.h"

#include "base/library_function.h"
#include "base/memory.h"
#include "base/text.h"
#include "cube/model/callpath_text.h"
#include "cube/view/callpath_pattern.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Columns of the label before a sentence. */
#define LABEL_COLUMNS 13

/** Minimum number of columns of a call path. */
#define SHORTEST_PATH 40

/** Most levels of the call tree that the name of a function consists of. */
#define SHOWN_LEVELS 4

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

char *fm_place_last_region(const struct fm_cube *cube, uint32_t callpath)
{
    const uint32_t site = cube->callpaths[callpath].site;
    char *named = fm_place_region(&cube->regions[cube->callpaths[callpath].region]);
    if (site == FM_CUBE_NONE) {
        return named;
    }
    const size_t length = strlen(cube->regions[cube->callpaths[callpath].region].name);
    const char *file = cube->sites[site].file;
    const char *slash = strrchr(file, '/');
    char line[sizeof ":4294967295"] = "", *text = NULL;
    if (cube->sites[site].line != 0) {
        snprintf(line, sizeof line, ":%u", cube->sites[site].line);
    }
    /* "matvec (solver.c:42)" without the last character, or "matvec" */
    const int begin = (int)(named[length] == '\0' ? length : strlen(named) - 1);
    if (asprintf(&text, "%.*s%s%s%s)", begin, named,
                 named[length] == '\0' ? " (called at " : ", called at ",
                 slash == NULL ? file : slash + 1, line) < 0) {
        text = NULL;
    }
    free(named);
    return never_null(text);
}

char *fm_place_callpath_with_line(const struct fm_diagnosis *diagnosis, uint32_t callpath)
{
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_cube_region *region = &cube->regions[cube->callpaths[callpath].region];
    char *path = fm_place_callpath(diagnosis, callpath);
    const char *shown = strrchr(path, '@');
    char *named = fm_place_region(region);
    char *line = fm_place_name(diagnosis, named + strlen(region->name));
    char *text = NULL;
    const bool is_shown = shown != NULL && strncmp(line, " (", 2) == 0 &&
                          strncmp(line + 2, shown + 1, strlen(shown + 1)) == 0;
    if (asprintf(&text, "%s%s", path, is_shown ? "" : line) < 0) {
        text = NULL;
    }
    free(line);
    free(named);
    free(path);
    return never_null(text);
}

static bool is_parameter(const struct fm_cube *cube, uint32_t callpath)
{
    const struct fm_cube_region *region = &cube->regions[cube->callpaths[callpath].region];
    return strcmp(region->paradigm, FM_CUBE_PARAMETER) == 0;
}

static bool is_library(const struct fm_cube *cube, uint32_t callpath)
{
    const struct fm_cube_region *region = &cube->regions[cube->callpaths[callpath].region];
    return fm_is_library_function(region->name, region->file);
}

/** @return the outermost caller of a function of the program that leads to no calls of libraries
 * and is no function of a library, such as std::for_each: where the program enters this
 * computation; the call path itself if it has no such caller. */
static uint32_t entry_of(const struct fm_cube *cube, uint32_t callpath)
{
    bool *leads = fm_allocate(cube->callpath_count, sizeof *leads);
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        if (strcmp(cube->regions[cube->callpaths[i].region].paradigm, "user") != 0 &&
            !is_parameter(cube, i)) {
            for (uint32_t at = i; at != FM_CUBE_NONE && !leads[at];
                 at = cube->callpaths[at].parent) {
                leads[at] = true;
            }
        }
    }
    uint32_t entry = callpath;
    for (uint32_t at = cube->callpaths[callpath].parent; at != FM_CUBE_NONE && !leads[at];
         at = cube->callpaths[at].parent) {
        entry = is_library(cube, at) ? entry : at;
    }
    fm_free(leads);
    return entry;
}

/** @return whether `other` ends with the regions and call sites from `first` to `last`, a call path
 * below it. */
static bool ends_alike(const struct fm_cube *cube, uint32_t other, uint32_t first, uint32_t last)
{
    for (uint32_t at = last; other != FM_CUBE_NONE; at = cube->callpaths[at].parent) {
        if (cube->callpaths[other].region != cube->callpaths[at].region ||
            cube->callpaths[other].site != cube->callpaths[at].site) {
            return false;
        }
        if (at == first) {
            return true;
        }
        other = cube->callpaths[other].parent;
    }
    return false;
}

/** @return the innermost caller from `first` outwards from which on the regions to `last` are those
 * of no other call path; the root if there is none. */
static uint32_t distinguishing(const struct fm_cube *cube, uint32_t first, uint32_t last)
{
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        while (i != last && ends_alike(cube, i, first, last)) {
            if (cube->callpaths[first].parent == FM_CUBE_NONE) {
                return first;
            }
            first = cube->callpaths[first].parent;
        }
    }
    return first;
}

char *fm_place_level(const struct fm_diagnosis *diagnosis, uint32_t callpath)
{
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_cube_callpath *level = &cube->callpaths[callpath];
    char place[FM_CUBE_PLACE_SIZE] = "", *text = NULL, *printable;
    if (level->site != FM_CUBE_NONE) {
        fm_cube_callpath_place(cube, callpath, place);
    }
    if (asprintf(&text, "%s%s", cube->regions[level->region].name, place) < 0) {
        text = NULL;
    }
    printable = fm_place_name(diagnosis, never_null(text));
    free(text);
    return printable;
}

static void write_level(FILE *stream, const struct fm_diagnosis *diagnosis, uint32_t callpath)
{
    char *text = fm_place_level(diagnosis, callpath);
    fputs(text, stream);
    free(text);
}

/** Writes the names of the regions from `first` to `last`; of more than SHOWN_LEVELS, "..." stands
 * for those between the first and the last two. */
static void write_levels(FILE *stream, const struct fm_diagnosis *diagnosis, uint32_t first,
                         uint32_t last)
{
    uint32_t levels[SHOWN_LEVELS];
    unsigned count = 1;
    for (uint32_t at = last; at != first; at = diagnosis->cube->callpaths[at].parent) {
        if (count <= SHOWN_LEVELS) {
            levels[count - 1] = at;
        }
        count++;
    }
    write_level(stream, diagnosis, first);
    fputs(count > SHOWN_LEVELS ? "/..." : "", stream);
    for (unsigned i = count > SHOWN_LEVELS ? 2 : count - 1; i-- > 0;) {
        putc('/', stream);
        write_level(stream, diagnosis, levels[i]);
    }
}

char *fm_place_function(const struct fm_diagnosis *diagnosis, uint32_t callpath)
{
    const struct fm_cube *cube = diagnosis->cube;
    uint32_t function = callpath;
    while (is_parameter(cube, function) && cube->callpaths[function].parent != FM_CUBE_NONE) {
        function = cube->callpaths[function].parent;
    }
    const struct fm_cube_region *region = &cube->regions[cube->callpaths[function].region];
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        abort();
    }
    char *named = fm_place_region(region);
    char *line = fm_place_name(diagnosis, named + strlen(region->name));
    putc('`', stream);
    write_levels(stream, diagnosis, distinguishing(cube, entry_of(cube, function), callpath),
                 callpath);
    fprintf(stream, "`%s", line);
    free(line);
    free(named);
    if (fclose(stream) != 0) {
        abort();
    }
    return never_null(text);
}

const char *fm_place_kind(const struct fm_cube_location *location)
{
    return location->is_stream ? "stream" : "thread";
}

bool fm_place_has_other_threads(const struct fm_cube *cube, uint32_t location)
{
    const uint32_t rank = cube->locations[location].rank;
    return (location > 0 && cube->locations[location - 1].rank == rank) ||
           (location + 1 < cube->location_count && cube->locations[location + 1].rank == rank);
}

char *fm_place_process(const struct fm_diagnosis *diagnosis, uint32_t location)
{
    return fm_process_name(diagnosis->process, &diagnosis->cube->locations[location]);
}

char *fm_place_location(const struct fm_diagnosis *diagnosis, uint32_t location)
{
    char *process = fm_place_process(diagnosis, location), *text = NULL;
    if (!fm_place_has_other_threads(diagnosis->cube, location)) {
        return process;
    }
    const struct fm_cube_location *where = &diagnosis->cube->locations[location];
    int length = asprintf(&text, "%s, %s %u", process, fm_place_kind(where), where->thread);
    free(process);
    return never_null(length < 0 ? NULL : text);
}
