/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/timeline/timeline_bins.h"

#include "base/memory.h"
#include "view/timeline/waiting_spread.h"

#include <string.h>

#define MOST_ROWS  1024U
#define MOST_BINS  1024U
#define LEAST_BINS 64U
#define CELLS      98304U

struct bins {
    uint64_t begin, length; /* of the run, ticks */
    uint32_t count, rows, group;
    const struct fm_wait_kinds *kinds;
    uint32_t *members;        /* [row]: number of locations */
    uint64_t *inside, *calls; /* ticks [row][bin]: time in the run, time in calls */
    uint64_t *waits;          /* ticks [kind][row][bin] */
};

static uint64_t edge(const struct bins *bins, uint32_t bin)
{
    return bins->begin + (uint64_t)((unsigned __int128)bins->length * bin / bins->count);
}

/** Adds the time [from, to) to the bins of a row. */
static void spread(const struct bins *bins, uint64_t *row, uint64_t from, uint64_t to)
{
    if (to <= from)
        return;
    uint32_t bin = (uint32_t)((unsigned __int128)(from - bins->begin) * bins->count / bins->length);
    if (bin >= bins->count)
        bin = bins->count - 1;
    while (bin > 0 && edge(bins, bin) > from)
        bin--;
    for (; bin < bins->count && from < to; bin++) {
        uint64_t end = bin + 1 == bins->count ? to : edge(bins, bin + 1);
        if (end <= from)
            continue;
        uint64_t until = end < to ? end : to;
        row[bin] += until - from;
        from = until;
    }
}

/** The spread of waiting in the rows. */
struct spread {
    uint64_t *own;    /* [bin]: waiting ticks of a location */
    uint16_t *shares; /* [location in its row][bin] */
    uint64_t *values; /* percent [least, middle, most][row][bin] */
};

/** @param own  NULL, or out: the waiting of the location by bins, which are 0 */
static void add_location(struct bins *bins, const struct fm_detail *detail, uint32_t index,
                         uint32_t row_number, uint64_t *own)
{
    const struct fm_location *location = &detail->trace->locations[index];
    const struct fm_findings *findings = &detail->findings[index];
    size_t row = (size_t)row_number * bins->count;
    if (location->begin > location->end)
        return;
    spread(bins, bins->inside + row, location->begin, location->end);
    uint64_t covered = 0; /* nested calls count once */
    for (size_t i = 0; i < location->enter.count; i++) {
        uint64_t enter = location->enter.items[i], leave = location->leave.items[i];
        if (leave <= covered)
            continue;
        spread(bins, bins->calls + row, enter > covered ? enter : covered, leave);
        covered = leave;
    }
    for (size_t i = 0; i < findings->waits.count; i++) {
        const struct fm_candidate *wait = &findings->candidates.items[findings->waits.items[i]];
        size_t kind = bins->kinds->of[wait->metric];
        uint64_t enter = fm_trace_begin(location, wait->activity);
        spread(bins, bins->waits + (kind * bins->rows) * bins->count + row, enter, wait->t);
        if (own != NULL)
            spread(bins, own, enter, wait->t);
    }
}

static void open_spread(struct spread *spread, const struct bins *bins)
{
    spread->own = fm_allocate(bins->count, sizeof *spread->own);
    spread->shares = fm_allocate((size_t)bins->group * bins->count, sizeof *spread->shares);
    spread->values = fm_allocate(3 * (size_t)bins->rows * bins->count, sizeof *spread->values);
}

/** Takes the waiting of location `index`, and completes its row if it is the last one there. */
static void add_to_spread(struct spread *spread, const struct bins *bins, uint32_t index,
                          bool is_last)
{
    uint32_t member = index % bins->group;
    uint16_t *shares = spread->shares + (size_t)member * bins->count;
    for (uint32_t bin = 0; bin < bins->count; bin++)
        shares[bin] = fm_share_of(spread->own[bin], edge(bins, bin + 1) - edge(bins, bin));
    memset(spread->own, 0, bins->count * sizeof *spread->own);
    if (!is_last)
        return;
    size_t cells = (size_t)bins->rows * bins->count;
    uint64_t *first = spread->values + (size_t)(index / bins->group) * bins->count;
    const struct fm_waiting_spread row = {first, first + cells, first + 2 * cells};
    fm_waiting_spread_find(spread->shares, member + 1, bins->count, &row);
}

static void close_spread(struct fm_bundle *bundle, struct spread *spread, const struct bins *bins)
{
    size_t cells = (size_t)bins->rows * bins->count;
    fm_bundle_add(bundle, "bin_least", spread->values, cells, false);
    fm_bundle_add(bundle, "bin_middle", spread->values + cells, cells, false);
    fm_bundle_add(bundle, "bin_most", spread->values + 2 * cells, cells, false);
    fm_free(spread->own);
    fm_free(spread->shares);
    fm_free(spread->values);
}

static uint64_t percent(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (uint64_t)(((unsigned __int128)part * 200 / whole + 1) / 2);
}

/** Converts ticks to percent. */
static void scale(struct bins *bins)
{
    size_t cells = (size_t)bins->rows * bins->count;
    for (uint32_t row = 0; row < bins->rows; row++) {
        uint32_t members = bins->members[row];
        for (uint32_t bin = 0; bin < bins->count; bin++) {
            size_t at = (size_t)row * bins->count + bin;
            uint64_t whole = (edge(bins, bin + 1) - edge(bins, bin)) * members;
            uint64_t waiting = 0;
            for (uint32_t kind = 0; kind < bins->kinds->count; kind++) {
                uint64_t *wait = &bins->waits[kind * cells + at];
                waiting += *wait;
                *wait = percent(*wait, whole);
            }
            uint64_t calls = bins->calls[at], inside = bins->inside[at];
            bins->inside[at] = percent(inside > calls ? inside - calls : 0, whole);
            bins->calls[at] = percent(calls > waiting ? calls - waiting : 0, whole);
        }
    }
}

static void put_json(const struct bins *bins, struct fm_json *json)
{
    fm_json_object(json, "bins");
    fm_json_unsigned(json, "count", bins->count);
    fm_json_unsigned(json, "rows", bins->rows);
    fm_json_unsigned(json, "group", bins->group);
    fm_json_array(json, "waits");
    for (uint32_t i = 0; i < bins->kinds->count; i++) {
        fm_json_unsigned(json, NULL, bins->kinds->metrics[i]);
    }
    fm_json_end(json);
    fm_json_end(json);
}

static void allocate(struct bins *bins)
{
    size_t cells = (size_t)bins->rows * bins->count;
    bins->members = fm_allocate(bins->rows, sizeof *bins->members);
    bins->inside = fm_allocate(cells, sizeof *bins->inside);
    bins->calls = fm_allocate(cells, sizeof *bins->calls);
    bins->waits = fm_allocate(cells * bins->kinds->count, sizeof *bins->waits);
}

/** Adds the columns, in percent, and frees the bins. */
static void move(struct fm_bundle *bundle, struct bins *bins, const char *compute, const char *call,
                 const char *wait)
{
    size_t cells = (size_t)bins->rows * bins->count;
    scale(bins);
    fm_bundle_add(bundle, compute, bins->inside, cells, false);
    fm_bundle_add(bundle, call, bins->calls, cells, false);
    fm_bundle_add(bundle, wait, bins->waits, cells * bins->kinds->count, false);
    fm_free(bins->members);
    fm_free(bins->inside);
    fm_free(bins->calls);
    fm_free(bins->waits);
}

void fm_timeline_bins_add(struct fm_bundle *bundle, const struct fm_detail *detail,
                          const struct fm_cube *cube, const struct fm_wait_kinds *kinds,
                          const struct fm_clusters *alike)
{
    uint32_t locations = detail->trace->location_count;
    struct bins bins = {.begin = cube->experiment.begin,
                        .length = cube->experiment.end - cube->experiment.begin,
                        .kinds = kinds};
    bins.group = (locations + MOST_ROWS - 1) / MOST_ROWS;
    bins.rows = (locations + bins.group - 1) / bins.group;
    bins.count = CELLS / bins.rows;
    bins.count = bins.count > MOST_BINS    ? MOST_BINS
                 : bins.count < LEAST_BINS ? LEAST_BINS
                                           : bins.count;
    struct bins together = bins;
    together.rows = alike->count;
    allocate(&bins);
    allocate(&together);
    struct spread spread = {0};
    bool has_spread = bins.group > 1;
    if (has_spread)
        open_spread(&spread, &bins);
    for (uint32_t i = 0; i < locations; i++) {
        add_location(&bins, detail, i, i / bins.group, spread.own);
        if (has_spread)
            add_to_spread(&spread, &bins, i, i + 1 == locations || (i + 1) % bins.group == 0);
        add_location(&together, detail, i, alike->of[i], NULL);
        bins.members[i / bins.group]++;
        together.members[alike->of[i]]++;
    }
    put_json(&bins, fm_bundle_json(bundle));
    if (has_spread)
        close_spread(bundle, &spread, &bins);
    move(bundle, &bins, "bin_compute", "bin_call", "bin_wait");
    move(bundle, &together, "alike_compute", "alike_call", "alike_wait");
}
