/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/tiles/tile_cells.h"

#include "base/memory.h"
#include "view/timeline/waiting_spread.h"

#include <string.h>

#define PLANE ((size_t)FM_TILE_ROWS * FM_TILE_BINS)

enum { INSIDE, CALLS, WAITS };

struct fm_wait_kinds fm_wait_kinds_find(const struct fm_detail *detail)
{
    bool occurs[FM_METRIC_COUNT] = {false};
    struct fm_wait_kinds kinds = {0};
    for (uint32_t i = 0; i < detail->trace->location_count; i++) {
        const struct fm_findings *findings = &detail->findings[i];
        for (size_t k = 0; k < findings->waits.count; k++)
            occurs[findings->candidates.items[findings->waits.items[k]].metric] = true;
    }
    for (unsigned metric = 0; metric < FM_METRIC_COUNT; metric++) {
        if (occurs[metric]) {
            kinds.of[metric] = (uint8_t)kinds.count;
            kinds.metrics[kinds.count++] = (uint8_t)metric;
        }
    }
    return kinds;
}

void fm_cell_band_open(struct fm_cell_band *band, const struct fm_detail *detail,
                       const struct fm_wait_kinds *kinds, uint32_t first, uint32_t group)
{
    uint64_t most = (uint64_t)FM_TILE_ROWS * group;
    band->detail = detail;
    band->kinds = kinds;
    band->first = first;
    band->group = group;
    band->count = detail->trace->location_count - first;
    if (band->count > most)
        band->count = (uint32_t)most;
    band->cursors = fm_allocate(band->count, sizeof *band->cursors);
}

void fm_cell_band_open_alike(struct fm_cell_band *band, const struct fm_detail *detail,
                             const struct fm_wait_kinds *kinds, const struct fm_clusters *alike)
{
    uint32_t locations = detail->trace->location_count;
    fm_cell_band_open(band, detail, kinds, 0, (locations + FM_TILE_ROWS - 1) / FM_TILE_ROWS);
    band->alike = alike;
}

static uint32_t row_of(const struct fm_cell_band *band, uint32_t i)
{
    return band->alike != NULL ? band->alike->of[i] : i / band->group;
}

static uint32_t row_count(const struct fm_cell_band *band)
{
    return band->alike != NULL ? band->alike->count : (band->count + band->group - 1) / band->group;
}

static uint32_t members_of(const struct fm_cell_band *band, uint32_t row)
{
    if (band->alike != NULL)
        return band->alike->size[row];
    uint32_t members = band->count - row * band->group;
    return members < band->group ? members : band->group;
}

void fm_cell_band_close(struct fm_cell_band *band)
{
    fm_free(band->cursors);
}

size_t fm_cells_count(const struct fm_wait_kinds *kinds)
{
    return PLANE * (WAITS + kinds->count);
}

/** A time window and its bins. */
struct part {
    uint64_t begin, length; /* begin and length of the run */
    uint64_t first, total;  /* first bin of the window; number of bins of the run */
};

static uint64_t edge(const struct part *part, uint64_t bin)
{
    return part->begin +
           (uint64_t)((unsigned __int128)part->length * (part->first + bin) / part->total);
}

/** Adds the time [from, to) to the bins of a row of cells. */
static void spread(const struct part *part, uint64_t *row, uint64_t from, uint64_t to)
{
    uint64_t bin = (uint64_t)((unsigned __int128)(from - part->begin) * part->total / part->length);
    bin = bin > part->first ? bin - part->first : 0;
    if (bin >= FM_TILE_BINS)
        bin = FM_TILE_BINS - 1;
    while (bin > 0 && edge(part, bin) > from)
        bin--;
    for (; bin < FM_TILE_BINS && from < to; bin++) {
        uint64_t end = edge(part, bin + 1);
        if (end <= from)
            continue;
        uint64_t until = end < to ? end : to;
        row[bin] += until - from;
        from = until;
    }
}

static void spread_clipped(const struct part *part, uint64_t *row, uint64_t from, uint64_t to)
{
    uint64_t begin = edge(part, 0), end = edge(part, FM_TILE_BINS);
    from = from > begin ? from : begin;
    to = to < end ? to : end;
    if (from < to)
        spread(part, row, from, to);
}

static void measure_calls(const struct part *part, uint64_t *row, struct fm_cell_cursor *cursor,
                          const struct fm_location *location)
{
    uint64_t covered = edge(part, 0), end = edge(part, FM_TILE_BINS);
    const uint64_t *enter = location->enter.items, *leave = location->leave.items;
    size_t count = location->enter.count;
    while (cursor->call < count && leave[cursor->call] <= covered)
        cursor->call++;
    /* Nested calls count once. */
    for (size_t i = cursor->call; i < count && enter[i] < end && covered < end; i++) {
        if (leave[i] <= covered)
            continue;
        spread_clipped(part, row, enter[i] > covered ? enter[i] : covered, leave[i]);
        covered = leave[i];
    }
}

/** @param own  out: waiting of all kinds by bins */
static void measure_waits(const struct part *part, uint64_t *ticks, size_t row, uint64_t *own,
                          struct fm_cell_cursor *cursor, const struct fm_cell_band *band,
                          uint32_t index)
{
    memset(own, 0, FM_TILE_BINS * sizeof *own);
    const struct fm_location *location = &band->detail->trace->locations[index];
    const struct fm_findings *findings = &band->detail->findings[index];
    uint64_t begin = edge(part, 0), end = edge(part, FM_TILE_BINS);
    for (size_t i = cursor->wait; i < findings->waits.count; i++) {
        const struct fm_candidate *wait = &findings->candidates.items[findings->waits.items[i]];
        uint64_t enter = fm_trace_begin(location, wait->activity);
        if (enter >= end)
            break;
        if (wait->t <= begin) {
            cursor->wait += i == cursor->wait;
            continue;
        }
        size_t plane = WAITS + (size_t)band->kinds->of[wait->metric];
        spread_clipped(part, ticks + plane * PLANE + row, enter, wait->t);
        spread_clipped(part, own, enter, wait->t);
    }
}

static void store_shares(const struct part *part, uint16_t *shares, const uint64_t *waiting)
{
    for (uint32_t bin = 0; bin < FM_TILE_BINS; bin++)
        shares[bin] = fm_share_of(waiting[bin], edge(part, bin + 1) - edge(part, bin));
}

void fm_cells_measure(struct fm_cells *cells, struct fm_cell_band *band, unsigned depth,
                      uint64_t column)
{
    const struct part part = {.begin = band->begin,
                              .length = band->length,
                              .first = column * FM_TILE_BINS,
                              .total = (uint64_t)FM_TILE_BINS << depth};
    uint64_t own[FM_TILE_BINS];
    memset(cells->ticks, 0, fm_cells_count(band->kinds) * sizeof *cells->ticks);
    if (cells->waiting != NULL)
        memset(cells->waiting, 0, (size_t)band->count * FM_TILE_BINS * sizeof *cells->waiting);
    for (uint32_t i = 0; i < band->count; i++) {
        const struct fm_location *location = &band->detail->trace->locations[band->first + i];
        size_t row = (size_t)row_of(band, i) * FM_TILE_BINS;
        if (location->begin > location->end)
            continue;
        spread_clipped(&part, cells->ticks + INSIDE * PLANE + row, location->begin, location->end);
        measure_calls(&part, cells->ticks + CALLS * PLANE + row, &band->cursors[i], location);
        measure_waits(&part, cells->ticks, row, own, &band->cursors[i], band, band->first + i);
        if (cells->waiting != NULL)
            store_shares(&part, cells->waiting + (size_t)i * FM_TILE_BINS, own);
    }
}

void fm_cells_halve(struct fm_cells *cells, const struct fm_cells *part, unsigned half,
                    const struct fm_cell_band *band)
{
    size_t rows = fm_cells_count(band->kinds) / FM_TILE_BINS;
    for (size_t i = 0; cells->waiting != NULL && i < band->count; i++) {
        uint16_t *to = cells->waiting + i * FM_TILE_BINS + half * (FM_TILE_BINS / 2);
        const uint16_t *from = part->waiting + i * FM_TILE_BINS;
        for (unsigned bin = 0; bin < FM_TILE_BINS / 2; bin++)
            to[bin] = (uint16_t)((from[2 * bin] + from[2 * bin + 1]) / 2);
    }
    for (size_t row = 0; row < rows; row++) {
        uint64_t *to = cells->ticks + row * FM_TILE_BINS + half * (FM_TILE_BINS / 2);
        const uint64_t *from = part->ticks + row * FM_TILE_BINS;
        for (unsigned i = 0; i < FM_TILE_BINS / 2; i++)
            to[i] = from[2 * i] + from[2 * i + 1];
    }
}

static uint64_t percent(uint64_t part, uint64_t whole)
{
    if (whole == 0)
        return 0;
    uint64_t share = (uint64_t)(((unsigned __int128)part * 200 / whole + 1) / 2);
    return share > 100 ? 100 : share;
}

/** The columns of a tile, in percent. */
struct shares {
    uint64_t *compute, *call, *wait;
};

static void scale(struct shares *shares, const struct fm_cells *cells,
                  const struct fm_cell_band *band, const struct part *part, uint32_t rows)
{
    for (size_t at = 0; at < (size_t)rows * FM_TILE_BINS; at++) {
        uint32_t row = (uint32_t)(at / FM_TILE_BINS), bin = (uint32_t)(at % FM_TILE_BINS);
        uint64_t whole = (edge(part, bin + 1) - edge(part, bin)) * members_of(band, row);
        uint64_t waiting = 0;
        for (uint32_t kind = 0; kind < band->kinds->count; kind++) {
            uint64_t wait = cells->ticks[(WAITS + (size_t)kind) * PLANE + at];
            waiting += wait;
            shares->wait[kind * PLANE + at] = percent(wait, whole);
        }
        uint64_t calls = cells->ticks[CALLS * PLANE + at];
        uint64_t inside = cells->ticks[INSIDE * PLANE + at];
        shares->compute[at] = percent(inside > calls ? inside - calls : 0, whole);
        shares->call[at] = percent(calls > waiting ? calls - waiting : 0, whole);
    }
}

/** Adds the columns of the spread of waiting in the rows. */
static void add_spread(struct fm_bundle *bundle, const struct fm_cells *cells,
                       const struct fm_cell_band *band, uint32_t rows)
{
    size_t count = (size_t)rows * FM_TILE_BINS;
    uint64_t *values = fm_allocate(3 * count, sizeof *values);
    for (uint32_t row = 0; row < rows; row++) {
        uint64_t *first = values + (size_t)row * FM_TILE_BINS;
        const struct fm_waiting_spread spread = {first, first + count, first + 2 * count};
        fm_waiting_spread_find(cells->waiting + (size_t)row * band->group * FM_TILE_BINS,
                               members_of(band, row), FM_TILE_BINS, &spread);
    }
    fm_bundle_add(bundle, "least", values, count, false);
    fm_bundle_add(bundle, "middle", values + count, count, false);
    fm_bundle_add(bundle, "most", values + 2 * count, count, false);
    fm_free(values);
}

static bool is_empty(const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (values[i] != 0)
            return false;
    }
    return true;
}

void fm_cells_add(struct fm_bundle *bundle, const struct fm_cells *cells,
                  const struct fm_cell_band *band, unsigned depth, uint64_t column)
{
    const struct part part = {.begin = band->begin,
                              .length = band->length,
                              .first = column * FM_TILE_BINS,
                              .total = (uint64_t)FM_TILE_BINS << depth};
    uint32_t rows = row_count(band);
    size_t count = (size_t)rows * FM_TILE_BINS, kept = 0;
    uint64_t *values = fm_allocate(PLANE * (WAITS + band->kinds->count), sizeof *values);
    struct shares shares = {values, values + PLANE, values + WAITS * PLANE};
    scale(&shares, cells, band, &part, rows);
    struct fm_json *json = fm_bundle_json(bundle);
    fm_json_unsigned(json, "rows", rows);
    fm_json_array(json, "kinds");
    for (uint32_t kind = 0; kind < band->kinds->count; kind++) {
        const uint64_t *wait = shares.wait + kind * PLANE;
        if (is_empty(wait, count))
            continue;
        fm_json_unsigned(json, NULL, kind);
        memmove(shares.wait + kept * count, wait, count * sizeof *wait);
        kept += 1;
    }
    fm_json_end(json);
    fm_bundle_add(bundle, "compute", shares.compute, count, false);
    fm_bundle_add(bundle, "call", shares.call, count, false);
    fm_bundle_add(bundle, "wait", shares.wait, kept * count, false);
    if (cells->waiting != NULL)
        add_spread(bundle, cells, band, rows);
    fm_free(values);
}
