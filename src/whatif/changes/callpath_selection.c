/* SPDX-License-Identifier: BSD-3-Clause */
#include "whatif/changes/callpath_selection.h"

#include "base/memory.h"
#include "cube/view/callpath_pattern.h"

#include <stdlib.h>
#include <string.h>

static char **name_nodes(const struct fm_trace *trace)
{
    char **names = fm_allocate(trace->callpaths.count, sizeof *names);
    for (size_t i = 0; i < trace->callpaths.count; i++) {
        names[i] = fm_trace_callpath_name(trace, &trace->callpaths.items[i]);
        if (names[i] == NULL) {
            fm_memory_exhausted();
        }
    }
    return names;
}

/* @return the names from the root to a node, to be freed with fm_free() */
static char *path_of(const struct fm_trace *trace, char **names, uint32_t node)
{
    size_t length = 0;
    for (uint32_t i = node; i != FM_NONE; i = trace->callpaths.items[i].parent) {
        length += strlen(names[i]) + 1;
    }
    char *path = fm_allocate(length, 1);
    for (uint32_t i = node; i != FM_NONE; i = trace->callpaths.items[i].parent) {
        const size_t name_length = strlen(names[i]);
        length -= name_length + 1;
        memcpy(path + length, names[i], name_length);
        if (i != node) {
            path[length + name_length] = '/';
        }
    }
    return path;
}

static void free_names(const struct fm_trace *trace, char **names)
{
    for (size_t i = 0; i < trace->callpaths.count; i++) {
        free(names[i]);
    }
    fm_free(names);
}

char *fm_callpath_where(const struct fm_trace *trace, uint32_t node)
{
    char **names = name_nodes(trace);
    char *path = path_of(trace, names, node);
    free_names(trace, names);
    return path;
}

uint32_t fm_callpaths_select(const struct fm_trace *trace, const char *text, uint8_t **selected)
{
    uint32_t matches = 0;
    const size_t length = strlen(text);
    const bool is_alone = length > 2 && strcmp(text + length - 2, "/.") == 0;
    const unsigned within = is_alone ? FM_SELECTED_WITHIN | FM_SELECTED_ALONE : FM_SELECTED_WITHIN;
    char *where = fm_copy_string(text);
    char **names = name_nodes(trace);
    where[is_alone ? length - 2 : length] = '\0';
    *selected = fm_allocate(trace->callpaths.count, sizeof **selected);
    for (uint32_t i = 0; i < trace->callpaths.count; i++) {
        const uint32_t parent = trace->callpaths.items[i].parent;
        bool matched = strcmp(names[i], where) == 0;
        if (!matched && strchr(where, '/') != NULL && strstr(where, names[i]) != NULL) {
            char *path = path_of(trace, names, i);
            matched = fm_callpath_fits(path, where + (*where == '/'));
            fm_free(path);
        }
        matches += matched;
        const uint32_t function = fm_trace_function_of(trace, i);
        const bool is_part =
            is_alone && function != i && (*selected)[function] & FM_SELECTED_ITSELF;
        (*selected)[i] = (uint8_t)(matched || is_part  ? FM_SELECTED_ITSELF | within
                                   : parent == FM_NONE ? 0
                                                       : (*selected)[parent] & within);
    }
    fm_free(where);
    free_names(trace, names);
    return matches;
}
