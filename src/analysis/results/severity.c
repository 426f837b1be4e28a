/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/results/severity.h"

#include "analysis/model/own_metric.h"
#include "analysis/results/counter_metrics.h"

#include <stdlib.h>
#include <string.h>

/* The metrics of the counts of the trace. */
static const fm_metric_t count_metrics[FM_COUNT_KINDS] = {
    [FM_COUNT_EMPTY_SENDS] = FM_METRIC_SYNCS_SEND,
    [FM_COUNT_SENDS] = FM_METRIC_COMMS_SEND,
    [FM_COUNT_EMPTY_RECEIVES] = FM_METRIC_SYNCS_RECV,
    [FM_COUNT_RECEIVES] = FM_METRIC_COMMS_RECV,
    [FM_COUNT_EMPTY_COLLECTIVES] = FM_METRIC_SYNCS_COLL,
    [FM_COUNT_COLLECTIVE_EXCHANGES] = FM_METRIC_COMMS_CXCH,
    [FM_COUNT_COLLECTIVE_SOURCES] = FM_METRIC_COMMS_CSRC,
    [FM_COUNT_COLLECTIVE_DESTINATIONS] = FM_METRIC_COMMS_CDST,
    [FM_COUNT_PUTS] = FM_METRIC_COMMS_RMA_PUTS,
    [FM_COUNT_GETS] = FM_METRIC_COMMS_RMA_GETS,
    [FM_COUNT_ATOMICS] = FM_METRIC_COMMS_RMA_ATOMICS,
    [FM_COUNT_BYTES_SENT] = FM_METRIC_BYTES_SENT,
    [FM_COUNT_BYTES_RECEIVED] = FM_METRIC_BYTES_RCVD,
    [FM_COUNT_BYTES_COLLECTIVE_OUT] = FM_METRIC_BYTES_COUT,
    [FM_COUNT_BYTES_COLLECTIVE_IN] = FM_METRIC_BYTES_CIN,
    [FM_COUNT_BYTES_PUT] = FM_METRIC_BYTES_PUT,
    [FM_COUNT_BYTES_GET] = FM_METRIC_BYTES_GET,
    [FM_COUNT_BYTES_TO_ACCELERATORS] = FM_METRIC_ACCELERATOR_BYTES_TO,
    [FM_COUNT_BYTES_FROM_ACCELERATORS] = FM_METRIC_ACCELERATOR_BYTES_FROM,
    /* Those of files depend on the function, too. */
    [FM_COUNT_FILE_BYTES_READ] = FM_METRIC_NONE,
    [FM_COUNT_FILE_BYTES_WRITTEN] = FM_METRIC_NONE,
    [FM_COUNT_FILE_OPERATIONS] = FM_METRIC_NONE,
    [FM_COUNT_KERNEL_IDLE] = FM_METRIC_KERNEL_IDLE,
    [FM_COUNT_KERNEL_INACTIVE] = FM_METRIC_KERNEL_INACTIVE,
    [FM_COUNT_KERNEL_ADJUSTED] = FM_METRIC_KERNEL_ADJUSTED,
    [FM_COUNT_KERNEL_COMPOSITE] = FM_METRIC_KERNEL_COMPOSITE,
};

/** Adds the region of a call path to the report. @return false without memory */
static bool add_region(const struct fm_trace *trace, const struct fm_callpath *callpath,
                       struct fm_cube *cube)
{
    const struct fm_region *region = &trace->regions[callpath->region];
    if (callpath->kind != FM_CALLPATH_REGION) {
        char *name = fm_trace_callpath_name(trace, callpath);
        bool added = name != NULL &&
                     fm_cube_add_region(cube, name, FM_CUBE_PARAMETER, NULL, 0) != FM_CUBE_NONE;
        free(name);
        return added;
    }
    const bool at_line = callpath->line != FM_NONE && fm_region_has_lines(region);
    const struct fm_source_line *line = at_line ? &trace->lines[callpath->line] : NULL;
    const uint32_t added = fm_cube_add_region(
        cube, region->name, fm_paradigm_name(region->paradigm), at_line ? line->file : region->file,
        at_line ? line->line : region->line);
    if (added != FM_CUBE_NONE) {
        cube->regions[added].is_estimated = region->is_estimated;
    }
    return added != FM_CUBE_NONE;
}

/* Whether the line that calls a function tells its call path from others, not the line of its
 * region. */
static bool is_told_apart_by_line(const struct fm_trace *trace, const struct fm_callpath *callpath)
{
    return callpath->kind == FM_CALLPATH_REGION && callpath->line != FM_NONE &&
           !fm_region_has_lines(&trace->regions[callpath->region]);
}

/* Notes the line that calls a call path.
 * @param sites  line -> place in the report
 * @return false without memory */
static bool set_site(const struct fm_trace *trace, struct fm_cube *cube, uint32_t callpath,
                     struct fm_map *sites)
{
    const uint32_t number = trace->callpaths.items[callpath].line, next = cube->site_count;
    const struct fm_source_line *line = &trace->lines[number];
    const uint32_t site = *fm_map_at(sites, number, next);
    cube->callpaths[callpath].site = site;
    return site != next || fm_cube_add_site(cube, line->file, line->line) != FM_CUBE_NONE;
}

/* The processes of a world follow each other, and so do the locations.
 * @param first  in, out: first process of the world of the location before */
static void place_in_world(const struct fm_trace *trace, struct fm_cube_location *location,
                           uint32_t *first)
{
    location->world = trace->processes[location->rank].world;
    if (location->world != trace->processes[*first].world) {
        *first = location->rank;
    }
    location->world_rank = location->rank - *first;
}

fm_status_t fm_severity_dimensions(const struct fm_trace *trace, struct fm_cube *cube,
                                   struct fm_error *error)
{
    /* Only regions that were called: archives define hundreds that were not. Calls of libraries at
     * different lines are different regions of the report, and so are the values of a parameter: as
     * roots of a forest each of them occurs once. */
    struct fm_callpaths regions = {0};
    struct fm_map sites = {0};
    bool failed = false;
    for (size_t i = 0; i < trace->callpaths.count && !failed; ++i) {
        const struct fm_callpath *callpath = &trace->callpaths.items[i];
        struct fm_callpath root = *callpath;
        root.parent = FM_NONE;
        const bool has_site = is_told_apart_by_line(trace, callpath);
        root.line = has_site ? FM_NONE : root.line;
        uint32_t region = fm_callpaths_add(&regions, &root);
        if (region == cube->region_count) {
            failed = !add_region(trace, callpath, cube);
        }
        const uint32_t added = fm_cube_add_callpath(cube, callpath->parent, region);
        failed |= added == FM_CUBE_NONE || (has_site && !set_site(trace, cube, added, &sites));
    }
    fm_map_free(&sites);
    fm_callpaths_free(&regions);
    uint32_t first = 0;
    for (uint32_t i = 0; i < trace->location_count; ++i) {
        const struct fm_location *location = &trace->locations[i];
        const char *node = trace->processes[location->process].node;
        const uint32_t added = fm_cube_add_location(
            cube, location->id, location->process, location->thread,
            node == NULL ? "unknown node" : node, location->name == NULL ? "" : location->name);
        failed |= added == FM_CUBE_NONE;
        if (added != FM_CUBE_NONE) {
            cube->locations[added].is_stream = location->is_stream;
            place_in_world(trace, &cube->locations[added], &first);
        }
    }
    return failed ? fm_fail(error, FM_ERR_SYSTEM, "no memory for the report") : FM_OK;
}

typedef FM_VECTOR(struct fm_cube_cell) cell_vector;

struct filling {
    struct fm_analysis *analysis;
    const fm_metric_t *file_metrics; /* by region */
    const fm_metric_t *counters;     /* by counter: its metric */
    cell_vector *cells;              /* by worker */
};

/* The metrics of the formation are last in the table and are filled by formation.c. */
#define PROFILE_METRICS FM_METRIC_FORMATION

/* Values of one location: [node of its call tree][metric]. */
struct location_values {
    int64_t *values;
    size_t size;
};

static int64_t *value_at(struct location_values *location, uint32_t visit, fm_metric_t metric)
{
    return &location->values[(size_t)visit * PROFILE_METRICS + metric];
}

/* The metrics of the processor times of the trace. */
static const fm_metric_t processor_metrics[FM_STRETCH_TIME_COUNT] = {
    [FM_MEASURED_TIME] = FM_METRIC_MEASURED_TIME,
    [FM_STOLEN_TIME] = FM_METRIC_STOLEN_TIME,
    [FM_DELAY_MEASURED_TIME] = FM_METRIC_DELAY_MEASURED_TIME,
    [FM_RUN_DELAY] = FM_METRIC_RUN_DELAY,
    [FM_KERNEL_TIME] = FM_METRIC_COUNTER_USAGE_TIME_SYSTEM,
    [FM_PAGE_FAULTS] = FM_METRIC_COUNTER_USAGE_PAGE_FAULTS_MINOR,
    [FM_PAGE_FAULTS_DISK] = FM_METRIC_COUNTER_USAGE_PAGE_FAULTS_MAJOR,
    [FM_PREEMPTIONS] = FM_METRIC_COUNTER_USAGE_PREEMPTIONS,
    [FM_SWITCHES_VOLUNTARY] = FM_METRIC_COUNTER_USAGE_SWITCHES_VOLUNTARY,
    [FM_BLOCKED_TIME] = FM_METRIC_BLOCKED_TIME,
    [FM_UNRESOLVED_TIME] = FM_METRIC_UNRESOLVED_TIME,
    [FM_READING_TIME] = FM_METRIC_OVERHEAD, /* always 0: profiles have none (wait_errors.h) */
};

static void add_file_bytes(struct location_values *location, uint32_t visit, fm_metric_t own,
                           const uint64_t *counts)
{
    const bool collective = own == FM_METRIC_MPI_IO_COLLECTIVE;
    *value_at(location, visit,
              collective ? FM_METRIC_MPI_FILE_CRBYTES : FM_METRIC_MPI_FILE_IRBYTES) +=
        (int64_t)counts[FM_COUNT_FILE_BYTES_READ];
    *value_at(location, visit,
              collective ? FM_METRIC_MPI_FILE_CWBYTES : FM_METRIC_MPI_FILE_IWBYTES) +=
        (int64_t)counts[FM_COUNT_FILE_BYTES_WRITTEN];
}

static void add_profile(const struct filling *filling, const struct fm_location *location,
                        struct location_values *values)
{
    for (uint32_t v = 0; v < location->profile.count; ++v) {
        const struct fm_visit_profile *profile = &location->profile.items[v];
        fm_metric_t own = filling->analysis->own_metrics[profile->region];
        *value_at(values, v, own) += (int64_t)profile->time;
        *value_at(values, v, FM_METRIC_OVERHEAD) += (int64_t)profile->overhead;
        *value_at(values, v, FM_METRIC_VISITS) += (int64_t)profile->visits;
        *value_at(values, v, FM_METRIC_SAMPLES) += (int64_t)profile->samples;
        for (unsigned i = 0; i < FM_STRETCH_TIME_COUNT; i++) {
            *value_at(values, v, processor_metrics[i]) += (int64_t)profile->processor_times[i];
        }
        if (own == FM_METRIC_MPI_RMA_SYNC_ACTIVE) {
            *value_at(values, v, FM_METRIC_SYNCS_RMA_ACTIVE) += (int64_t)profile->visits;
        } else if (own == FM_METRIC_MPI_RMA_SYNC_PASSIVE) {
            *value_at(values, v, FM_METRIC_SYNCS_RMA_PASSIVE) += (int64_t)profile->visits;
        }
        fm_metric_t file = filling->file_metrics[profile->region];
        if (file != FM_METRIC_NONE) {
            *value_at(values, v, file) += (int64_t)profile->visits;
        }
        if (profile->counts != FM_NONE) {
            const uint64_t *counts = location->counts.items[profile->counts].values;
            for (unsigned kind = 0; kind < FM_COUNT_KINDS; ++kind) {
                if (count_metrics[kind] != FM_METRIC_NONE) {
                    *value_at(values, v, count_metrics[kind]) += (int64_t)counts[kind];
                }
            }
            add_file_bytes(values, v, own, counts);
        }
    }
}

/* Moves time of a call from the metric of its own time to `metric`. */
static void book(const struct filling *filling, const struct fm_location *location,
                 struct location_values *values, uint32_t activity, fm_metric_t metric,
                 uint64_t ticks)
{
    uint32_t visit = location->visit.items[activity];
    *value_at(values, visit,
              filling->analysis->own_metrics[location->profile.items[visit].region]) -=
        (int64_t)ticks;
    *value_at(values, visit, metric) += (int64_t)ticks;
}

static uint64_t wait_of(const struct fm_location *location, const struct fm_candidate *wait)
{
    return wait == NULL ? 0 : wait->t - fm_trace_begin(location, wait->activity);
}

/* @return the ticks of a call that are its completion */
static uint64_t completion_of(const struct fm_location *location, const struct fm_part *part,
                              const struct fm_candidate *wait)
{
    uint64_t waited_until = location->enter.items[part->activity] + wait_of(location, wait);
    uint64_t since = part->since > waited_until ? part->since : waited_until;
    uint64_t leave = location->leave.items[part->activity];
    uint64_t ticks = leave > since ? leave - since : 0;
    if (location->nested.count != 0) {
        uint64_t rest = fm_location_own_time(location, part->activity) - wait_of(location, wait);
        ticks = ticks < rest ? ticks : rest;
    }
    return ticks;
}

/* Adds the time of calls that were never left, as far as no rule explains it. */
static void add_open_calls(const struct filling *filling, const struct fm_location *location,
                           const struct fm_findings *findings, struct location_values *values)
{
    for (size_t i = 0; i < location->open.count; ++i) {
        const struct fm_unleft_region *open = &location->open.items[i];
        const uint32_t region = location->profile.items[open->visit].region;
        if (filling->analysis->own_metrics[region] == FM_METRIC_COMP) {
            continue;
        }
        if (open->activity == FM_NONE) {
            *value_at(values, open->visit, FM_METRIC_OPEN_CALL) += (int64_t)open->own;
            continue;
        }
        const uint64_t enter = location->enter.items[open->activity];
        const struct fm_candidate *wait = fm_findings_wait(findings, open->activity);
        uint64_t rest = fm_location_own_time(location, open->activity);
        rest -= wait != NULL && wait->t > enter ? wait->t - enter : 0;
        for (size_t p = 0; p < findings->parts.count; ++p) {
            const struct fm_part *part = &findings->parts.items[p];
            if (part->kind == FM_PART_COMPLETION && part->activity == open->activity) {
                rest -= completion_of(location, part, wait);
            }
        }
        *value_at(values, open->visit, FM_METRIC_OPEN_CALL) += (int64_t)rest;
    }
}

/* Moves the time of a part of a wait state from the metric of the wait state to that of the part.
 */
static void book_share(const struct fm_location *location, struct location_values *values,
                       const struct fm_part *part, const struct fm_candidate *wait)
{
    uint32_t visit = location->visit.items[part->activity];
    uint64_t waited = wait_of(location, wait);
    uint64_t ticks = part->kind == FM_PART_HEAD
                         ? part->since - location->enter.items[part->activity]
                         : wait->t - part->since;
    ticks = ticks < waited ? ticks : waited;
    *value_at(values, visit, (fm_metric_t)wait->metric) -= (int64_t)ticks;
    *value_at(values, visit, (fm_metric_t)part->metric) += (int64_t)ticks;
}

static void book_part(const struct filling *filling, const struct fm_location *location,
                      struct location_values *values, const struct fm_part *part,
                      const struct fm_candidate *wait)
{
    if (part->kind == FM_PART_COMPLETION) {
        book(filling, location, values, part->activity, (fm_metric_t)part->metric,
             completion_of(location, part, wait));
    } else if (wait == NULL || wait->metric != part->of) {
        return;
    } else if (part->kind == FM_PART_BESIDE) {
        uint32_t visit = location->visit.items[part->activity];
        *value_at(values, visit, (fm_metric_t)part->metric) += (int64_t)part->since;
    } else if (fm_trace_loop(location, part->activity) == NULL) {
        book_share(location, values, part, wait);
    }
}

static void add_findings(const struct filling *filling, const struct fm_location *location,
                         const struct fm_findings *findings, struct location_values *values)
{
    for (size_t i = 0; i < findings->waits.count; ++i) {
        const struct fm_candidate *wait = &findings->candidates.items[findings->waits.items[i]];
        if (fm_trace_loop(location, wait->activity) == NULL) { /* else fm_loop_waits_move() */
            book(filling, location, values, wait->activity, (fm_metric_t)wait->metric,
                 wait_of(location, wait));
        }
    }
    for (size_t i = 0; i < findings->parts.count; ++i) {
        const struct fm_part *part = &findings->parts.items[i];
        book_part(filling, location, values, part, fm_findings_wait(findings, part->activity));
    }
    for (size_t i = 0; i < findings->moved.count; ++i) {
        const struct fm_moved_time *moved = &findings->moved.items[i];
        const fm_metric_t own =
            filling->analysis->own_metrics[location->profile.items[moved->visit].region];
        *value_at(values, moved->visit, own) -= (int64_t)moved->ticks;
        *value_at(values, moved->visit, moved->metric) += (int64_t)moved->ticks;
    }
    for (size_t i = 0; i < findings->counts.count; ++i) {
        const struct fm_count *count = &findings->counts.items[i];
        for (uint32_t v = 0; v < location->profile.count; ++v) {
            *value_at(values, v, count->metric) += (int64_t)count->values[v];
        }
    }
}

/* Adds time that belongs to call paths that the location need not visit. */
static void add_outside_time(const struct fm_findings *findings, uint32_t l, cell_vector *cells)
{
    for (size_t i = 0; i < findings->outside.count; ++i) {
        const struct fm_outside_time *time = &findings->outside.items[i];
        fm_vector_push(cells, (struct fm_cube_cell){.metric = (uint32_t)time->metric,
                                                    .callpath = time->callpath,
                                                    .location = l,
                                                    .value = (int64_t)time->ticks});
    }
}

/* Adds the growth of counters. */
static void add_growth(const struct filling *filling, const struct fm_location *location,
                       uint32_t l, cell_vector *cells)
{
    const struct fm_trace *trace = filling->analysis->trace;
    for (size_t i = 0; i < location->growth.count; ++i) {
        const struct fm_counter_growth *growth = &location->growth.items[i];
        fm_metric_t metric = filling->counters[growth->counter];
        int64_t value = fm_counter_metric_value(trace, growth);
        if (metric != FM_METRIC_NONE && value != 0) {
            fm_vector_push(cells, (struct fm_cube_cell){
                                      .metric = (uint32_t)metric,
                                      .callpath = location->profile.items[growth->visit].callpath,
                                      .location = l,
                                      .value = value});
        }
    }
}

static void fill(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct filling *filling = context;
    const struct fm_trace *trace = filling->analysis->trace;
    cell_vector *cells = &filling->cells[worker];
    struct location_values values = {0};
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        const struct fm_location *location = &trace->locations[l];
        size_t size = location->profile.count * PROFILE_METRICS;
        if (size > values.size) {
            fm_free(values.values);
            values.values = fm_allocate(size, sizeof *values.values);
            values.size = size;
        }
        add_profile(filling, location, &values);
        add_findings(filling, location, &filling->analysis->findings[l], &values);
        add_open_calls(filling, location, &filling->analysis->findings[l], &values);
        for (size_t i = 0; i < size; ++i) {
            if (values.values[i] != 0) {
                uint32_t visit = (uint32_t)(i / PROFILE_METRICS);
                fm_vector_push(cells, (struct fm_cube_cell){
                                          .metric = (uint32_t)(i % PROFILE_METRICS),
                                          .callpath = location->profile.items[visit].callpath,
                                          .location = l,
                                          .value = values.values[i],
                                      });
                values.values[i] = 0;
            }
        }
        add_outside_time(&filling->analysis->findings[l], l, cells);
        add_growth(filling, location, l, cells);
    }
    fm_free(values.values);
}

fm_status_t fm_severity_fill(struct fm_analysis *analysis, struct fm_cube *cube,
                             struct fm_error *error)
{
    const struct fm_trace *trace = analysis->trace;
    unsigned workers = fm_engine_workers(analysis->engine);
    fm_metric_t *file = fm_allocate(trace->region_count, sizeof *file);
    for (uint32_t i = 0; i < trace->region_count; ++i) {
        file[i] = fm_file_operation_metric(&trace->regions[i]);
    }
    fm_metric_t *counters = fm_counter_metrics(trace);
    struct filling filling = {analysis, file, counters, fm_allocate(workers, sizeof(cell_vector))};
    fm_engine_run(analysis->engine, fill, &filling);
    fm_status_t status = FM_OK;
    for (unsigned w = 0; w < workers; ++w) {
        for (size_t i = 0; i < filling.cells[w].count && status == FM_OK; ++i) {
            const struct fm_cube_cell *cell = &filling.cells[w].items[i];
            status = fm_cube_add(cube, (fm_metric_t)cell->metric, cell->callpath, cell->location,
                                 cell->value, error);
        }
        fm_vector_free(&filling.cells[w]);
    }
    fm_free(filling.cells);
    fm_free(file);
    fm_free(counters);
    return status;
}

fm_status_t fm_severity_check(const struct fm_trace *trace, const struct fm_cube *cube,
                              struct fm_error *error)
{
    size_t callpaths = cube->callpath_count;
    int64_t *spent = fm_allocate(callpaths, sizeof *spent);
    fm_status_t status = FM_OK;
    for (size_t i = 0; i < cube->cell_count && status == FM_OK; ++i) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        if (cell->value < 0) {
            status = fm_fail(error, FM_ERR_FAILED,
                             "invariant violated: %s is %lld at call path %u, location %u",
                             fm_metric_info((fm_metric_t)cell->metric)->id, (long long)cell->value,
                             cell->callpath, cell->location);
        }
    }
    for (uint32_t l = 0; l < trace->location_count && status == FM_OK; ++l) {
        const struct fm_location *location = &trace->locations[l];
        for (size_t v = 0; v < location->profile.count; ++v) {
            const struct fm_visit_profile *profile = &location->profile.items[v];
            spent[profile->callpath] += (int64_t)(profile->time + profile->overhead);
        }
        for (fm_metric_t metric = 0; metric < FM_METRIC_USER; ++metric) {
            /* Idle threads are outside of all of their regions. */
            if (fm_metric_root(metric) != FM_METRIC_TIME || metric == FM_METRIC_OMP_IDLE_THREADS ||
                metric == FM_METRIC_OMP_LIMITED_PARALLELISM) {
                continue;
            }
            for (size_t v = 0; v < location->profile.count; ++v) {
                uint32_t callpath = location->profile.items[v].callpath;
                spent[callpath] -= fm_cube_value(cube, metric, callpath, l);
            }
        }
        for (size_t v = 0; v < location->profile.count; ++v) {
            uint32_t callpath = location->profile.items[v].callpath;
            if (spent[callpath] != 0 && status == FM_OK) {
                status = fm_fail(error, FM_ERR_FAILED,
                                 "invariant violated: the time tree misses %lld ticks of call path "
                                 "%u at location %u",
                                 (long long)spent[callpath], callpath, l);
            }
            spent[callpath] = 0;
        }
    }
    fm_free(spent);
    return status;
}
