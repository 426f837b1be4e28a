/* SPDX-License-Identifier: BSD-3-Clause */
/* The imbalance heuristic: compares the computation time of each location with the mean over the
 * locations that visit the call path. */
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

static void book_location(const struct booking *booking, unsigned worker, uint32_t l, bool *visited)
{
    const struct fm_trace *trace = booking->formation->analysis->trace;
    const struct fm_location *location = &trace->locations[l];
    for (uint32_t v = 0; v < location->profile.count; ++v) {
        const struct fm_visit_profile *profile = &location->profile.items[v];
        visited[profile->callpath] = fm_is_visited(profile);
        if (fm_is_visited(profile) && trace->regions[profile->region].is_computation) {
            book_visitor(booking->formation, worker, l, v, profile->time,
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
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        book_location(booking, worker, l, visited);
    }
    fm_free(visited);
}

/* @return [call path], summed over all locations */
static struct computation *add_up(const struct fm_analysis *analysis)
{
    const struct fm_trace *trace = analysis->trace;
    struct computation *computations = fm_allocate(trace->callpaths.count, sizeof *computations);
    for (uint32_t l = 0; l < trace->location_count; ++l) {
        const struct fm_location *location = &trace->locations[l];
        for (size_t v = 0; v < location->profile.count; ++v) {
            const struct fm_visit_profile *profile = &location->profile.items[v];
            if (fm_is_visited(profile) && trace->regions[profile->region].is_computation) {
                computations[profile->callpath].time += profile->time;
                ++computations[profile->callpath].visitors;
            }
        }
    }
    fm_team_sum(analysis->team, &computations[0].time, trace->callpaths.count * 2);
    return computations;
}

void fm_imbalance_book(struct fm_formation *formation)
{
    struct computation *computations = add_up(formation->analysis);
    fm_engine_run(formation->analysis->engine, book, &(struct booking){formation, computations});
    fm_free(computations);
}
