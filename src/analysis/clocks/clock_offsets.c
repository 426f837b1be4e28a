/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/clocks/clock_offsets.h"

#include "analysis/dependencies/dependencies.h"
#include "base/containers/map.h"
#include "base/memory.h"

#include <stdlib.h>

/* Bounds are kept for so many parts of the run: the tightest of each. */
#define PARTS 32

/* Members of a collective operation of which bounds are taken: the operation has quadratically
 * many. */
#define MOST_INPUTS 64

/* Clocks drift by less than 2^DRIFT_SHIFT parts in 2^SLOPE_SHIFT: 0.1 %. */
#define SLOPE_SHIFT 40
#define DRIFT_SHIFT 30

/* Smallest gain for which a drift is assumed instead of a constant offset: the distance of the
 * bounds becomes as many times as large. */
#define LEAST_GAIN 2

typedef __int128 wide;

/* A bound of a clock difference, at a time of the first process since its begin. */
struct bound {
    int64_t value;
    int64_t time;
    bool is_set;
};

/* Two processes: bounds of what is to be added to the second one's times more than to the first
 * one's. */
struct pair {
    uint32_t first, second;
    struct bound lower[PARTS], upper[PARTS];
    bool has_lower, has_upper;
    int64_t offset; /* at the begin of the first process */
    int64_t slope;  /* in 2^-SLOPE_SHIFT */
    uint64_t error; /* UINT64_MAX: bounded from one side only */
};

struct extent {
    int64_t begin, end; /* begin > end: no events */
};

struct estimation {
    const struct fm_trace *trace;
    const struct fm_dependencies *dependencies;
    struct extent *extents; /* [process] */
    struct fm_map pair_of;
    FM_VECTOR(struct pair) pairs;
};

/* ---- bounds ---- */

static struct pair *pair_of(struct estimation *estimation, uint32_t first, uint32_t second)
{
    uint32_t *number = fm_map_at(&estimation->pair_of, (uint64_t)first << 32 | second,
                                 (uint32_t)estimation->pairs.count);
    if (*number == estimation->pairs.count) {
        fm_vector_push(&estimation->pairs, (struct pair){.first = first, .second = second});
    }
    return &estimation->pairs.items[*number];
}

static void tighten(struct bound *bounds, const struct extent *extent, int64_t time, int64_t value,
                    bool is_lower)
{
    const int64_t since = time - extent->begin, length = extent->end - extent->begin + 1;
    const size_t part = (size_t)((wide)since * PARTS / length);
    struct bound *bound = &bounds[part < PARTS ? part : PARTS - 1];
    const bool is_tighter = is_lower ? value > bound->value : value < bound->value;
    if (!bound->is_set || is_tighter || (value == bound->value && since < bound->time)) {
        *bound = (struct bound){value, since, true};
    }
}

/* An event of process `early` at t precedes one of process `late` at `end`. */
static void add_bound(struct estimation *estimation, uint32_t early, uint64_t t, uint32_t late,
                      uint64_t end)
{
    const int64_t difference = (int64_t)(end - t);
    if (early < late) { /* `late` is the second: end + d >= t */
        struct pair *pair = pair_of(estimation, early, late);
        pair->has_lower = true;
        tighten(pair->lower, &estimation->extents[early], (int64_t)t, -difference, true);
    } else if (late < early) {
        struct pair *pair = pair_of(estimation, late, early);
        pair->has_upper = true;
        tighten(pair->upper, &estimation->extents[late], (int64_t)end, difference, false);
    }
}

static void add_source(struct estimation *estimation, struct fm_awaited source, uint64_t t,
                       uint32_t late, uint64_t end, unsigned *most)
{
    if (source.kind != FM_AWAITED_JUNCTION) {
        add_bound(estimation, fm_trace_process(estimation->trace, source.place), t, late, end);
        return;
    }
    const struct fm_junction_table *table = &estimation->dependencies->tables[source.place];
    const struct fm_junction *junction = &table->junctions.items[source.index];
    /* Backwards: a junction that extends another one has it as its first input. */
    for (uint32_t i = junction->input_count; i > 0 && *most > 0; i--) {
        const struct fm_awaited input = table->inputs.items[junction->first_input + i - 1];
        *most -= input.kind != FM_AWAITED_JUNCTION;
        add_source(estimation, input,
                   fm_awaited_time(estimation->trace, estimation->dependencies, input), late, end,
                   most);
    }
}

static void gather_bounds(struct estimation *estimation)
{
    for (uint32_t l = 0; l < estimation->trace->location_count; l++) {
        const struct fm_location *location = &estimation->trace->locations[l];
        const fm_dependency_vector *dependencies = &estimation->dependencies->of_location[l];
        for (size_t d = 0; d < dependencies->count; d++) {
            const struct fm_dependency *dependency = &dependencies->items[d];
            unsigned most = MOST_INPUTS;
            if ((fm_obligatory_rules >> dependency->rule & 1) != 0 &&
                dependency->rule != FM_DEPENDS_ON_LOCK) {
                add_source(estimation, dependency->source, dependency->t, location->process,
                           location->leave.items[dependency->activity], &most);
            }
        }
    }
}

/* ---- lines ---- */

static int64_t along(int64_t slope, int64_t time)
{
    return (int64_t)((wide)slope * time >> SLOPE_SHIFT);
}

/* The bounds of the line's value at the begin, if it has this slope. */
static void bound_line(const struct pair *pair, int64_t slope, int64_t *lower, int64_t *upper)
{
    *lower = INT64_MIN;
    *upper = INT64_MAX;
    for (size_t i = 0; i < PARTS; i++) {
        const struct bound *low = &pair->lower[i], *up = &pair->upper[i];
        if (low->is_set && low->value - along(slope, low->time) > *lower) {
            *lower = low->value - along(slope, low->time);
        }
        if (up->is_set && up->value - along(slope, up->time) < *upper) {
            *upper = up->value - along(slope, up->time);
        }
    }
}

static int64_t distance(const struct pair *pair, int64_t slope)
{
    int64_t lower, upper;
    bound_line(pair, slope, &lower, &upper);
    return upper - lower;
}

/* @return the slope of the line in the widest strip between the bounds: the width is a concave
 * function of the slope */
static int64_t best_slope(const struct pair *pair)
{
    int64_t low = -((int64_t)1 << DRIFT_SHIFT), high = (int64_t)1 << DRIFT_SHIFT;
    while (high - low > 2) {
        const int64_t third = (high - low) / 3;
        if (distance(pair, low + third) < distance(pair, high - third)) {
            low += third;
        } else {
            high -= third;
        }
    }
    return low + (high - low) / 2;
}

static void fit(struct pair *pair)
{
    int64_t lower, upper;
    if (!pair->has_lower || !pair->has_upper) {
        bound_line(pair, 0, &lower, &upper);
        pair->offset = pair->has_lower ? lower : upper;
        pair->error = UINT64_MAX;
        return;
    }
    const int64_t constant = distance(pair, 0);
    const int64_t slope = best_slope(pair);
    const int64_t drifting = distance(pair, slope);
    if (drifting > constant && (constant < 0 || drifting / LEAST_GAIN > constant)) {
        pair->slope = slope;
    }
    bound_line(pair, pair->slope, &lower, &upper);
    pair->offset = lower + (upper - lower) / 2;
    pair->error = (uint64_t)(llabs(upper - lower) + 1) / 2;
}

/* ---- the tree of processes ---- */

/* Two knots of a process: signed, since times may become negative before all are shifted. */
struct line {
    int64_t old[2], new[2];
    uint64_t error; /* UINT64_MAX: unbounded */
    bool is_known;
};

static int64_t follow(const struct line *line, int64_t time)
{
    const int64_t length = line->old[1] - line->old[0];
    const int64_t gain = (line->new[1] - line->new[0]) - length;
    return line->new[0] + (time - line->old[0]) +
           (length == 0 ? 0 : (int64_t)((wide)gain * (time - line->old[0]) / length));
}

/* @return the time of the first process of a pair that is `time` of the second one */
static int64_t to_first(const struct estimation *estimation, const struct pair *pair, int64_t time)
{
    const int64_t begin = estimation->extents[pair->first].begin;
    const int64_t roughly = time + pair->offset;
    return time + pair->offset + along(pair->slope, roughly - begin);
}

/* ... and the other way round. */
static int64_t to_second(const struct estimation *estimation, const struct pair *pair, int64_t time)
{
    const int64_t begin = estimation->extents[pair->first].begin;
    return time - pair->offset - along(pair->slope, time - begin);
}

static void attach(const struct estimation *estimation, const struct pair *pair, struct line *lines,
                   uint32_t process, uint32_t parent)
{
    struct line *line = &lines[process];
    for (int i = 0; i < 2; i++) {
        line->new[i] = follow(&lines[parent], process == pair->second
                                                  ? to_first(estimation, pair, line->old[i])
                                                  : to_second(estimation, pair, line->old[i]));
    }
    line->is_known = true;
    line->error = pair->error == UINT64_MAX || lines[parent].error == UINT64_MAX
                      ? UINT64_MAX
                      : lines[parent].error + pair->error;
}

static bool is_better(const struct pair *pair, const struct pair *best)
{
    if (best == NULL || pair->error != best->error) {
        return best == NULL || pair->error < best->error;
    }
    return pair->first != best->first ? pair->first < best->first : pair->second < best->second;
}

/* Attaches the processes to process 0 along the pairs with the smallest error, each as soon as one
 * of both is attached (Prim). Processes that are in no pair with an attached one keep their times.
 */
static void span(const struct estimation *estimation, struct line *lines)
{
    lines[0].is_known = true;
    for (;;) {
        const struct pair *best = NULL;
        for (size_t i = 0; i < estimation->pairs.count; i++) {
            const struct pair *pair = &estimation->pairs.items[i];
            if (lines[pair->first].is_known != lines[pair->second].is_known &&
                is_better(pair, best)) {
                best = pair;
            }
        }
        if (best == NULL) {
            return;
        }
        const bool is_first_known = lines[best->first].is_known;
        attach(estimation, best, lines, is_first_known ? best->second : best->first,
               is_first_known ? best->first : best->second);
    }
}

/* ---- the whole ---- */

static struct extent *find_extents(const struct fm_trace *trace)
{
    struct extent *extents = fm_allocate(trace->process_count, sizeof *extents);
    for (uint32_t p = 0; p < trace->process_count; p++) {
        struct extent *extent = &extents[p];
        *extent = (struct extent){INT64_MAX, INT64_MIN};
        for (uint32_t l = fm_trace_first_location(trace, p);
             l < fm_trace_first_location(trace, p + 1); l++) {
            const struct fm_location *location = &trace->locations[l];
            if (location->begin <= location->end) {
                const int64_t begin = (int64_t)location->begin, end = (int64_t)location->end;
                extent->begin = begin < extent->begin ? begin : extent->begin;
                extent->end = end > extent->end ? end : extent->end;
            }
        }
    }
    return extents;
}

static void fill_maps(const struct estimation *estimation, const struct line *lines,
                      struct fm_time_map *maps)
{
    const struct fm_trace *trace = estimation->trace;
    int64_t least = 0;
    for (uint32_t p = 0; p < trace->process_count; p++) {
        least = lines[p].new[0] < least ? lines[p].new[0] : least;
    }
    for (uint32_t l = 0; l < trace->location_count; l++) {
        const struct line *line = &lines[trace->locations[l].process];
        for (int i = 0; i < 2 && line->old[0] <= line->old[1]; i++) {
            if (i == 0 || line->old[1] > line->old[0]) {
                fm_vector_push(&maps[l].knots,
                               (struct fm_time_knot){(uint64_t)line->old[i],
                                                     (uint64_t)(line->new[i] - least)});
            }
        }
    }
}

struct fm_offset_quality fm_clock_offsets_estimate(const struct fm_detail *detail,
                                                   struct fm_time_map *maps)
{
    const uint32_t processes = detail->trace->process_count;
    struct estimation estimation = {
        .trace = detail->trace,
        .dependencies = detail->dependencies,
        .extents = find_extents(detail->trace),
    };
    struct line *lines = fm_allocate(processes, sizeof *lines);
    for (uint32_t p = 0; p < processes; p++) {
        const struct extent *extent = &estimation.extents[p];
        lines[p] =
            (struct line){{extent->begin, extent->end}, {extent->begin, extent->end}, 0, false};
    }
    gather_bounds(&estimation);
    for (size_t i = 0; i < estimation.pairs.count; i++) {
        fit(&estimation.pairs.items[i]);
    }
    span(&estimation, lines);
    fill_maps(&estimation, lines, maps);
    struct fm_offset_quality quality = {0, 0};
    for (uint32_t p = 0; p < processes; p++) {
        const bool is_bounded = lines[p].is_known && lines[p].error != UINT64_MAX;
        quality.unbounded += !is_bounded;
        quality.error =
            is_bounded && lines[p].error > quality.error ? lines[p].error : quality.error;
    }
    fm_vector_free(&estimation.pairs);
    fm_map_free(&estimation.pair_of);
    fm_free(estimation.extents);
    fm_free(lines);
    return quality;
}
