/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/analysis.h"

#include "analysis/causes/cause_chain.h"
#include "analysis/causes/critical_path/critical_path.h"
#include "analysis/causes/formation.h"
#include "analysis/clocks/wait_errors.h"
#include "analysis/dependencies/dependencies.h"
#include "analysis/detail.h"
#include "analysis/hang/ends.h"
#include "analysis/hang/hang.h"
#include "analysis/load.h"
#include "analysis/locks/lock_holders.h"
#include "analysis/locks/lock_queue.h"
#include "analysis/model/own_metric.h"
#include "analysis/p2p/partitioned_sends.h"
#include "analysis/p2p/unexpected.h"
#include "analysis/pass.h"
#include "analysis/pattern.h"
#include "analysis/problems/blamed_waits.h"
#include "analysis/problems/run_problems.h"
#include "analysis/progress/progress_evidence.h"
#include "analysis/progress/progress_findings.h"
#include "analysis/replicate.h"
#include "analysis/results/coverage.h"
#include "analysis/results/detail_blame.h"
#include "analysis/results/loop_waits.h"
#include "analysis/results/matrices.h"
#include "analysis/results/phases.h"
#include "analysis/results/severity.h"
#include "analysis/results/statistics.h"
#include "analysis/results/topologies.h"
#include "analysis/results/warnings.h"
#include "analysis/selected_waits.h"

#include "analysis/threads/thread_starts.h"

#include <string.h>

static void describe_experiment(const struct fm_trace *trace, struct fm_cube *cube)
{
    struct fm_cube_experiment *experiment = &cube->experiment;
    experiment->begin = UINT64_MAX;
    for (uint32_t i = 0; i < trace->location_count; ++i) {
        const struct fm_location *location = &trace->locations[i];
        experiment->event_count += location->event_count;
        if (location->event_count != 0) {
            experiment->begin =
                location->begin < experiment->begin ? location->begin : experiment->begin;
            experiment->end = location->end > experiment->end ? location->end : experiment->end;
        }
    }
    if (experiment->event_count == 0) {
        experiment->begin = experiment->end = 0;
    }
    experiment->ticks_per_second = trace->ticks_per_second;
    experiment->process_count = trace->process_count;
    experiment->title = trace->program == NULL ? NULL : strdup(trace->program);
    experiment->creator = trace->creator == NULL ? NULL : strdup(trace->creator);
    experiment->machine = trace->machine == NULL ? NULL : strdup(trace->machine);
}

/* Sums the omissions of all processes of the team. All members of the structure are counters of one
 * type, so that it is treated as an array. */
static void add_up_omissions(struct fm_analysis *analysis)
{
    atomic_uint_fast64_t *omissions = &analysis->omissions.unmatched_sends;
    uint64_t counts[sizeof analysis->omissions / sizeof *omissions];
    const size_t count = sizeof counts / sizeof *counts;
    for (size_t i = 0; i < count; ++i) {
        counts[i] = omissions[i];
    }
    fm_team_sum(analysis->team, counts, count);
    for (size_t i = 0; i < count; ++i) {
        omissions[i] = counts[i];
    }
}

/* All results that the report is made from; each process of the analysis has its part. */
struct results {
    struct fm_statistics_list statistics;
    struct fm_formation formation;
    struct fm_critical_path path;
    struct fm_phase_list phases;
    struct fm_cube_bins bins;
    struct fm_cube_matrix matrices[FM_MATRIX_COUNT];
    struct fm_run_problems problems;
};

/* No step in here fails, so that all processes take part in every collective step. */
static void compute(struct fm_analysis *analysis, uint64_t begin, uint64_t end,
                    struct results *results)
{
    struct fm_formation *formation = &results->formation;
    fm_stage_begin(analysis->times, "statistics");
    add_up_omissions(analysis);
    fm_lock_queues_collect(analysis->lock_queues, analysis->team);
    results->statistics = fm_statistics_compute(analysis, begin);
    fm_stage_begin(analysis->times, "delay costs");
    fm_formation_open(formation, analysis);
    fm_formation_costs(formation);
    fm_stage_begin(analysis->times, "blame");
    struct fm_blamed_waits *blamed = fm_blamed_waits_note(
        formation, begin, results->statistics.items, results->statistics.count);
    fm_stage_begin(analysis->times, "cause chains");
    fm_cause_chains_find(formation, begin, &results->statistics);
    fm_stage_begin(analysis->times, "critical path");
    fm_critical_path_open(&results->path, formation);
    if (analysis->open_ends == 0) {
        fm_critical_path_book(&results->path, formation);
        fm_performance_impact_book(&results->path, formation);
    }
    fm_imbalance_book(formation);
    if (analysis->blames == NULL) { /* else it is asked for each wait state below */
        fm_lock_holders_forget(analysis->lock_holders);
    }
    fm_stage_begin(analysis->times, "phases and matrices");
    results->phases = fm_phases_compute(formation, begin);
    results->bins = fm_time_bins_compute(formation, begin, end);
    fm_matrices_compute(formation, FM_CUBE_LINKS, results->matrices);
    fm_stage_begin(analysis->times, "problems");
    results->problems =
        fm_run_problems_find(formation, blamed, &results->path, &results->phases, begin, end);
    fm_blamed_waits_free(blamed, analysis->trace->location_count);
    if (analysis->blames != NULL) {
        fm_detail_blames_find(formation, analysis->blames);
    }
    fm_formation_forget_caused(formation);
}

static void free_results(struct results *results)
{
    for (int kind = 0; kind < FM_MATRIX_COUNT; ++kind) {
        fm_free(results->matrices[kind].links);
    }
    fm_run_problems_free(&results->problems);
    fm_free(results->bins.cells);
    fm_phases_free(&results->phases);
    fm_critical_path_close(&results->path, results->formation.analysis->trace->location_count);
    fm_formation_close(&results->formation);
    fm_statistics_free(&results->statistics);
}

/* Adds the user's choices to the report. */
static fm_status_t describe_options(const struct fm_analysis *analysis,
                                    const struct fm_analysis_options *options, struct fm_cube *cube,
                                    struct fm_error *error)
{
    cube->path_from_init_to_finalize = options->path_from_init_to_finalize;
    for (int m = 0; options->switched_off != NULL && m < FM_METRIC_USER; ++m) {
        if (options->switched_off[m]) {
            fm_cube_switch_off(cube, fm_metric_info((fm_metric_t)m)->id);
        }
    }
    cube->errors = options->errors;
    if (options->partitions == NULL) {
        return FM_OK;
    }
    uint32_t names = (uint32_t)options->partitions->names.count;
    uint32_t *of_location = fm_allocate(cube->location_count, sizeof *of_location);
    for (uint32_t l = 0; l < cube->location_count; ++l) {
        of_location[l] =
            analysis->partition_of[l] < names ? analysis->partition_of[l] : FM_CUBE_NONE;
    }
    fm_status_t status =
        fm_cube_set_partitions(cube, options->partitions->names.items, names, of_location, error);
    fm_free(of_location);
    return status;
}

/* Phases and time bins, matrices, topologies. */
static fm_status_t fill_views(const struct fm_trace *trace, const struct results *results,
                              struct fm_cube *cube, struct fm_error *error)
{
    fm_status_t status = fm_phases_fill(&results->phases, trace, cube, error);
    if (status == FM_OK && cube->location_count > 0) {
        status = fm_cube_set_bins(cube, &results->bins, error);
    }
    for (int kind = 0; kind < FM_MATRIX_COUNT && status == FM_OK; ++kind) {
        status = fm_cube_set_matrix(cube, (enum fm_cube_matrix_kind)kind, &results->matrices[kind],
                                    error);
    }
    return status == FM_OK ? fm_topologies_add(trace, cube, error) : status;
}

/* Adds the results that only process 0 has. */
static fm_status_t fill_common(const struct fm_analysis *analysis,
                               const struct fm_analysis_options *options,
                               const struct results *results, struct fm_cube *cube,
                               struct fm_error *error)
{
    fm_status_t status = describe_options(analysis, options, cube, error);
    if (status == FM_OK && analysis->hang != NULL) {
        status = fm_cube_set_hang(cube, analysis->hang, error);
    }
    fm_last_partitions_fill(analysis, cube);
    fm_unexpected_fill(analysis, cube);
    if (status == FM_OK) {
        status = fm_statistics_fill(&results->statistics, cube, error);
    }
    if (status == FM_OK) {
        status = fm_lock_queues_fill(analysis->lock_queues, analysis->trace, cube, error);
    }
    if (status == FM_OK) {
        status = fill_views(analysis->trace, results, cube, error);
    }
    if (status == FM_OK) {
        status = fm_run_problems_fill(&results->problems, analysis->lock_queues, cube, error);
    }
    if (status == FM_OK) {
        status = fm_warnings_add(analysis, cube, error);
    }
    fm_progress_findings_add(analysis, cube);
    return status == FM_OK && analysis->open_ends == 0
               ? fm_critical_path_fill(&results->path, &results->statistics.recorder, cube, error)
               : status;
}

/* Fills this process's part of the report: dimensions, and the cells of its locations. */
static fm_status_t fill_own(struct fm_analysis *analysis, const struct fm_analysis_options *options,
                            const struct results *results, struct fm_cube *cube,
                            struct fm_error *error)
{
    fm_status_t status = fm_severity_dimensions(analysis->trace, cube, error);
    if (status == FM_OK) {
        status = fm_severity_fill(analysis, cube, error);
    }
    if (status == FM_OK) {
        status = fm_formation_fill(&results->formation, cube, error);
    }
    if (status == FM_OK && fm_team_leads(analysis->team)) {
        status = fill_common(analysis, options, results, cube, error);
    }
    return status == FM_OK ? fm_cube_seal(cube, error) : status;
}

static fm_status_t check_invariants(const struct fm_analysis *analysis,
                                    const struct results *results, const struct fm_cube *cube,
                                    struct fm_error *error)
{
    struct fm_error costs_error;
    fm_status_t status = fm_severity_check(analysis->trace, cube, error);
    fm_status_t costs = fm_formation_check(&results->formation, cube, &costs_error);
    if (status == FM_OK && costs != FM_OK) {
        status = fm_fail(error, costs, "%s", costs_error.message);
    }
    if (status == FM_OK && fm_team_leads(analysis->team)) {
        status = fm_critical_path_check(&results->path, error);
    }
    if (status == FM_OK && fm_team_leads(analysis->team)) {
        status = fm_run_problems_check(&results->problems, &results->formation, error);
    }
    return fm_team_agree(analysis->team, status, error);
}

/* Adds the cells of the other processes to those of process 0. */
static fm_status_t merge_cells(struct fm_team *team, struct fm_cube *cube, struct fm_error *error)
{
    size_t own = fm_team_leads(team) ? 0 : cube->cell_count, bytes;
    struct fm_cube_cell *cells =
        fm_team_collect(team, cube->cells, own * sizeof *cube->cells, &bytes);
    fm_status_t status = FM_OK;
    for (size_t i = 0; i < bytes / sizeof *cells && status == FM_OK; ++i) {
        status = fm_cube_add(cube, (fm_metric_t)cells[i].metric, cells[i].callpath,
                             cells[i].location, cells[i].value, error);
    }
    fm_free(cells);
    return status == FM_OK ? fm_cube_seal(cube, error) : status;
}

static fm_status_t fill_cube(struct fm_analysis *analysis,
                             const struct fm_analysis_options *options, struct fm_cube *cube,
                             struct fm_error *error)
{
    struct fm_team *team = analysis->team;
    struct results results = {0};
    describe_experiment(analysis->trace, cube);
    compute(analysis, cube->experiment.begin, cube->experiment.end, &results);
    fm_stage_begin(analysis->times, "fill report");
    fm_status_t status =
        fm_team_agree(team, fill_own(analysis, options, &results, cube, error), error);
    if (status == FM_OK && options->check) {
        status = check_invariants(analysis, &results, cube, error);
    }
    free_results(&results);
    if (status == FM_OK && fm_team_size(team) > 1) {
        status = fm_team_agree(team, merge_cells(team, cube, error), error);
    }
    return status;
}

static struct fm_engine *create_engine(const struct fm_trace *trace, struct fm_team *team,
                                       unsigned workers)
{
    uint64_t *weights = fm_allocate(trace->process_count, sizeof *weights);
    for (uint32_t i = 0; i < trace->location_count; ++i) {
        weights[fm_trace_process(trace, i)] += trace->locations[i].defined_events;
    }
    struct fm_engine *engine = fm_engine_create(team, workers, trace->process_count, weights);
    fm_free(weights);
    return engine;
}

/* @return a hash of the options */
static uint64_t summary_of(const struct fm_analysis_options *options)
{
    uint64_t flags = (uint64_t)options->asynchronous_progress | (uint64_t)options->check << 1 |
                     (uint64_t)options->path_from_init_to_finalize << 2 |
                     (uint64_t)options->progress_by_targets << 3 | (uint64_t)options->clock << 4 |
                     (uint64_t)options->callsites << 6;
    for (int m = 0; options->switched_off != NULL && m < FM_METRIC_USER; ++m) {
        flags = options->switched_off[m] ? flags * 1000003 + (uint64_t)m + 32 : flags;
    }
    return options->partitions == NULL ? flags : fm_partitions_summary(options->partitions, flags);
}

static fm_status_t open_trace(const char *archive, const struct fm_analysis_options *options,
                              struct fm_trace **trace, struct fm_error *error)
{
    *trace = NULL;
    fm_status_t status = fm_team_agree(options->team, fm_trace_open(archive, trace, error), error);
    if (status == FM_OK) {
        status = fm_replicate_check(options->team, *trace, summary_of(options), error);
    }
    if (status != FM_OK) {
        fm_trace_free(*trace);
        *trace = NULL;
    }
    return status;
}

static void forget_records(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    fm_trace_forget_records(context, first, last);
}

/* Finds all wait states. */
static void detect(struct fm_analysis *analysis, struct fm_trace *trace, bool in_detail,
                   const bool *switched_off)
{
    analysis->findings = fm_allocate(trace->location_count, sizeof *analysis->findings);
    if (in_detail) {
        analysis->messages = fm_allocate(trace->process_count, sizeof *analysis->messages);
    }
    if (in_detail) { /* keeps the records, which the caller reads afterwards */
        fm_readers_add(analysis, FM_READS(MESSAGES) | FM_READS(COLLECTIVES) | FM_READS(ONE_SIDED));
    }
    const unsigned read_by_hang =
        analysis->open_ends == 0 || in_detail
            ? 0
            : FM_READS(MESSAGES) | FM_READS(COLLECTIVES) | FM_READS(ONE_SIDED);
    fm_readers_add(analysis, read_by_hang);
    analysis->thread_starts = fm_thread_starts_create(trace->location_count);
    fm_stage_begin(analysis->times, "find missing records");
    analysis->coverage = fm_coverage_find(analysis);
    fm_patterns_run(analysis);
    if (analysis->dependencies != NULL) {
        fm_stage_begin(analysis->times, "sort dependencies");
        fm_dependencies_finish(analysis);
    }
    if (analysis->open_ends != 0) {
        fm_stage_begin(analysis->times, "who waits for whom");
        analysis->hang = fm_hang_find(analysis);
        fm_readers_remove(analysis, read_by_hang);
    }
    fm_thread_starts_sort(analysis->thread_starts);
    if (!in_detail) {
        fm_engine_run(analysis->engine, forget_records, trace);
    }
    fm_stage_begin(analysis->times, "choose wait states");
    if (switched_off != NULL) {
        fm_waits_select(analysis, switched_off);
    }
    fm_findings_arbitrate(analysis->findings, trace, analysis->engine);
    fm_loop_waits_move(analysis);
}

static fm_status_t create_cube(struct fm_team *team, struct fm_cube **cube, struct fm_error *error)
{
    *cube = fm_cube_create();
    fm_status_t status =
        *cube != NULL ? FM_OK : fm_fail(error, FM_ERR_SYSTEM, "no memory for the report");
    return fm_team_agree(team, status, error);
}

static void free_findings(struct fm_findings *findings, uint32_t location_count)
{
    for (uint32_t i = 0; i < location_count; ++i) {
        fm_findings_free(&findings[i]);
    }
    fm_free(findings);
}

/* Transfers the tables, which the analysis would free otherwise, to the caller. */
static struct fm_detail *hand_out(struct fm_analysis *analysis, struct fm_trace *trace)
{
    struct fm_detail *detail = fm_allocate(1, sizeof *detail);
    *detail = (struct fm_detail){
        .trace = trace,
        .open_ends = analysis->open_ends,
        .findings = analysis->findings,
        .messages = analysis->messages,
        .dependencies = analysis->dependencies,
        .holds = fm_lock_queues_take_holds(analysis->lock_queues),
        .times = analysis->times,
    };
    return detail;
}

/* Classifies each region by its name. @return [region]: metric of its own time, to be freed */
static fm_metric_t *classify_regions(struct fm_trace *trace)
{
    fm_metric_t *own_metrics = fm_allocate(trace->region_count, sizeof *own_metrics);
    for (uint32_t i = 0; i < trace->region_count; ++i) {
        own_metrics[i] = fm_own_metric(&trace->regions[i]);
        trace->regions[i].is_computation = own_metrics[i] == FM_METRIC_COMP;
    }
    return own_metrics;
}

/* @return whether the dependencies of all calls are kept: not of runs with more events than are
 * wanted in detail, or if there is no memory for them */
static bool decide_dependencies(const struct fm_trace *trace,
                                const struct fm_analysis_options *options,
                                const struct fm_pass_clocks *clocks, bool in_detail)
{
    uint64_t events = 0;
    for (uint32_t l = 0; l < trace->location_count; ++l) {
        events += trace->locations[l].defined_events;
    }
    const bool is_too_long = options->most_events != 0 && events > options->most_events;
    const bool are_wanted = clocks->keeps_violated || (options->dependencies && !is_too_long);
    const struct fm_analysis_size size = {
        .events = events,
        .locations = trace->location_count,
        .has_windows = trace->window_count > 0,
        .has_threads = trace->location_count > trace->process_count,
        .is_sampled = trace->is_sampled,
        .in_detail = in_detail && !options->only_dependencies,
        .has_dependencies = are_wanted,
        .needs_dependencies = clocks->keeps_violated,
    };
    const bool have_room = options->sized == NULL || options->sized(options->sized_context, &size);
    return clocks->keeps_violated || (are_wanted && have_room);
}

/* Sums over all processes of the team what the pass has found out about clocks. */
static struct fm_pass_found find_out(const struct fm_analysis *analysis)
{
    const struct fm_omissions *omissions = &analysis->omissions;
    uint64_t sums[] = {omissions->clock_violations + omissions->clock_violating_members, 0};
    for (uint32_t l = 0; l < analysis->trace->location_count; l++) {
        sums[1] += analysis->trace->locations[l].has_clock_offsets;
    }
    fm_team_sum(analysis->team, sums, sizeof sums / sizeof *sums);
    return (struct fm_pass_found){
        .violations = analysis->dependencies != NULL && analysis->dependencies->keeps_violated
                          ? analysis->dependencies->violations
                          : sums[0],
        .lacks_offsets = sums[1] == 0 && analysis->trace->process_count > 1,
        .is_own = fm_trace_is_own(analysis->trace),
    };
}

fm_status_t fm_analysis_pass(const char *archive, const struct fm_analysis_options *options,
                             const struct fm_pass_clocks *clocks, struct fm_cube **cube,
                             struct fm_detail **detail, struct fm_pass_found *found,
                             struct fm_error *error)
{
    struct fm_trace *trace;
    fm_stage_begin(options->times, "open archive");
    fm_status_t status = open_trace(archive, options, &trace, error);
    if (status != FM_OK) {
        return status;
    }
    uint32_t *partition_of = NULL;
    uint32_t partition_count = 0;
    if (options->partitions != NULL) {
        status = fm_partitions_assign(options->partitions, trace, &partition_of, &partition_count,
                                      error);
    }
    if (status != FM_OK) {
        fm_trace_free(trace);
        return status;
    }
    const bool has_dependencies = decide_dependencies(trace, options, clocks, detail != NULL);
    if (detail != NULL && options->only_dependencies && !has_dependencies) {
        *detail = NULL;
        detail = NULL;
    }
    fm_metric_t *own_metrics = classify_regions(trace);
    trace->in_detail = detail != NULL;
    trace->ignores_clock_offsets = options->clock == FM_CUBE_CLOCK_NONE;
    trace->with_callsites = options->callsites;
    trace->time_maps = clocks->maps;
    struct fm_engine *engine = create_engine(trace, options->team, options->workers);
    fm_engine_time(engine, options->times);
    fm_detail_blames blames = {0};
    struct fm_analysis analysis = {
        .trace = trace,
        .records = trace,
        .own_metrics = own_metrics,
        .engine = engine,
        .team = options->team,
        .times = options->times,
        .asynchronous_progress = options->asynchronous_progress,
        .progress_by_targets = options->progress_by_targets,
        .path_from_init_to_finalize = options->path_from_init_to_finalize,
        .partition_of = partition_of,
        .partition_count = partition_count,
        .errors = options->errors,
        .has_single_clocks = clocks->are_single,
        .blocking_size = options->blocking_size,
        .blames = options->blames && detail != NULL ? &blames : NULL,
    };
    struct fm_cube *made = NULL;
    status = fm_analysis_load(trace, engine, options->times, error);
    if (status == FM_OK && cube != NULL) {
        status = create_cube(options->team, &made, error);
    }
    bool analysed = status == FM_OK;
    if (analysed) {
        analysis.open_ends = fm_ends_inside_calls(&analysis);
        analysis.wait_errors = fm_wait_errors_create(&analysis);
        if (has_dependencies) {
            analysis.dependencies = fm_dependencies_create(&analysis);
            analysis.dependencies->keeps_violated = clocks->keeps_violated;
        }
        detect(&analysis, trace, detail != NULL, options->switched_off);
        trace->time_maps = NULL;
        *found = find_out(&analysis);
        if (cube != NULL) {
            status = fill_cube(&analysis, options, made, error);
        }
        fm_wait_errors_free(analysis.wait_errors);
        fm_vector_free(&analysis.last_partitions);
        fm_vector_free(&analysis.unexpected);
        fm_lock_holders_free(analysis.lock_holders);
        fm_evidence_free(analysis.evidence);
        fm_evidence_free(analysis.message_evidence);
        fm_evidence_free(analysis.collective_evidence);
        fm_thread_starts_free(analysis.thread_starts);
        fm_hang_free(analysis.hang);
        fm_free(analysis.coverage);
    }
    fm_free(partition_of);
    fm_free(own_metrics);
    fm_stage_begin(options->times, "free tables");
    fm_engine_free(engine);
    struct fm_detail *handed = NULL;
    if (analysed && detail != NULL) {
        handed = hand_out(&analysis, trace);
        handed->blames = blames;
    } else {
        if (analysed) {
            free_findings(analysis.findings, trace->location_count);
        }
        fm_trace_free(trace);
    }
    fm_lock_queues_free(analysis.lock_queues);
    if (status != FM_OK || !fm_team_leads(options->team)) {
        fm_cube_free(made);
        made = NULL;
    }
    if (status == FM_OK) {
        if (cube != NULL) {
            *cube = made;
        }
        if (detail != NULL) {
            *detail = handed;
        }
    } else {
        fm_detail_free(handed);
    }
    return status;
}
