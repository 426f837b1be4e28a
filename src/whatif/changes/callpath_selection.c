/* SPDX-License-Identifier: BSD-3-Clause */
#include "whatif/changes/callpath_selection.h"

#include "base/memory.h"
#include "cube/view/callpath_pattern.h"

#include <stdio.h>
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

/* @return whether the caller of a node calls its function in other lines, too */
static bool has_other_sites(const struct fm_trace *trace, size_t node)
{
    const struct fm_callpath *own = &trace->callpaths.items[node];
    for (size_t i = 0; i < trace->callpaths.count; i++) {
        const struct fm_callpath *other = &trace->callpaths.items[i];
        if (i != node && other->parent == own->parent && other->region == own->region &&
            other->kind == own->kind) {
            return true;
        }
    }
    return false;
}

/* @return as name_nodes(), with the line of the call where reports have it
 * (fm_cube_callpath_place()); NULL if the trace was not read with call sites */
static char **name_nodes_with_sites(const struct fm_trace *trace, char **names)
{
    char **with_sites =
        trace->with_callsites ? fm_allocate(trace->callpaths.count, sizeof *with_sites) : NULL;
    for (size_t i = 0; with_sites != NULL && i < trace->callpaths.count; i++) {
        const struct fm_callpath *node = &trace->callpaths.items[i];
        const bool has_site = node->kind == FM_CALLPATH_REGION && node->line != FM_NONE;
        int length = 0;
        if (!has_site || !has_other_sites(trace, i)) {
            with_sites[i] = strdup(names[i]);
        } else {
            const struct fm_source_line *line = &trace->lines[node->line];
            const char *slash = strrchr(line->file, '/');
            const char *file = slash == NULL ? line->file : slash + 1;
            length = line->line == 0
                         ? asprintf(&with_sites[i], "%s@%s", names[i], file)
                         : asprintf(&with_sites[i], "%s@%s:%u", names[i], file, line->line);
        }
        if (length < 0 || with_sites[i] == NULL) {
            fm_memory_exhausted();
        }
    }
    return with_sites;
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
    for (size_t i = 0; names != NULL && i < trace->callpaths.count; i++) {
        free(names[i]);
    }
    fm_free(names);
}

char *fm_callpath_where(const struct fm_trace *trace, uint32_t node)
{
    char **names = name_nodes(trace);
    char **with_sites = name_nodes_with_sites(trace, names);
    char *path = path_of(trace, with_sites != NULL ? with_sites : names, node);
    free_names(trace, with_sites);
    free_names(trace, names);
    return path;
}

/* @return whether a node is what is wanted, by its name or its call path */
static bool matches(const struct fm_trace *trace, char **names, uint32_t node, const char *where)
{
    bool is_wanted = names != NULL && strcmp(names[node], where) == 0;
    if (names != NULL && !is_wanted && strchr(where, '/') != NULL &&
        strstr(where, names[node]) != NULL) {
        char *path = path_of(trace, names, node);
        is_wanted = fm_callpath_fits(path, where + (*where == '/'));
        fm_free(path);
    }
    return is_wanted;
}

uint32_t fm_callpaths_select(const struct fm_trace *trace, const char *text, uint8_t **selected)
{
    uint32_t count = 0;
    const size_t length = strlen(text);
    const bool is_alone = length > 2 && strcmp(text + length - 2, "/.") == 0;
    const unsigned within = is_alone ? FM_SELECTED_WITHIN | FM_SELECTED_ALONE : FM_SELECTED_WITHIN;
    char *where = fm_copy_string(text);
    char **names = name_nodes(trace);
    char **with_sites = name_nodes_with_sites(trace, names);
    where[is_alone ? length - 2 : length] = '\0';
    *selected = fm_allocate(trace->callpaths.count, sizeof **selected);
    for (uint32_t i = 0; i < trace->callpaths.count; i++) {
        const uint32_t parent = trace->callpaths.items[i].parent;
        const bool matched =
            matches(trace, names, i, where) || matches(trace, with_sites, i, where);
        count += matched;
        const uint32_t function = fm_trace_function_of(trace, i);
        const bool is_part =
            is_alone && function != i && (*selected)[function] & FM_SELECTED_ITSELF;
        (*selected)[i] = (uint8_t)(matched || is_part  ? FM_SELECTED_ITSELF | within
                                   : parent == FM_NONE ? 0
                                                       : (*selected)[parent] & within);
    }
    fm_free(where);
    free_names(trace, with_sites);
    free_names(trace, names);
    return count;
}
