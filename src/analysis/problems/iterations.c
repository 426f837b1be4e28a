/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/problems/iterations.h"

#include "analysis/results/phase_instances.h"

/* Which phases there are: the same on all processes. */
static void set_phases(struct fm_iterations *iterations, const struct fm_phase_list *list,
                       struct fm_team *team)
{
    FM_VECTOR(struct fm_iteration_phase) own = {0};
    uint32_t bins = 0;
    for (uint32_t p = 0; p < list->count; ++p) {
        const struct fm_cube_phase *phase = &list->items[p];
        struct fm_iteration_phase found = {
            .region = phase->region,
            .first_bin = bins,
            .bin_count = phase->row_count,
            .step = (uint32_t)phase->rows[0].count,
            .iterations = phase->iteration_count,
        };
        bins += phase->row_count;
        fm_vector_push(&own, found);
    }
    if (own.count == 0) {
        fm_vector_push(&own, (struct fm_iteration_phase){.region = FM_NONE,
                                                         .bin_count = FM_RUN_PARTS,
                                                         .step = 1,
                                                         .iterations = FM_RUN_PARTS});
    }
    size_t bytes;
    iterations->phases = fm_team_spread(team, own.items, own.count * sizeof *own.items, &bytes);
    iterations->phase_count = (uint32_t)(bytes / sizeof *own.items);
    const struct fm_iteration_phase *last = &iterations->phases[iterations->phase_count - 1];
    iterations->bin_count = last->first_bin + last->bin_count;
    fm_vector_free(&own);
}

struct finding {
    struct fm_iterations *iterations;
    const struct fm_analysis *analysis;
    struct fm_phase_regions regions;
    uint32_t *number_of; /* [phase of `regions`]: its number, if it has iterations */
};

struct taker {
    struct finding *finding;
    uint32_t location;
};

static void take_instance(void *context, uint32_t phase, uint64_t number, uint32_t owner,
                          const struct fm_phase *instance)
{
    (void)owner;
    struct taker *taker = context;
    struct fm_iterations *iterations = taker->finding->iterations;
    uint32_t p = taker->finding->number_of[phase];
    const struct fm_iteration_phase *at = &iterations->phases[p];
    uint32_t bin = at->first_bin + (uint32_t)(number / at->step);
    fm_vector_push(&fm_iterations_of(iterations, taker->location, p)->items,
                   (struct fm_iteration_span){instance->begin, instance->end, bin});
}

static void add_parts(struct fm_iterations *iterations, uint64_t begin, uint64_t end)
{
    struct fm_iteration_spans *spans = iterations->spans;
    uint64_t run = end - begin;
    fm_vector_reserve(&spans->items, FM_RUN_PARTS);
    for (uint32_t bin = 0; bin < FM_RUN_PARTS; ++bin) {
        spans->items.items[spans->items.count++] = (struct fm_iteration_span){
            .begin = begin + fm_cube_bin_edge(run, FM_RUN_PARTS, bin),
            .end = begin + fm_cube_bin_edge(run, FM_RUN_PARTS, bin + 1),
            .bin = bin,
        };
    }
}

/* Adds a part of an instance. */
static void add_part(struct fm_iteration_spans *spans, uint64_t begin, uint64_t end, uint32_t bin)
{
    if (begin < end) {
        fm_vector_push(&spans->parts, (struct fm_iteration_span){begin, end, bin});
    }
}

/* Divides nested instances into parts that are apart. */
static void divide_nested(struct fm_iteration_spans *spans)
{
    const struct fm_iteration_span *items = spans->items.items;
    size_t count = spans->items.count, next = 1;
    while (next < count && items[next].begin >= items[next - 1].end) {
        ++next;
    }
    if (next >= count) {
        return;
    }
    FM_VECTOR(size_t) open = {0}; /* instances that have begun, the innermost one last */
    uint64_t at = 0;
    for (size_t i = 0; i < count; ++i) {
        while (open.count > 0 && items[open.items[open.count - 1]].end <= items[i].begin) {
            const struct fm_iteration_span *inner = &items[open.items[--open.count]];
            add_part(spans, at > inner->begin ? at : inner->begin, inner->end, inner->bin);
            at = inner->end;
        }
        if (open.count > 0) {
            const struct fm_iteration_span *outer = &items[open.items[open.count - 1]];
            add_part(spans, at > outer->begin ? at : outer->begin, items[i].begin, outer->bin);
        }
        at = items[i].begin;
        fm_vector_push(&open, i);
    }
    while (open.count > 0) {
        const struct fm_iteration_span *inner = &items[open.items[--open.count]];
        add_part(spans, at > inner->begin ? at : inner->begin, inner->end, inner->bin);
        at = inner->end;
    }
    fm_vector_free(&open);
}

static void find_spans(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct finding *finding = context;
    const struct fm_trace *trace = finding->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        if (trace->locations[l].event_count != 0) {
            fm_phase_instances(&finding->regions, trace, l, take_instance,
                               &(struct taker){finding, l});
            for (uint32_t p = 0; p < finding->iterations->phase_count; ++p) {
                divide_nested(fm_iterations_of(finding->iterations, l, p));
            }
        }
    }
}

/* Finds the instances of phases. */
static void find_instances(struct fm_iterations *iterations, const struct fm_analysis *analysis)
{
    struct finding finding = {
        .iterations = iterations,
        .analysis = analysis,
        .regions = fm_phase_regions_find(analysis->trace),
    };
    finding.number_of = fm_allocate(finding.regions.count, sizeof *finding.number_of);
    for (uint32_t p = 0; p < iterations->phase_count; ++p) {
        finding.number_of[finding.regions.number_of[iterations->phases[p].region]] = p;
    }
    fm_engine_run(analysis->engine, find_spans, &finding);
    fm_phase_regions_free(&finding.regions);
    fm_free(finding.number_of);
}

struct fm_iterations fm_iterations_find(const struct fm_analysis *analysis,
                                        const struct fm_phase_list *phases, uint64_t begin,
                                        uint64_t end)
{
    struct fm_iterations iterations = {0};
    set_phases(&iterations, phases, analysis->team);
    bool are_parts = fm_iterations_are_parts(&iterations);
    iterations.spans_count =
        are_parts ? 1 : (size_t)analysis->trace->location_count * iterations.phase_count;
    iterations.spans = fm_allocate(iterations.spans_count, sizeof *iterations.spans);
    if (are_parts) {
        add_parts(&iterations, begin, end);
    } else {
        find_instances(&iterations, analysis);
    }
    return iterations;
}

void fm_iterations_free(struct fm_iterations *iterations)
{
    for (size_t i = 0; i < iterations->spans_count; ++i) {
        fm_vector_free(&iterations->spans[i].items);
        fm_vector_free(&iterations->spans[i].parts);
    }
    fm_free(iterations->spans);
    fm_free(iterations->phases);
}

/* @return number of the first span that ends behind `time` */
static size_t span_behind(const fm_iteration_span_vector *spans, uint64_t time)
{
    size_t low = 0, high = spans->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (spans->items[middle].end <= time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void fm_iterations_add(const struct fm_iterations *iterations, uint32_t location, uint64_t from,
                       uint64_t to, int64_t cost, int64_t *bins)
{
    for (uint32_t p = 0; p < iterations->phase_count; ++p) {
        const struct fm_iteration_spans *of = fm_iterations_of(iterations, location, p);
        const fm_iteration_span_vector *spans = of->parts.count > 0 ? &of->parts : &of->items;
        for (size_t i = span_behind(spans, from); i < spans->count && spans->items[i].begin < to;
             ++i) {
            const struct fm_iteration_span *span = &spans->items[i];
            uint64_t begin = span->begin > from ? span->begin : from;
            uint64_t end = span->end < to ? span->end : to;
            if (begin < end) {
                bins[span->bin] += (int64_t)((__int128)cost * (end - begin) / (to - from));
            }
        }
    }
}
