/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/timeline/segments.h"

#include <string.h>

/** Sets the innermost span from `time` on. */
static void change(struct fm_segments *segments, uint64_t time, bool opens)
{
    const struct fm_segment_span *top =
        segments->open.count == 0 ? NULL : &segments->open.items[segments->open.count - 1];
    if (segments->items.count > 0 && segments->items.items[segments->items.count - 1].since == time)
        segments->items.count--; /* the last segment has length 0 */
    struct fm_segment segment = {.since = time};
    if (top != NULL) {
        segment.callpath = top->callpath + 1;
        if (top->is_call)
            segment.kind = opens ? FM_SEGMENT_CALL_BEGINS : FM_SEGMENT_CALL_GOES_ON;
    }
    fm_vector_push(&segments->items, segment);
}

static void open_span(void *context, uint64_t time, uint32_t visit, uint32_t activity)
{
    struct fm_segments *segments = context;
    uint32_t callpath = segments->walk.location->profile.items[visit].callpath;
    fm_vector_push(&segments->open, (struct fm_segment_span){callpath, activity != FM_NONE});
    change(segments, time, true);
}

static void close_span(void *context, uint64_t time)
{
    struct fm_segments *segments = context;
    segments->open.count--;
    change(segments, time, false);
}

void fm_segments_open(struct fm_segments *segments, const struct fm_location *location,
                      uint64_t from, uint64_t to)
{
    memset(segments, 0, sizeof *segments);
    segments->sink = (struct fm_span_sink){open_span, close_span, segments};
    fm_spans_begin(&segments->walk, location, from, to, &segments->sink);
}

void fm_segments_make(struct fm_segments *segments, uint64_t until)
{
    fm_spans_advance(&segments->walk, until);
}

void fm_segments_finish(struct fm_segments *segments)
{
    fm_spans_end(&segments->walk);
}

void fm_segments_take(struct fm_segments *segments, uint64_t until)
{
    struct fm_segment *items = segments->items.items;
    size_t kept = 0;
    while (kept + 1 < segments->items.count && items[kept + 1].since <= until)
        kept++;
    if (segments->items.count == 0)
        return;
    memmove(items, items + kept, (segments->items.count - kept) * sizeof *items);
    segments->items.count -= kept;
    if (items[0].since < until)
        items[0].since = until;
}

void fm_segments_close(struct fm_segments *segments)
{
    fm_vector_free(&segments->walk.open);
    fm_vector_free(&segments->walk.path);
    fm_vector_free(&segments->open);
    fm_vector_free(&segments->items);
}

static void push(struct fm_segment_columns *columns, uint64_t since, uint32_t callpath,
                 uint32_t kind)
{
    fm_vector_push(&columns->since, since);
    fm_vector_push(&columns->callpath, callpath);
    fm_vector_push(&columns->kind, kind);
}

void fm_segment_columns_add(struct fm_segment_columns *columns, const struct fm_segments *segments,
                            uint64_t begin, uint64_t until, uint64_t window, uint32_t location)
{
    size_t first = columns->since.count, count = segments->items.count;
    for (size_t i = 0; i < count; i++) {
        const struct fm_segment *segment = &segments->items.items[i];
        if (segment->since >= until && i > 0) {
            push(columns, until - begin, 0, FM_SEGMENT_NO_CALL);
            break;
        }
        push(columns, segment->since - begin, segment->callpath, segment->kind);
        if (i + 1 == count && segment->callpath != 0)
            push(columns, until - begin, 0, FM_SEGMENT_NO_CALL);
    }
    fm_vector_push(&columns->window, window);
    fm_vector_push(&columns->location, location);
    fm_vector_push(&columns->count, columns->since.count - first);
}

void fm_segment_columns_move(struct fm_bundle *bundle, struct fm_segment_columns *columns)
{
    fm_column_move(bundle, "lane_window", &columns->window, true);
    fm_column_move(bundle, "lane_location", &columns->location, true);
    fm_column_move(bundle, "lane_count", &columns->count, false);
    fm_column_move(bundle, "segment_since", &columns->since, true);
    fm_column_move(bundle, "segment_callpath", &columns->callpath, false);
    fm_column_move(bundle, "segment_kind", &columns->kind, false);
}
