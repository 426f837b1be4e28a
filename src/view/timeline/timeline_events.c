/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/timeline/timeline_events.h"

#include "view/timeline/arrow_columns.h"
#include "view/timeline/segments.h"
#include "view/timeline/team_columns.h"
#include "view/timeline/wait_columns.h"

static void add_segments(struct fm_bundle *bundle, const struct fm_trace *trace, uint64_t begin,
                         const fm_timeline_windows *windows)
{
    struct fm_segment_columns columns = {0};
    for (size_t w = 0; w < windows->count; w++) {
        const struct fm_timeline_window *window = &windows->items[w];
        for (size_t i = 0; i < window->locations.count; i++) {
            uint32_t location = window->locations.items[i];
            struct fm_segments segments;
            fm_segments_open(&segments, &trace->locations[location], begin + window->from,
                             begin + window->to);
            fm_segments_finish(&segments);
            fm_segment_columns_add(&columns, &segments, begin, begin + window->to, w, location);
            fm_segments_close(&segments);
        }
    }
    fm_segment_columns_move(bundle, &columns);
}

static void add_waits(struct fm_bundle *bundle, const struct fm_detail *detail, uint64_t begin,
                      const fm_timeline_windows *windows)
{
    struct fm_wait_columns columns = {0};
    for (size_t w = 0; w < windows->count; w++) {
        const struct fm_timeline_window *window = &windows->items[w];
        for (size_t i = 0; i < window->locations.count; i++) {
            uint32_t where = window->locations.items[i];
            const struct fm_findings *findings = &detail->findings[where];
            const struct fm_location *location = &detail->trace->locations[where];
            for (size_t k = 0; k < findings->waits.count; k++) {
                const struct fm_candidate *wait =
                    &findings->candidates.items[findings->waits.items[k]];
                if (fm_trace_begin(location, wait->activity) <= begin + window->to &&
                    wait->t >= begin + window->from)
                    fm_wait_columns_add(&columns, detail->trace, begin, w, where, wait);
            }
        }
    }
    fm_wait_columns_move(bundle, &columns);
}

struct arrows {
    struct fm_arrow_columns columns;
    const struct fm_timeline_window *window;
    size_t number; /* number of the window */
    uint64_t begin;
};

/** Adds an arrow that lies in the window with both ends. */
static void add_arrow(struct arrows *arrows, unsigned kind, const struct fm_arrow_end *tail,
                      const struct fm_arrow_end *head, uint64_t bytes)
{
    const struct fm_timeline_window *window = arrows->window;
    if (head->time >= tail->time && tail->time >= arrows->begin + window->from &&
        head->time <= arrows->begin + window->to &&
        fm_timeline_window_has(window, tail->location) &&
        fm_timeline_window_has(window, head->location))
        fm_arrow_columns_add(&arrows->columns, arrows->begin, arrows->number, kind, tail, head,
                             bytes);
}

static void add_lock(void *context, const struct fm_arrow_end *tail,
                     const struct fm_arrow_end *head)
{
    add_arrow(context, FM_ARROW_LOCK, tail, head, 0);
}

static void add_arrows(struct fm_bundle *bundle, const struct fm_detail *detail, uint64_t begin,
                       const fm_timeline_windows *windows)
{
    struct arrows arrows = {.begin = begin};
    fm_arrows all = fm_arrows_collect(detail, 0, UINT64_MAX);
    for (size_t w = 0; w < windows->count; w++) {
        const struct fm_timeline_window *window = &windows->items[w];
        arrows.window = window;
        arrows.number = w;
        for (size_t i = 0; i < all.count; i++) {
            const struct fm_arrow *arrow = &all.items[i];
            if (arrow->kind != FM_ARROW_CAUSE) /* the columns of wait states contain the causes */
                add_arrow(&arrows, arrow->kind, &arrow->tail, &arrow->head, arrow->bytes);
        }
        for (size_t i = 0; i < window->locations.count; i++)
            fm_lock_arrows(detail->trace, window->locations.items[i], add_lock, &arrows);
    }
    fm_vector_free(&all);
    fm_arrow_columns_move(bundle, &arrows.columns);
}

static bool has_member(const struct fm_timeline_window *window, const struct fm_team_frames *frames,
                       const struct fm_team_frame *team)
{
    for (uint32_t i = 0; i < team->count; i++) {
        if (fm_timeline_window_has(window, frames->members.items[team->first + i]))
            return true;
    }
    return false;
}

static void add_teams(struct fm_bundle *bundle, const struct fm_trace *trace, uint64_t begin,
                      const fm_timeline_windows *windows)
{
    struct fm_team_columns columns = {0};
    struct fm_team_frames frames = fm_team_frames_collect(trace);
    for (size_t w = 0; w < windows->count; w++) {
        const struct fm_timeline_window *window = &windows->items[w];
        for (size_t i = 0; i < frames.frames.count; i++) {
            const struct fm_team_frame *team = &frames.frames.items[i];
            if (team->since <= begin + window->to && team->until >= begin + window->from &&
                has_member(window, &frames, team))
                fm_team_columns_add(&columns, begin, w, &frames, i);
        }
    }
    fm_team_frames_free(&frames);
    fm_team_columns_move(bundle, &columns);
}

void fm_timeline_events_add(struct fm_bundle *bundle, const struct fm_detail *detail,
                            uint64_t begin, const fm_timeline_windows *windows)
{
    add_segments(bundle, detail->trace, begin, windows);
    add_waits(bundle, detail, begin, windows);
    add_arrows(bundle, detail, begin, windows);
    add_teams(bundle, detail->trace, begin, windows);
}
