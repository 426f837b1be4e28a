/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/causes/critical_path/path_sample_errors.h"

#include "analysis/samples/sample_errors.h"
#include "base/containers/search.h"
#include "base/containers/sort.h"

#include <math.h>

/* Squares of errors are added as integers, so that the sums do not depend on the number of
 * processes: units of 2^32 ticks^2, and the rest in units of 2^-10 ticks^2. */
#define HIGH 0x1p32
#define LOW  0x1p-10

/* Standard errors that are stated. */
#define STATED 2

struct worker_memory {
    struct fm_sample_errors errors;
    FM_VECTOR(struct fm_counted_interval) intervals;
    unsigned char apart[FM_APART];
};

struct search {
    const struct fm_critical_path *path;
    FM_VECTOR(struct fm_path_segment) segments; /* of the path, by location and begin */
    const struct fm_analysis *analysis;
    struct worker_memory *memory; /* by worker */
    double **squares;             /* [location][node]: ticks^2 */
};

static int compare_places(const void *a, const void *b)
{
    const struct fm_path_segment *left = a, *right = b;
    if (left->location != right->location) {
        return left->location < right->location ? -1 : 1;
    }
    return left->from < right->from ? -1 : left->from > right->from;
}

/* @return the first segment of a location, or of one behind it */
static size_t first_segment(const struct search *search, uint32_t location)
{
    const size_t count = search->segments.count;
    return count == 0 ? 0
                      : fm_count_below_32(&search->segments.items->location, count,
                                          sizeof *search->segments.items, location);
}

/* Enters the squares of the errors of a location's nodes that are on the path: of computation,
 * since calls are recorded. */
static void enter_squares(const struct fm_analysis *analysis, const struct fm_location *location,
                          const struct fm_sample_errors *errors, const uint64_t *time,
                          double *squares)
{
    for (size_t v = 0; v < location->profile.count; v++) {
        squares[v] = errors->largest;
    }
    for (size_t i = 0; i < errors->paths.count; i++) {
        squares[errors->paths.items[i].visit] = errors->paths.items[i].alone;
    }
    for (size_t i = 0; i < errors->unsampled.count; i++) {
        const struct fm_unsampled *unsampled = &errors->unsampled.items[i];
        if (unsampled->leaf != FM_NONE) {
            const double error = sqrt(squares[unsampled->leaf]) + unsampled->ticks;
            squares[unsampled->leaf] = error * error;
        }
    }
    for (size_t v = 0; v < location->profile.count; v++) {
        const bool is_computation =
            analysis->own_metrics[location->profile.items[v].region] == FM_METRIC_COMP;
        squares[v] = is_computation && time[v] != 0 ? squares[v] : 0;
    }
}

static void examine(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct search *search = context;
    const struct fm_trace *trace = search->analysis->trace;
    struct worker_memory *memory = &search->memory[worker];
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        const struct fm_location *location = &trace->locations[l];
        memory->intervals.count = 0;
        for (size_t s = first_segment(search, l);
             s < search->segments.count && search->segments.items[s].location == l; s++) {
            const struct fm_path_segment *segment = &search->segments.items[s];
            fm_vector_push(&memory->intervals,
                           (struct fm_counted_interval){segment->from, segment->to});
        }
        search->squares[l] = fm_allocate(location->profile.count, sizeof **search->squares);
        fm_sample_errors_find(&memory->errors, location, memory->intervals.items,
                              memory->intervals.count);
        enter_squares(search->analysis, location, &memory->errors, search->path->time[l],
                      search->squares[l]);
    }
}

uint64_t *fm_path_sample_errors(const struct fm_critical_path *path,
                                const struct fm_formation *formation)
{
    const struct fm_analysis *analysis = formation->analysis;
    const struct fm_trace *trace = analysis->trace;
    if (formation->recorded == NULL) {
        return NULL;
    }
    struct search search = {
        .path = path,
        .analysis = analysis,
        .memory = fm_allocate_apart(fm_engine_workers(analysis->engine), sizeof *search.memory),
        .squares = fm_allocate(trace->location_count, sizeof *search.squares),
    };
    for (size_t s = 0; s < path->segments.count; s++) {
        fm_vector_push(&search.segments, path->segments.items[s]);
    }
    fm_sort(search.segments.items, search.segments.count, sizeof *search.segments.items,
            compare_places);
    fm_engine_run(analysis->engine, examine, &search);
    fm_vector_free(&search.segments);
    uint64_t *errors = fm_allocate(trace->callpaths.count, sizeof *errors);
    uint64_t *sums = fm_allocate(2 * trace->callpaths.count, sizeof *sums);
    for (uint32_t l = 0; l < trace->location_count; l++) {
        const struct fm_location *location = &trace->locations[l];
        for (size_t v = 0; search.squares[l] != NULL && v < location->profile.count; v++) {
            const uint32_t callpath = location->profile.items[v].callpath;
            const double high = floor(search.squares[l][v] / HIGH);
            sums[2 * callpath] += (uint64_t)high;
            sums[2 * callpath + 1] += (uint64_t)((search.squares[l][v] - high * HIGH) / LOW);
        }
        fm_free(search.squares[l]);
    }
    fm_team_sum(analysis->team, sums, 2 * trace->callpaths.count);
    for (size_t c = 0; c < trace->callpaths.count; c++) {
        const double square = (double)sums[2 * c] * HIGH + (double)sums[2 * c + 1] * LOW;
        errors[c] = (uint64_t)(STATED * sqrt(square));
    }
    fm_free(sums);
    for (unsigned w = 0; w < fm_engine_workers(analysis->engine); ++w) {
        fm_sample_errors_free(&search.memory[w].errors);
        fm_vector_free(&search.memory[w].intervals);
    }
    fm_free(search.memory);
    fm_free(search.squares);
    return errors;
}
