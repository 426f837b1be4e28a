/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/conversion/paths/path_stack.h"

#include <stdlib.h>

bool fm_path_pop(struct fm_path *path, uint32_t kept, bool cut)
{
    if (kept > path->site_count) {
        return false;
    }
    fm_path_note_moved(path, kept);
    path->site_count = kept;
    path->settled = path->settled < kept ? path->settled : kept;
    path->due = true;
    path->cut = cut;
    return true;
}

bool fm_path_push(struct fm_path *path, uint32_t site)
{
    if (path->site_count == path->site_room) {
        size_t room = path->site_room != 0 ? 2 * path->site_room : 64;
        uint32_t *sites = realloc(path->sites, room * sizeof *sites);
        if (sites == NULL) {
            return false;
        }
        path->sites = sites;
        path->site_room = room;
    }
    if (!path->due && path->settled > 0) {
        path->settled--; /* fm_path_move has replaced fm_path_pop, which does this */
    }
    path->sites[path->site_count++] = site;
    path->due = true;
    return true;
}

bool fm_path_is_ahead(const struct fm_path *path, const struct fm_callsites *sites)
{
    uint32_t levels, levels_before;
    size_t function = path->moved - 1;
    if (path->moved == 0 || function >= path->site_count || sites->addresses == NULL ||
        path->sites[function] >= sites->count || path->site_before >= sites->count) {
        return false;
    }
    uint32_t site = path->sites[function];
    const struct fm_callsite_frame *now = fm_callsite_frames(sites, site, &levels);
    const struct fm_callsite_frame *before =
        fm_callsite_frames(sites, path->site_before, &levels_before);
    return levels != 0 && levels_before != 0 && now->region == before->region &&
           sites->addresses[site] > sites->addresses[path->site_before];
}

/* The frame that calls the first frame of a function of the stack; NULL: there is none. */
static const struct fm_callsite_frame *
caller_of(const struct fm_path *path, const struct fm_callsites *sites, uint32_t function)
{
    while (function-- > 0) {
        uint32_t levels;
        const struct fm_callsite_frame *frames =
            fm_callsite_frames(sites, path->sites[function], &levels);
        if (levels != 0) {
            return &frames[levels - 1];
        }
    }
    return NULL;
}

uint32_t fm_path_line_of(const struct fm_path *path, const struct fm_callsites *sites, size_t count)
{
    while (count-- > 0) {
        uint32_t levels;
        const struct fm_callsite_frame *frames =
            fm_callsite_frames(sites, path->sites[count], &levels);
        while (levels-- > 0) {
            const struct fm_callsite_frame *caller =
                levels > 0 ? &frames[levels - 1] : caller_of(path, sites, (uint32_t)count);
            if (!fm_callsite_frame_is_inner(sites, caller, &frames[levels])) {
                return frames[levels].line;
            }
        }
    }
    return FM_DEFINE_NONE;
}

/* The function that certainly was called by the function outside number `function`, if the stack
 * contains another one there: it made a tail call to the function on the stack. */
static uint32_t gone_function(const struct fm_path *path, const struct fm_callsites *sites,
                              size_t function)
{
    uint32_t levels;
    uint32_t called =
        function > 0 ? fm_callsite_called(sites, path->sites[function - 1]) : FM_DEFINE_NONE;
    if (called != FM_DEFINE_NONE && function < path->site_count) {
        const struct fm_callsite_frame *frames =
            fm_callsite_frames(sites, path->sites[function], &levels);
        const bool is_inside =
            fm_callsite_is_inside_called(sites, path->sites[function - 1], path->sites[function]);
        return levels > 0 && frames[0].region != called && !is_inside ? called : FM_DEFINE_NONE;
    }
    return path->cut ? FM_DEFINE_NONE : called;
}

/* The region of the first frame of a function of the stack, by the name that its caller has for it.
 */
static uint32_t region_called(const struct fm_path *path, const struct fm_callsites *sites,
                              size_t function)
{
    uint32_t levels;
    const uint32_t called =
        function > 0 && fm_callsite_is_inside_called(sites, path->sites[function - 1],
                                                     path->sites[function])
            ? fm_callsite_called(sites, path->sites[function - 1])
            : FM_DEFINE_NONE;
    return called != FM_DEFINE_NONE
               ? called
               : fm_callsite_frames(sites, path->sites[function], &levels)->region;
}

uint32_t fm_path_line(const struct fm_path *path, const struct fm_callsites *sites)
{
    if (path->cut || path->hidden != 0 || path->site_count == 0) {
        return FM_DEFINE_NONE;
    }
    uint32_t site = path->sites[path->site_count - 1];
    bool is_gone = fm_callsite_called(sites, site) != FM_DEFINE_NONE;
    return is_gone ? FM_DEFINE_NONE : fm_path_line_of(path, sites, path->site_count);
}

uint32_t fm_path_levels(const struct fm_path *path, const struct fm_callsites *sites,
                        uint32_t function, struct fm_path_level levels[FM_PATH_LEVELS])
{
    uint32_t count = 0, frame_count = 0;
    const struct fm_callsite_frame *frames = NULL;
    uint32_t gone = gone_function(path, sites, function);
    uint32_t line = fm_path_line_of(path, sites, function);
    const struct fm_callsite_frame *caller = caller_of(path, sites, function);
    const struct fm_callsite_frame between = {
        .region = gone,
        .line = FM_DEFINE_NONE,
        .supports = gone != FM_DEFINE_NONE && sites->calls_support != NULL &&
                    sites->calls_support[path->sites[function - 1]],
        .library = gone != FM_DEFINE_NONE && sites->targets != NULL
                       ? sites->targets[path->sites[function - 1]].library
                       : 0};
    if (gone != FM_DEFINE_NONE) {
        if (!fm_callsite_frame_is_inner(sites, caller, &between)) {
            levels[count++] = (struct fm_path_level){gone, line};
            line = FM_DEFINE_NONE;
        }
        caller = &between;
    }
    if (function < path->site_count) {
        frames = fm_callsite_frames(sites, path->sites[function], &frame_count);
    }
    for (uint32_t i = 0; i < frame_count && count < FM_PATH_LEVELS; i++) {
        if (!fm_callsite_frame_is_inner(sites, caller, &frames[i])) {
            if (i > 0 || !fm_callsite_is_hidden(sites, path->sites[function])) {
                const uint32_t region =
                    i == 0 ? region_called(path, sites, function) : frames[i].region;
                levels[count++] = (struct fm_path_level){region, line};
            }
            line = frames[i].line;
        }
        caller = &frames[i];
    }
    return count;
}
