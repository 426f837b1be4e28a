/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/window_names.h"

#include "engine/team/team.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Where a window was created. */
struct creation {
    uint32_t window;
    uint32_t region;
    uint32_t line; /* of the trace's lines; FM_NONE: not known */
};

typedef FM_VECTOR(struct creation) creation_vector;

static bool has_name(const struct fm_window *window)
{
    return window->name != NULL && window->name[0] != '\0';
}

/* Adds the creations of windows without a name by a location, unless they are known.
 * @param is_known  [window] */
static void add_creations(const struct fm_trace *trace, const struct fm_location *location,
                          bool *is_known, creation_vector *found)
{
    if (!fm_location_calls(trace, location, FM_CALL_WINDOW_CREATE)) {
        return;
    }
    for (size_t r = 0; r < location->rma.count; r++) {
        const struct fm_rma *row = &location->rma.items[r];
        if (row->type != FM_RMA_COLLECTIVE || row->window >= trace->window_count ||
            is_known[row->window] ||
            fm_trace_called(trace, location, row->activity)->call != FM_CALL_WINDOW_CREATE) {
            continue;
        }
        const struct fm_visit_profile *visit =
            &location->profile.items[location->visit.items[row->activity]];
        is_known[row->window] = true;
        fm_vector_push(found, ((struct creation){row->window, visit->region, visit->line}));
    }
}

static void name_window(struct fm_trace *trace, const struct creation *creation)
{
    struct fm_window *window = &trace->windows[creation->window];
    const char *function = trace->regions[creation->region].name;
    char name[256];
    if (has_name(window)) {
        return; /* by a process of the analysis before */
    }
    if (creation->line < trace->line_count) {
        const struct fm_source_line *line = &trace->lines[creation->line];
        const char *file = strrchr(line->file, '/');
        snprintf(name, sizeof name, "window %" PRIu32 " (%s, %s:%" PRIu32 ")", creation->window,
                 function, file == NULL ? line->file : file + 1, line->line);
    } else {
        snprintf(name, sizeof name, "window %" PRIu32 " (%s)", creation->window, function);
    }
    fm_free(window->name);
    window->name = fm_copy_string(name);
}

void fm_window_names_complete(struct fm_engine *engine, struct fm_trace *trace)
{
    creation_vector own = {0}, all = {0};
    bool *is_known = fm_allocate(trace->window_count, sizeof *is_known);
    uint32_t first, last, unknown = 0;
    fm_engine_own(engine, &first, &last);
    for (uint32_t w = 0; w < trace->window_count; w++) {
        is_known[w] = has_name(&trace->windows[w]);
        unknown += !is_known[w];
    }
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last) && own.count < unknown; l++) {
        add_creations(trace, &trace->locations[l], is_known, &own);
    }
    if (unknown != 0) {
        fm_team_share_vector(fm_engine_team(engine), &own, &all);
        for (size_t i = 0; i < all.count; i++) {
            name_window(trace, &all.items[i]);
        }
    }
    fm_vector_free(&own);
    fm_vector_free(&all);
    fm_free(is_known);
}
