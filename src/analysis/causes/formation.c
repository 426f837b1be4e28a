/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/causes/formation.h"

#include "analysis/causes/cost_table.h"
#include "analysis/causes/profile_excess.h"

#include <inttypes.h>
#include <math.h>

/* A worker's sums over the wait states of its locations. */
struct opened {
    uint64_t *caused_counts; /* [location]: number of these wait states that it has caused */
    uint64_t waiting;        /* ticks */
    struct fm_wait_times times;
};

struct opening {
    struct fm_formation *formation;
    struct opened **workers;
};

static void open_busy_times(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct opening *opening = context;
    struct fm_formation *formation = opening->formation;
    const struct fm_trace *trace = formation->analysis->trace;
    struct opened *opened = fm_allocate_apart(1, sizeof *opened);
    opening->workers[worker] = opened;
    opened->caused_counts = fm_allocate(trace->location_count, sizeof *opened->caused_counts);
    opened->times = *formation->times;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        const struct fm_wait_list *waits = &formation->busy_times[l].waits;
        fm_busy_time_open(&formation->busy_times[l], &trace->locations[l],
                          &formation->analysis->findings[l]);
        fm_wait_times_add(&opened->times, waits);
        for (uint32_t w = 0; w < waits->count; ++w) {
            ++opened->caused_counts[waits->items[w].cause_location];
            opened->waiting += fm_wait_ticks(&waits->items[w]);
        }
    }
}

/* Adds up the results of all workers and of all processes of the team. */
static void add_up(struct fm_formation *formation, const struct opening *opening)
{
    const struct fm_analysis *analysis = formation->analysis;
    const uint32_t locations = analysis->trace->location_count;
    for (unsigned w = 0; w < fm_engine_workers(analysis->engine); ++w) {
        struct opened *opened = opening->workers[w];
        for (uint32_t l = 0; l < locations; ++l) {
            formation->caused_counts[l] += opened->caused_counts[l];
        }
        for (unsigned bin = 0; bin < FM_WAIT_TIME_BINS; ++bin) {
            formation->times->counts[bin] += opened->times.counts[bin];
        }
        formation->waiting += opened->waiting;
        fm_free(opened->caused_counts);
        fm_free(opened);
    }
    fm_team_sum(analysis->team, formation->caused_counts, locations);
    fm_team_sum(analysis->team, formation->times->counts, FM_WAIT_TIME_BINS);
    fm_team_sum(analysis->team, &formation->waiting, 1);
}

static uint32_t binary_digits(uint64_t value)
{
    return value == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(value);
}

/* @return the largest number of binary digits after the point (at most 50) for which no sum of
 * costs exceeds 63 bits: all costs together are at most the CPU time of all locations, once for
 * each location (imbalance) */
static uint32_t choose_shift(const struct fm_trace *trace)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < trace->location_count; ++i) {
        const struct fm_location *location = &trace->locations[i];
        total += location->event_count == 0 ? 0 : location->end - location->begin;
    }
    uint32_t digits = binary_digits(total) + binary_digits(trace->location_count) + 2;
    return digits < 62 ? (62 - digits < 50 ? 62 - digits : 50) : 0;
}

void fm_formation_open(struct fm_formation *formation, struct fm_analysis *analysis)
{
    uint32_t locations = analysis->trace->location_count;
    *formation = (struct fm_formation){
        .analysis = analysis,
        .busy_times = fm_allocate(locations, sizeof *formation->busy_times),
        .recorded = fm_recorded_callpaths(analysis->trace),
        .caused_counts = fm_allocate(locations, sizeof *formation->caused_counts),
        .costs = fm_allocate_apart(fm_engine_workers(analysis->engine), sizeof *formation->costs),
        .remote = fm_allocate_apart(fm_engine_workers(analysis->engine), sizeof *formation->remote),
        .times = fm_allocate(1, sizeof *formation->times),
        .cost_shift = choose_shift(analysis->trace),
    };
    fm_wait_times_begin(formation->times, analysis->trace);
    formation->cost_scale = (double)(UINT64_C(1) << formation->cost_shift);
    struct opening opening = {
        formation, fm_allocate(fm_engine_workers(analysis->engine), sizeof *opening.workers)};
    fm_engine_run(analysis->engine, open_busy_times, &opening);
    add_up(formation, &opening);
    fm_free(opening.workers);
}

static void close_busy_times(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct fm_formation *formation = context;
    const struct fm_trace *trace = formation->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        fm_busy_time_close(&formation->busy_times[l]);
    }
}

void fm_formation_close(struct fm_formation *formation)
{
    fm_formation_forget_caused(formation);
    fm_engine_run(formation->analysis->engine, close_busy_times, formation);
    for (unsigned w = 0; w < fm_engine_workers(formation->analysis->engine); ++w) {
        fm_remote_costs_free(&formation->remote[w]);
        fm_vector_free(&formation->costs[w].cells);
    }
    fm_free(formation->busy_times);
    fm_free(formation->recorded);
    fm_free(formation->caused_counts);
    fm_free(formation->blame_pairs);
    fm_free(formation->times);
    fm_free(formation->costs);
    fm_free(formation->remote);
}

void fm_formation_add_at_callpath(struct fm_formation *formation, unsigned worker,
                                  uint32_t location, uint32_t callpath, fm_metric_t metric,
                                  double ticks)
{
    struct fm_cost_cells *costs = &formation->costs[worker];
    if (ticks != 0) {
        ++costs->roundings;
        fm_vector_push(&costs->cells,
                       (struct fm_cube_cell){(uint32_t)metric, callpath, location,
                                             fm_cost_rounded(ticks, formation->cost_scale)});
    }
}

void fm_formation_add_cost(struct fm_formation *formation, unsigned worker, uint32_t location,
                           uint32_t visit, fm_metric_t metric, double ticks)
{
    const struct fm_location *at = &formation->analysis->trace->locations[location];
    fm_formation_add_at_callpath(formation, worker, location, at->profile.items[visit].callpath,
                                 metric, ticks);
}

static fm_status_t add_cells(struct fm_cube *cube, const struct fm_cube_cell *cells, size_t count,
                             struct fm_error *error)
{
    fm_status_t status = FM_OK;
    for (size_t i = 0; i < count && status == FM_OK; ++i) {
        status = fm_cube_add(cube, (fm_metric_t)cells[i].metric, cells[i].callpath,
                             cells[i].location, cells[i].value, error);
    }
    return status;
}

static fm_status_t add_rows(struct fm_cube *cube, const struct fm_remote_costs *remote,
                            struct fm_error *error)
{
    fm_status_t status = FM_OK;
    for (size_t i = 0; i < remote->rows.count && status == FM_OK; ++i) {
        const struct fm_remote_cost *row = &remote->rows.items[i];
        const struct fm_delay_metrics *metrics = fm_delay_metrics((fm_delay_kind_t)row->kind);
        const struct fm_cube_cell cells[] = {
            {(uint32_t)metrics->direct, row->callpath, row->location, row->direct},
            {(uint32_t)metrics->indirect, row->callpath, row->location, row->indirect},
        };
        status = add_cells(cube, cells, 2, error);
    }
    return status;
}

fm_status_t fm_formation_fill(const struct fm_formation *formation, struct fm_cube *cube,
                              struct fm_error *error)
{
    if (formation->is_circular) {
        return fm_fail(error, FM_ERR_FAILED, "invariant violated: wait states cause themselves");
    }
    fm_status_t status = FM_OK;
    cube->experiment.cost_shift = formation->cost_shift;
    for (unsigned w = 0; w < fm_engine_workers(formation->analysis->engine) && status == FM_OK;
         ++w) {
        const struct fm_cost_cells *costs = &formation->costs[w];
        status = add_cells(cube, costs->cells.items, costs->cells.count, error);
        if (status == FM_OK) {
            status = add_rows(cube, &formation->remote[w], error);
        }
    }
    return status;
}

fm_status_t fm_formation_check(const struct fm_formation *formation, const struct fm_cube *cube,
                               struct fm_error *error)
{
    struct sums {
        double costs;
        uint64_t roundings;
        uint64_t blame;
    } sums = {0, 0, 0};
    for (size_t i = 0; i < cube->cell_count; ++i) {
        fm_metric_t root = fm_metric_root((fm_metric_t)cube->cells[i].metric);
        if (root == FM_METRIC_DELAY || root == FM_METRIC_INTERVAL_DELAY) {
            sums.costs += ldexp((double)cube->cells[i].value, -(int)formation->cost_shift);
        } else if (root == FM_METRIC_BLAME) {
            sums.blame += (uint64_t)cube->cells[i].value;
        }
    }
    for (unsigned w = 0; w < fm_engine_workers(formation->analysis->engine); ++w) {
        sums.roundings += formation->costs[w].roundings;
    }
    size_t bytes;
    struct sums *parts = fm_team_share(formation->analysis->team, &sums, sizeof sums, &bytes);
    sums = (struct sums){0, 0, 0};
    for (size_t i = 0; i < bytes / sizeof *parts; ++i) {
        sums.costs += parts[i].costs;
        sums.roundings += parts[i].roundings;
        sums.blame += parts[i].blame;
    }
    fm_free(parts);
    double waiting = (double)formation->waiting;
    double rounded = ldexp((double)sums.roundings, -(int)formation->cost_shift);
    if (fabs(sums.costs - waiting) > 1e-9 * waiting + rounded) {
        return fm_fail(error, FM_ERR_FAILED,
                       "invariant violated: costs are %.17g ticks, waiting is %.17g ticks",
                       sums.costs, waiting);
    }
    if (sums.blame != formation->waiting) {
        return fm_fail(error, FM_ERR_FAILED,
                       "invariant violated: blame is %" PRIu64 " ticks, waiting is %" PRIu64
                       " ticks",
                       sums.blame, formation->waiting);
    }
    return FM_OK;
}
