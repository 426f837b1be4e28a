/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/tiles/tile_events.h"

#include "base/containers/search.h"
#include "base/memory.h"
#include "view/tiles/tile_cells.h"
#include "view/tiles/tile_teams.h"
#include "view/timeline/arrow_columns.h"
#include "view/timeline/segments.h"
#include "view/timeline/wait_columns.h"

#include <inttypes.h>

/** Approximate number of calls of a tile. */
#define CALLS_PER_TILE 8192U

/* ---- which tiles ---- */

static uint32_t end_of_band(const struct fm_trace *trace, uint32_t band)
{
    uint64_t end = ((uint64_t)band + 1) * FM_TILE_ROWS;
    return end < trace->location_count ? (uint32_t)end : trace->location_count;
}

/** @return the number of calls of a band that begin before `time` (since the begin of the run). */
static uint64_t calls_before(const struct fm_event_tiles *tiles, const struct fm_trace *trace,
                             uint32_t band, uint64_t time)
{
    uint64_t calls = 0;
    for (uint32_t i = band * FM_TILE_ROWS; i < end_of_band(trace, band); i++)
        calls += fm_count_below(trace->locations[i].enter.items, trace->locations[i].enter.count,
                                sizeof(uint64_t), tiles->begin + time);
    return calls;
}

/** @return the earliest time before which at least `calls` calls begin. */
static uint64_t time_of_calls(const struct fm_event_tiles *tiles, const struct fm_trace *trace,
                              uint32_t band, uint64_t calls)
{
    uint64_t low = 0, high = tiles->length;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (calls_before(tiles, trace, band, middle) < calls)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void choose(struct fm_event_tiles *tiles, const struct fm_trace *trace, uint32_t band)
{
    uint64_t all = calls_before(tiles, trace, band, tiles->length + 1);
    uint64_t count = (all + CALLS_PER_TILE - 1) / CALLS_PER_TILE, before = 0;
    fm_vector_push(&tiles->from, 0);
    for (uint64_t i = 1; i < count; i++) {
        uint64_t from = time_of_calls(tiles, trace, band, i * all / count);
        if (from <= tiles->from.items[tiles->from.count - 1] || from >= tiles->length)
            continue; /* many calls begin at the same time */
        uint64_t calls = calls_before(tiles, trace, band, from);
        fm_vector_push(&tiles->calls, calls - before);
        fm_vector_push(&tiles->from, from);
        before = calls;
    }
    fm_vector_push(&tiles->calls, all - before);
}

void fm_event_tiles_choose(struct fm_event_tiles *tiles, const struct fm_detail *detail,
                           uint64_t begin, uint64_t length)
{
    const struct fm_trace *trace = detail->trace;
    *tiles = (struct fm_event_tiles){.begin = begin, .length = length};
    tiles->band_count = (trace->location_count + FM_TILE_ROWS - 1) / FM_TILE_ROWS;
    for (uint32_t band = 0; band < tiles->band_count; band++) {
        fm_vector_push(&tiles->first, tiles->from.count);
        choose(tiles, trace, band);
    }
    fm_vector_push(&tiles->first, tiles->from.count);
}

void fm_event_tiles_free(struct fm_event_tiles *tiles)
{
    fm_vector_free(&tiles->first);
    fm_vector_free(&tiles->from);
    fm_vector_free(&tiles->calls);
}

/* ---- arrows by tile ---- */

struct arrow {
    uint64_t since, until;
    uint64_t bytes;
    uint32_t tail, head;
    uint32_t kind;
};

struct arrows {
    const struct fm_event_tiles *tiles;
    FM_VECTOR(struct arrow) items;
    size_t *first;   /* [tile + 1]: begin of its range in `order` */
    uint32_t *order; /* arrow numbers, by tile */
};

static size_t tile_at(const struct fm_event_tiles *tiles, uint32_t location, uint64_t time)
{
    uint32_t band = location / FM_TILE_ROWS;
    size_t low = tiles->first.items[band], high = tiles->first.items[band + 1];
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (tiles->begin + tiles->from.items[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void keep_arrow(struct arrows *arrows, uint32_t kind, const struct fm_arrow_end *tail,
                       const struct fm_arrow_end *head, uint64_t bytes)
{
    if (head->time >= tail->time)
        fm_vector_push(&arrows->items, (struct arrow){tail->time, head->time, bytes, tail->location,
                                                      head->location, kind});
}

static void keep_lock(void *context, const struct fm_arrow_end *tail,
                      const struct fm_arrow_end *head)
{
    keep_arrow(context, FM_ARROW_LOCK, tail, head, 0);
}

/** Counts the arrows of each tile; with `order`, stores their numbers there. */
static void distribute(struct arrows *arrows, size_t *next, uint32_t *order)
{
    for (size_t i = 0; i < arrows->items.count; i++) {
        const struct arrow *arrow = &arrows->items.items[i];
        size_t tail = tile_at(arrows->tiles, arrow->tail, arrow->since);
        size_t head = tile_at(arrows->tiles, arrow->head, arrow->until);
        for (unsigned end = 0; end < 2; end++) {
            size_t tile = end == 0 ? tail : head;
            if (end == 1 && head == tail)
                continue;
            if (order != NULL)
                order[next[tile]] = (uint32_t)i;
            next[tile]++;
        }
    }
}

static void collect_arrows(struct arrows *arrows, const struct fm_detail *detail)
{
    fm_arrows all = fm_arrows_collect(detail, 0, UINT64_MAX);
    for (size_t i = 0; i < all.count; i++) {
        const struct fm_arrow *arrow = &all.items[i];
        if (arrow->kind != FM_ARROW_CAUSE) /* the columns of wait states contain the causes */
            keep_arrow(arrows, arrow->kind, &arrow->tail, &arrow->head, arrow->bytes);
    }
    fm_vector_free(&all);
    for (uint32_t i = 0; i < detail->trace->location_count; i++)
        fm_lock_arrows(detail->trace, i, keep_lock, arrows);
    size_t tile_count = arrows->tiles->from.count, sum = 0;
    size_t *next = fm_allocate(tile_count + 1, sizeof *next);
    arrows->first = fm_allocate(tile_count + 1, sizeof *arrows->first);
    distribute(arrows, next, NULL);
    for (size_t i = 0; i <= tile_count; i++) {
        arrows->first[i] = sum;
        sum += next[i];
        next[i] = arrows->first[i];
    }
    arrows->order = fm_allocate(sum, sizeof *arrows->order);
    distribute(arrows, next, arrows->order);
    fm_free(next);
}

static void free_arrows(struct arrows *arrows)
{
    fm_vector_free(&arrows->items);
    fm_free(arrows->first);
    fm_free(arrows->order);
}

/* ---- the tiles of a band ---- */

/** The state of a location between one tile and the next. */
struct lane {
    struct fm_segments segments;
    size_t wait; /* first wait state that may not have ended */
};

struct band {
    const struct fm_event_tiles *tiles;
    const struct fm_detail *detail;
    const struct arrows *arrows;
    uint32_t first, count; /* first location and number of locations */
    struct lane *lanes;
    struct fm_tile_teams teams;
};

static void add_segments(struct fm_bundle *bundle, struct band *band, uint64_t until, bool is_last)
{
    struct fm_segment_columns columns = {0};
    for (uint32_t i = 0; i < band->count; i++) {
        struct fm_segments *segments = &band->lanes[i].segments;
        if (is_last)
            fm_segments_finish(segments);
        else
            fm_segments_make(segments, until);
        fm_segment_columns_add(&columns, segments, band->tiles->begin, until, 0, band->first + i);
        fm_segments_take(segments, until);
    }
    fm_segment_columns_move(bundle, &columns);
}

static void add_waits(struct fm_bundle *bundle, struct band *band, uint64_t from, uint64_t to)
{
    struct fm_wait_columns columns = {0};
    for (uint32_t i = 0; i < band->count; i++) {
        uint32_t where = band->first + i;
        const struct fm_findings *findings = &band->detail->findings[where];
        const struct fm_location *location = &band->detail->trace->locations[where];
        size_t *first = &band->lanes[i].wait;
        for (size_t k = *first; k < findings->waits.count; k++) {
            const struct fm_candidate *wait = &findings->candidates.items[findings->waits.items[k]];
            if (fm_trace_begin(location, wait->activity) > to)
                break;
            if (wait->t >= from)
                fm_wait_columns_add(&columns, band->detail->trace, band->tiles->begin, 0, where,
                                    wait);
            else
                *first += k == *first;
        }
    }
    fm_wait_columns_move(bundle, &columns);
}

static void add_arrows(struct fm_bundle *bundle, const struct band *band, size_t tile)
{
    const struct arrows *arrows = band->arrows;
    struct fm_arrow_columns columns = {0};
    for (size_t i = arrows->first[tile]; i < arrows->first[tile + 1]; i++) {
        const struct arrow *arrow = &arrows->items.items[arrows->order[i]];
        const struct fm_arrow_end tail = {arrow->tail, FM_NONE, arrow->since};
        const struct fm_arrow_end head = {arrow->head, FM_NONE, arrow->until};
        fm_arrow_columns_add(&columns, band->tiles->begin, 0, arrow->kind, &tail, &head,
                             arrow->bytes);
    }
    fm_arrow_columns_move(bundle, &columns);
}

/** Describes the tile as the only time window of a timeline; the window ends at `to`. */
static void put_json(struct fm_json *json, const struct fm_event_tiles *tiles, size_t tile,
                     uint64_t to)
{
    fm_json_unsigned(json, "version", 1);
    fm_json_unsigned(json, "length", tiles->length);
    fm_json_unsigned(json, "calls", tiles->calls.items[tile]);
    fm_json_array(json, "windows");
    fm_json_object(json, NULL);
    fm_json_unsigned(json, "from", tiles->from.items[tile]);
    fm_json_unsigned(json, "to", to);
    fm_json_null(json, "metric");
    fm_json_null(json, "location");
    fm_json_null(json, "enter");
    fm_json_end(json);
    fm_json_end(json);
}

static fm_status_t make_tile(struct band *band, size_t tile, bool is_last, fm_tile_sink *sink,
                             void *context, struct fm_error *error)
{
    const struct fm_event_tiles *tiles = band->tiles;
    uint64_t from = tiles->from.items[tile];
    uint64_t to = is_last ? tiles->length : tiles->from.items[tile + 1];
    struct fm_bundle *bundle = fm_bundle_create();
    put_json(fm_bundle_json(bundle), tiles, tile, to);
    add_segments(bundle, band, tiles->begin + to, is_last);
    add_waits(bundle, band, tiles->begin + from, tiles->begin + to);
    add_arrows(bundle, band, tile);
    fm_tile_teams_add(&band->teams, bundle, tiles->begin, tiles->begin + from, tiles->begin + to);
    unsigned char *bytes;
    size_t size;
    fm_status_t status = fm_bundle_finish(bundle, &bytes, &size, error);
    if (status == FM_OK) {
        sink(context, tile, bytes, size);
        fm_free(bytes);
    }
    fm_bundle_free(bundle);
    return status;
}

static fm_status_t make_band(struct band *band, const struct fm_team_frames *frames,
                             uint32_t number, fm_tile_sink *sink, void *context,
                             struct fm_error *error)
{
    const struct fm_event_tiles *tiles = band->tiles;
    const struct fm_trace *trace = band->detail->trace;
    fm_status_t status = FM_OK;
    band->first = number * FM_TILE_ROWS;
    band->count = end_of_band(trace, number) - band->first;
    band->lanes = fm_allocate(band->count, sizeof *band->lanes);
    for (uint32_t i = 0; i < band->count; i++)
        fm_segments_open(&band->lanes[i].segments, &trace->locations[band->first + i], tiles->begin,
                         tiles->begin + tiles->length);
    fm_tile_teams_open(&band->teams, frames, band->first, band->count);
    size_t end = tiles->first.items[number + 1];
    for (size_t tile = tiles->first.items[number]; tile < end && status == FM_OK; tile++)
        status = make_tile(band, tile, tile + 1 == end, sink, context, error);
    for (uint32_t i = 0; i < band->count; i++)
        fm_segments_close(&band->lanes[i].segments);
    fm_tile_teams_close(&band->teams);
    fm_free(band->lanes);
    return status;
}

fm_status_t fm_event_tiles_make(const struct fm_event_tiles *tiles, const struct fm_detail *detail,
                                fm_tile_sink *sink, void *context, struct fm_error *error)
{
    struct arrows arrows = {.tiles = tiles};
    collect_arrows(&arrows, detail);
    struct fm_team_frames frames = fm_team_frames_collect(detail->trace);
    struct band band = {.tiles = tiles, .detail = detail, .arrows = &arrows};
    fm_status_t status = FM_OK;
    for (uint32_t i = 0; i < tiles->band_count && status == FM_OK; i++)
        status = make_band(&band, &frames, i, sink, context, error);
    fm_team_frames_free(&frames);
    free_arrows(&arrows);
    return status;
}
