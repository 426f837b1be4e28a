/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/view/callpath_pattern.h"

#include "cube/model/callpath_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char any[] = ".../";

static uint32_t parent_of(const struct fm_cube *cube, uint32_t callpath)
{
    return cube->callpaths[callpath].parent;
}

/** @return whether the last levels of two call paths have the same text. */
static bool looks_the_same(const struct fm_cube *cube, uint32_t left, uint32_t right)
{
    if (strcmp(fm_cube_callpath_region(cube, left), fm_cube_callpath_region(cube, right)) != 0)
        return false;
    char places[2][FM_CUBE_PLACE_SIZE];
    return strcmp(fm_cube_callpath_place(cube, left, places[0]),
                  fm_cube_callpath_place(cube, right, places[1])) == 0;
}

/** @return the number of last levels that distinguish `callpath` from all other call paths. */
static uint32_t distinct_levels(const struct fm_cube *cube, uint32_t callpath)
{
    uint32_t longest = 0;
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        uint32_t common = 0;
        uint32_t own = callpath;
        uint32_t other = i == callpath ? FM_CUBE_NONE : i;
        while (own != FM_CUBE_NONE && other != FM_CUBE_NONE && own != other &&
               looks_the_same(cube, own, other)) {
            common++;
            own = parent_of(cube, own);
            other = parent_of(cube, other);
        }
        longest = common > longest ? common : longest;
    }
    return longest + 1;
}

static size_t level_length(const struct fm_cube *cube, uint32_t callpath)
{
    char place[FM_CUBE_PLACE_SIZE];
    return strlen(fm_cube_callpath_region(cube, callpath)) +
           strlen(fm_cube_callpath_place(cube, callpath, place));
}

char *fm_cube_callpath_short(const struct fm_cube *cube, uint32_t callpath, size_t bytes)
{
    char *text = fm_cube_callpath_text(cube, callpath, "/");
    if (text == NULL || strlen(text) <= bytes)
        return text;
    uint32_t depth = 1;
    uint32_t root = callpath;
    for (; parent_of(cube, root) != FM_CUBE_NONE; root = parent_of(cube, root))
        depth++;
    size_t root_length = level_length(cube, root);
    size_t used = root_length + 1 + strlen(any);
    size_t end = 0; /* bytes of the last levels */
    uint32_t wanted = distinct_levels(cube, callpath);
    uint32_t levels = 0;
    for (uint32_t i = callpath; i != root; i = parent_of(cube, i)) {
        size_t more = level_length(cube, i) + (levels > 0);
        if (levels >= wanted && used + end + more > bytes)
            break;
        end += more;
        levels++;
    }
    if (levels + 1 >= depth)
        return text;
    char *result = malloc(used + end + 1);
    if (result != NULL)
        sprintf(result, "%.*s/%s%s", (int)root_length, text, any, text + strlen(text) - end);
    free(text);
    return result;
}

bool fm_callpath_fits(const char *text, const char *pattern)
{
    for (;;) {
        const char *gap = strstr(pattern, "/.../");
        if (strncmp(pattern, any, strlen(any)) == 0) {
            pattern += strlen(any);
            for (; text != NULL; text = strchr(text, '/'), text += text != NULL) {
                if (fm_callpath_fits(text, pattern))
                    return true;
            }
            return false;
        }
        if (gap == NULL)
            return strcmp(text, pattern) == 0;
        size_t length = (size_t)(gap + 1 - pattern);
        if (strncmp(text, pattern, length) != 0)
            return false;
        text += length;
        pattern += length;
    }
}

uint32_t fm_cube_match_callpaths(const struct fm_cube *cube, const char *pattern, uint32_t *first)
{
    uint32_t count = 0;
    *first = FM_CUBE_NONE;
    pattern += *pattern == '/';
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        /* A match contains the last name; this test avoids most of the slower full ones. */
        if (strstr(pattern, fm_cube_callpath_region(cube, i)) == NULL)
            continue;
        char *text = fm_cube_callpath_text(cube, i, "/");
        if (text != NULL && fm_callpath_fits(text, pattern) && count++ == 0)
            *first = i;
        free(text);
    }
    return count;
}
