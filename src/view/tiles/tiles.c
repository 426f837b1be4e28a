/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/tiles/tiles.h"

#include "base/memory.h"
#include "view/bundle.h"
#include "view/tiles/tile_cells.h"
#include "view/tiles/tile_events.h"
#include "view/tiles/tile_store.h"
#include "view/timeline/counter_data.h"
#include "view/timeline/similar_locations.h"
#include "view/timeline/timeline_windows.h"

#include <inttypes.h>

/** Ratio of the locations in a row between a level and the next finer one. */
#define GROUP_FACTOR 4U

/** Maximum number of rows of the coarsest level; they fit on a screen. */
#define COARSE_ROWS 256U

/** Approximate calls of the finest tiles with cells; more detail is in tiles with single events. */
#define CALLS_PER_CELLS 65536U

/** Approximate number of values in the tile of a counter. */
#define VALUES_OF_COUNTER 250000U

/** Minimum depth of each level: 1,024 bins of the time. */
#define LEAST_DEPTH 2U
#define MOST_DEPTH  14U

#define MOST_LEVELS 8U

struct level {
    uint32_t group, bands;
    uint64_t first;
    unsigned depth;
};

struct maker {
    const struct fm_detail *detail;
    uint64_t begin, length, calls;
    struct fm_wait_kinds kinds;
    struct fm_clusters alike;
    struct level levels[MOST_LEVELS];
    unsigned level_count;
    struct level alike_level; /* rows of similar locations */
    uint64_t first_event;
    struct fm_event_tiles events;
    fm_counter_list counters;
    struct fm_tile_writer *writer;
    struct fm_cells cells[MOST_DEPTH + 1]; /* [depth] */
};

static uint64_t tiles_of_band(unsigned depth)
{
    return (UINT64_C(2) << depth) - 1;
}

static unsigned depth_for(const struct maker *maker, uint32_t bands)
{
    uint64_t calls = maker->calls / bands;
    unsigned depth = LEAST_DEPTH;
    while (depth < MOST_DEPTH && calls >> depth > CALLS_PER_CELLS)
        depth++;
    /* A cell is one tick long at least. */
    while (depth > 0 && maker->length >> depth < FM_TILE_BINS)
        depth--;
    return depth;
}

/** @return the number after the last tile of the level, whose first tile is `first`. */
static uint64_t set_level(const struct maker *maker, struct level *level, uint32_t rows,
                          uint64_t first)
{
    level->bands = (rows + FM_TILE_ROWS - 1) / FM_TILE_ROWS;
    level->first = first;
    level->depth = depth_for(maker, level->bands);
    return first + level->bands * tiles_of_band(level->depth);
}

static void choose_levels(struct maker *maker)
{
    uint32_t locations = maker->detail->trace->location_count, group = 1;
    uint64_t next = 0;
    for (; maker->level_count < MOST_LEVELS; group *= GROUP_FACTOR) {
        uint32_t rows = (locations + group - 1) / group;
        struct level *level = &maker->levels[maker->level_count++];
        level->group = group;
        next = set_level(maker, level, rows, next);
        if (rows <= COARSE_ROWS)
            break;
    }
    maker->first_event = set_level(maker, &maker->alike_level, maker->alike.count, next);
}

/** Writes the tile of a time window and the tiles of its parts; its ticks are left in
 * `cells[depth]`. */
static fm_status_t make_cells(struct maker *maker, const struct level *level, uint32_t number,
                              struct fm_cell_band *band, unsigned depth, uint64_t column,
                              struct fm_error *error)
{
    struct fm_cells *cells = &maker->cells[depth];
    fm_status_t status = FM_OK;
    if (depth == level->depth)
        fm_cells_measure(cells, band, depth, column);
    for (unsigned half = 0; half < 2 && depth < level->depth && status == FM_OK; half++) {
        status = make_cells(maker, level, number, band, depth + 1, 2 * column + half, error);
        fm_cells_halve(cells, &maker->cells[depth + 1], half, band);
    }
    if (status != FM_OK)
        return status;
    struct fm_bundle *bundle = fm_bundle_create();
    unsigned char *bytes;
    size_t size;
    fm_cells_add(bundle, cells, band, depth, column);
    status = fm_bundle_finish(bundle, &bytes, &size, error);
    fm_bundle_free(bundle);
    if (status == FM_OK) {
        uint64_t in_band = (UINT64_C(1) << depth) - 1 + column;
        fm_tile_writer_put(maker->writer,
                           level->first + number * tiles_of_band(level->depth) + in_band, bytes,
                           size);
        fm_free(bytes);
    }
    return status;
}

static fm_status_t make_level(struct maker *maker, const struct level *level,
                              struct fm_error *error)
{
    fm_status_t status = FM_OK;
    bool has_spread = level != &maker->alike_level && level->group > 1;
    for (unsigned i = 0; i <= level->depth && has_spread; i++)
        maker->cells[i].waiting =
            fm_allocate(fm_cells_waiting_count(level->group), sizeof(uint16_t));
    for (uint32_t i = 0; i < level->bands && status == FM_OK; i++) {
        struct fm_cell_band band = {.begin = maker->begin, .length = maker->length};
        if (level == &maker->alike_level)
            fm_cell_band_open_alike(&band, maker->detail, &maker->kinds, &maker->alike);
        else
            fm_cell_band_open(&band, maker->detail, &maker->kinds, i * FM_TILE_ROWS * level->group,
                              level->group);
        status = make_cells(maker, level, i, &band, 0, 0, error);
        fm_cell_band_close(&band);
    }
    for (unsigned i = 0; i <= level->depth && has_spread; i++) {
        fm_free(maker->cells[i].waiting);
        maker->cells[i].waiting = NULL;
    }
    return status;
}

static void put_event_tile(void *context, size_t tile, const void *bytes, size_t size)
{
    const struct maker *maker = context;
    fm_tile_writer_put(maker->writer, maker->first_event + tile, bytes, size);
}

static void put_json(const struct maker *maker, struct fm_json *json)
{
    fm_json_unsigned(json, "version", 1);
    fm_json_unsigned(json, "length", maker->length);
    fm_json_unsigned(json, "calls", maker->calls);
    fm_json_unsigned(json, "locations", maker->detail->trace->location_count);
    fm_json_unsigned(json, "rows", FM_TILE_ROWS);
    fm_json_unsigned(json, "bins", FM_TILE_BINS);
    fm_json_array(json, "waits");
    for (uint32_t i = 0; i < maker->kinds.count; i++) {
        fm_json_unsigned(json, NULL, maker->kinds.metrics[i]);
    }
    fm_json_end(json);
    fm_json_array(json, "levels");
    for (unsigned i = 0; i < maker->level_count; i++) {
        const struct level *level = &maker->levels[i];
        fm_json_object(json, NULL);
        fm_json_unsigned(json, "group", level->group);
        fm_json_unsigned(json, "first", level->first);
        fm_json_unsigned(json, "bands", level->bands);
        fm_json_unsigned(json, "depth", level->depth);
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_object(json, "alike_level");
    fm_json_unsigned(json, "first", maker->alike_level.first);
    fm_json_unsigned(json, "depth", maker->alike_level.depth);
    fm_json_end(json);
    fm_json_unsigned(json, "first_event", maker->first_event);
}

static fm_status_t make_index(struct maker *maker, struct fm_error *error)
{
    struct fm_event_tiles *events = &maker->events;
    struct fm_bundle *bundle = fm_bundle_create();
    fm_column first = {0};
    for (uint32_t i = 0; i < events->band_count; i++)
        fm_vector_push(&first, events->first.items[i]);
    put_json(maker, fm_bundle_json(bundle));
    fm_similar_add(bundle, &maker->alike, maker->detail->trace->location_count);
    size_t count = events->from.count;
    fm_counter_list_add(bundle, maker->detail->trace, &maker->counters, maker->first_event + count);
    fm_column_move(bundle, "event_first", &first, true);
    fm_column_move(bundle, "event_from", &events->from, true);
    fm_column_move(bundle, "event_calls", &events->calls, false);
    unsigned char *bytes;
    size_t size;
    fm_status_t status = fm_bundle_finish(bundle, &bytes, &size, error);
    fm_bundle_free(bundle);
    if (status == FM_OK) {
        fm_tile_writer_put(maker->writer, maker->first_event + count + maker->counters.count, bytes,
                           size);
        fm_free(bytes);
    }
    return status;
}

static fm_status_t make_counters(struct maker *maker, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    for (size_t i = 0; i < maker->counters.count && status == FM_OK; i++) {
        const fm_counter_list one = {.items = &maker->counters.items[i], .count = 1};
        struct fm_bundle *bundle = fm_bundle_create();
        unsigned char *bytes;
        size_t size;
        fm_counter_data_add(bundle, maker->detail->trace, &one, maker->begin, VALUES_OF_COUNTER);
        status = fm_bundle_finish(bundle, &bytes, &size, error);
        fm_bundle_free(bundle);
        if (status == FM_OK) {
            fm_tile_writer_put(maker->writer, maker->first_event + maker->events.from.count + i,
                               bytes, size);
            fm_free(bytes);
        }
    }
    return status;
}

fm_status_t fm_tiles_write(const struct fm_detail *detail, const struct fm_cube *cube, uint64_t key,
                           FILE *stream, struct fm_error *error)
{
    struct maker maker = {.detail = detail,
                          .begin = cube->experiment.begin,
                          .length = cube->experiment.end - cube->experiment.begin,
                          .calls = fm_timeline_calls(detail->trace)};
    if (detail->trace->location_count == 0 || maker.length == 0)
        return fm_fail(error, FM_ERR_DATA, "nothing happened in this run: there is no timeline");
    maker.kinds = fm_wait_kinds_find(detail);
    maker.alike = fm_similar_find(detail, &maker.kinds, maker.begin, maker.length);
    choose_levels(&maker);
    maker.counters = fm_counter_list_find(detail->trace);
    fm_event_tiles_choose(&maker.events, detail, maker.begin, maker.length);
    for (unsigned i = 0; i <= MOST_DEPTH; i++)
        maker.cells[i].ticks = fm_allocate(fm_cells_count(&maker.kinds), sizeof(uint64_t));
    maker.writer = fm_tile_writer_create(stream);
    fm_status_t status = FM_OK;
    for (unsigned i = 0; i < maker.level_count && status == FM_OK; i++)
        status = make_level(&maker, &maker.levels[i], error);
    if (status == FM_OK)
        status = make_level(&maker, &maker.alike_level, error);
    if (status == FM_OK)
        status = fm_event_tiles_make(&maker.events, detail, put_event_tile, &maker, error);
    if (status == FM_OK)
        status = make_counters(&maker, error);
    if (status == FM_OK)
        status = make_index(&maker, error);
    fm_tile_writer_finish(maker.writer, key);
    for (unsigned i = 0; i <= MOST_DEPTH; i++)
        fm_free(maker.cells[i].ticks);
    fm_event_tiles_free(&maker.events);
    fm_clusters_free(&maker.alike);
    fm_vector_free(&maker.counters);
    return status;
}
