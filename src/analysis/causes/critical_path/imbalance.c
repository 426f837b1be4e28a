/* SPDX-License-Identifier: BSD-3-Clause */
/* The imbalance heuristic: compares the computation time of each location with the mean over the
 * locations that visit the call path. Time that belongs to another metric (omp_fork) is no
 * computation. */
#include "analysis/causes/critical_path/critical_path.h"

/* Computation of one call path. */
struct computation {
    uint64_t time; /* on all locations */
    uint64_t visitors;
};

static void book_visitor(struct fm_formation *formation, unsigned worker, uint32_t location,
                         uint32_t visit, uint64_t time, const struct computation *computation)
{
    if (computation->visitors == 1) {
        fm_formation_add_cost(formation, worker, location, visit, FM_METRIC_IMBALANCE_ABOVE_SINGLE,
                              (double)time);
        return;
    }
    double excess = (double)time - (double)computation->time / (double)computation->visitors;
    fm_formation_add_cost(formation, worker, location, visit,
                          excess > 0 ? FM_METRIC_IMBALANCE_ABOVE : FM_METRIC_IMBALANCE_BELOW,
                          excess > 0 ? excess : -excess);
}

static void book_bypassing(struct fm_formation *formation, unsigned worker, uint32_t location,
                           uint32_t callpath, const struct computation *computation)
{
    fm_formation_add_at_callpath(formation, worker, location, callpath,
                                 computation->visitors == 1 ? FM_METRIC_IMBALANCE_BELOW_SINGULARITY
                                                            : FM_METRIC_IMBALANCE_BELOW_BYPASS,
                                 (double)computation->time / (double)computation->visitors);
}

struct booking {
    struct fm_formation *formation;
    const struct computation *computations; /* by call path */
};

/* The computation of one location; an array that is reused for the next one. */
typedef FM_VECTOR(uint64_t) time_vector;

/* Sets `times` [visit] to the time of computation; 0 in regions that are none. */
static void compute_times(const struct fm_analysis *analysis, uint32_t l, time_vector *times)
{
    const struct fm_trace *trace = analysis->trace;
    const struct fm_location *location = &trace->locations[l];
    const struct fm_findings *findings = &analysis->findings[l];
    times->count = 0;
    for (size_t v = 0; v < location->profile.count; ++v) {
        const struct fm_visit_profile *profile = &location->profile.items[v];
        fm_vector_push(times, trace->regions[profile->region].is_computation ? profile->time : 0);
    }
    for (size_t i = 0; i < findings->moved.count; ++i) {
        const struct fm_moved_time *moved = &findings->moved.items[i];
        uint64_t *time = &times->items[moved->visit];
        *time -= moved->ticks < *time ? moved->ticks : *time;
    }
}

static void book_location(const struct booking *booking, unsigned worker, uint32_t l, bool *visited,
                          time_vector *times)
{
    const struct fm_trace *trace = booking->formation->analysis->trace;
    const struct fm_location *location = &trace->locations[l];
    compute_times(booking->formation->analysis, l, times);
    for (uint32_t v = 0; v < location->profile.count; ++v) {
        const struct fm_visit_profile *profile = &location->profile.items[v];
        visited[profile->callpath] = fm_is_visited(profile);
        if (fm_is_visited(profile) && trace->regions[profile->region].is_computation) {
            book_visitor(booking->formation, worker, l, v, times->items[v],
                         &booking->computations[profile->callpath]);
        }
    }
    for (uint32_t c = 0; c < trace->callpaths.count; ++c) {
        if (!visited[c] && booking->computations[c].visitors != 0) {
            book_bypassing(booking->formation, worker, l, c, &booking->computations[c]);
        }
    }
    for (size_t v = 0; v < location->profile.count; ++v) {
        visited[location->profile.items[v].callpath] = false;
    }
}

static void book(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    const struct booking *booking = context;
    const struct fm_trace *trace = booking->formation->analysis->trace;
    bool *visited = fm_allocate(trace->callpaths.count, sizeof *visited);
    time_vector times = {0};
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        book_location(booking, worker, l, visited, &times);
    }
    fm_vector_free(&times);
    fm_free(visited);
}

/* @return [call path], summed over all locations */
static struct computation *add_up(const struct fm_analysis *analysis)
{
    const struct fm_trace *trace = analysis->trace;
    struct computation *computations = fm_allocate(trace->callpaths.count, sizeof *computations);
    time_vector times = {0};
    for (uint32_t l = 0; l < trace->location_count; ++l) {
        const struct fm_location *location = &trace->locations[l];
        compute_times(analysis, l, &times);
        for (size_t v = 0; v < location->profile.count; ++v) {
            const struct fm_visit_profile *profile = &location->profile.items[v];
            if (fm_is_visited(profile) && trace->regions[profile->region].is_computation) {
                computations[profile->callpath].time += times.items[v];
                ++computations[profile->callpath].visitors;
            }
        }
    }
    fm_vector_free(&times);
    fm_team_sum(analysis->team, &computations[0].time, trace->callpaths.count * 2);
    return computations;
}

void fm_imbalance_book(struct fm_formation *formation)
{
    struct computation *computations = add_up(formation->analysis);
    fm_engine_run(formation->analysis->engine, book, &(struct booking){formation, computations});
    fm_free(computations);
}
