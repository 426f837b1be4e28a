#include "analysis/analysis.h"

#include "analysis/causes/cause_chain.h"
#include "analysis/causes/critical_path.h"
#include "analysis/causes/formation.h"
#include "analysis/detail.h"
#include "analysis/model/own_metric.h"
#include "analysis/model/replicate.h"
#include "analysis/one_sided/lock_queue.h"
#include "analysis/pattern.h"
#include "analysis/results/matrices.h"
#include "analysis/results/phases.h"
#include "analysis/results/severity.h"
#include "analysis/results/statistics.h"
#include "analysis/results/topologies.h"
#include "trace/survey/summary.h"

#include <inttypes.h>
#include <string.h>

struct loading {
    struct fm_trace *trace;
    struct fm_trace_defects *defects; /* by worker */
    fm_status_t *statuses;            /* by worker */
    struct fm_error *errors;          /* by worker */
};

static void load(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct loading *loading = context;
    loading->statuses[worker] = fm_trace_load(loading->trace, first, last,
                                              &loading->defects[worker], &loading->errors[worker]);
}

static void add_defects(struct fm_trace_defects *total, const struct fm_trace_defects *part)
{
    total->unordered_times += part->unordered_times;
    total->unmatched_leaves += part->unmatched_leaves;
    total->open_calls += part->open_calls;
    total->unusable_records += part->unusable_records;
    total->open_requests += part->open_requests;
    total->unrecorded_completions += part->unrecorded_completions;
    total->missing_locations += part->missing_locations;
    total->pauses += part->pauses;
    total->paused += part->paused;
}

/* The events that the definitions promise to this process. */
static void plan_events(const struct fm_trace *trace, const struct fm_engine *engine,
                        struct fm_stage_times *times)
{
    uint64_t planned = 0;
    for (uint32_t i = 0; times != NULL && i < trace->location_count; ++i) {
        planned += fm_engine_owns(engine, fm_trace_process(trace, i))
                       ? trace->locations[i].defined_events
                       : 0;
    }
    if (times != NULL) {
        atomic_store(&times->planned, planned);
    }
}

static fm_status_t load_events(struct fm_trace *trace, struct fm_engine *engine,
                               struct fm_stage_times *times, struct fm_error *error)
{
    unsigned workers = fm_engine_workers(engine);
    struct loading loading = {
        trace,
        fm_allocate(workers, sizeof(struct fm_trace_defects)),
        fm_allocate(workers, sizeof(fm_status_t)),
        fm_allocate(workers, sizeof(struct fm_error)),
    };
    fm_stage_begin(times, "read events");
    trace->read_events = times == NULL ? NULL : &times->done;
    plan_events(trace, engine, times);
    fm_engine_run(engine, load, &loading);
    trace->read_events = NULL;
    fm_stage_count(times, times == NULL ? 0 : atomic_load(&times->done),
                   times != NULL && times->counts_files && fm_team_leads(fm_engine_team(engine))
                       ? fm_summary_bytes(trace->anchor)
                       : 0);
    fm_status_t status = FM_OK;
    for (unsigned w = 0; w < workers; ++w) {
        add_defects(&trace->defects, &loading.defects[w]);
        if (status == FM_OK && loading.statuses[w] != FM_OK) {
            status = fm_fail(error, loading.statuses[w], "%s", loading.errors[w].message);
        }
    }
    fm_free(loading.defects);
    fm_free(loading.statuses);
    fm_free(loading.errors);
    status = fm_team_agree(fm_engine_team(engine), status, error);
    if (status == FM_OK) {
        fm_stage_begin(times, "unify call paths");
        fm_trace_unify(trace);
        fm_replicate_trace(engine, trace);
    }
    return status;
}

/* Times are added up in 64 bits: an archive whose times cannot be is damaged. */
static fm_status_t verify_times(const struct fm_trace *trace, struct fm_error *error)
{
    const uint64_t limit = INT64_MAX / 2;
    uint64_t total = 0, first = UINT64_MAX, last = 0;
    for (uint32_t i = 0; i < trace->location_count; ++i) {
        const struct fm_location *location = &trace->locations[i];
        if (location->begin > location->end) {
            continue;
        }
        first = location->begin < first ? location->begin : first;
        last = location->end > last ? location->end : last;
        if (last - first > limit || location->end - location->begin > limit - total) {
            return fm_fail(error, FM_ERR_DATA,
                           "%s: the events of location %" PRIu64 " span an absurd time: damaged",
                           trace->anchor, location->id);
        }
        total += location->end - location->begin;
    }
    return FM_OK;
}

/* An archive of which nothing can be read is none, even if its definitions can. */
static fm_status_t verify_content(struct fm_team *team, const struct fm_trace *trace,
                                  struct fm_error *error)
{
    uint64_t missing = trace->defects.missing_locations;
    fm_team_sum(team, &missing, 1);
    for (uint32_t i = 0; i < trace->location_count; ++i) {
        if (trace->locations[i].event_count != 0) {
            return FM_OK;
        }
    }
    return trace->location_count == 0 || missing < trace->location_count
               ? FM_OK
               : fm_fail(error, FM_ERR_DATA,
                         "%s: no events can be read of any location; `fermata check` tells why",
                         trace->anchor);
}

/* A sentence for each kind of thing that is missing in the result. */
static fm_status_t add_warnings(const struct fm_analysis *analysis, struct fm_cube *cube,
                                struct fm_error *error)
{
    const struct fm_trace_defects *defects = &analysis->trace->defects;
    const struct fm_omissions *omissions = &analysis->omissions;
    const bool paused = defects->pauses != 0;
    const struct {
        uint64_t count;
        const char *one, *many;
    } warnings[] = {
        {defects->missing_locations,
         "location could not be read to its end: what it did afterwards is missing; `fermata "
         "check` tells where and why",
         "locations could not be read to their end: what they did afterwards is missing; `fermata "
         "check` tells where and why"},
        {defects->open_calls, "call never returned: it counts until the end of its location",
         "calls never returned: they count until the end of their location"},
        {defects->unordered_times, "event is earlier than the one before it: taken as simultaneous",
         "events are earlier than the one before them: taken as simultaneous"},
        {defects->unmatched_leaves, "Leave event had no Enter: ignored",
         "Leave events had no Enter: ignored"},
        {defects->unusable_records,
         "record lies outside of all communication calls or names what is not defined: ignored",
         "records lie outside of all communication calls or name what is not defined: ignored"},
        {defects->open_requests, "non-blocking operation was never completed: not analysed",
         "non-blocking operations were never completed: not analysed"},
        {defects->unrecorded_completions,
         "non-blocking send lacks the record of its completion: no Late Receiver for it",
         "non-blocking sends lack the record of their completion: no Late Receiver for them"},
        {omissions->unmatched_sends, "send has no matching receive: not analysed",
         "sends have no matching receive: not analysed"},
        {omissions->unmatched_receives, "receive has no matching send: not analysed",
         "receives have no matching send: not analysed"},
        {omissions->cut_off_messages,
         "message was sent or received while that was not recorded: not analysed",
         "messages were sent or received while that was not recorded: not analysed"},
        {omissions->unknown_progress,
         "one-sided call ran while its target was not recorded: no Wait for Progress for it",
         "one-sided calls ran while their target was not recorded: no Wait for Progress for them"},
        {omissions->clock_violations,
         "message was received before it was sent: the clocks of the nodes disagree",
         "messages were received before they were sent: the clocks of the nodes disagree"},
        {omissions->incomplete_collectives,
         paused ? "collective operation was not recorded by all of its members: not analysed"
                : "collective operation lacks the record of a member: not analysed",
         paused ? "collective operations were not recorded by all of their members: not analysed"
                : "collective operations lack the record of a member: not analysed"},
        {omissions->mixed_collectives,
         "collective operation was different calls on different members: not analysed",
         "collective operations were different calls on different members: not analysed"},
        {omissions->unknown_neighborhoods,
         "neighbourhood collective ran on a communicator whose topology the trace does not tell: "
         "not analysed",
         "neighbourhood collectives ran on communicators whose topology the trace does not tell: "
         "not analysed"},
        {omissions->unmatched_epochs,
         paused ? "access or exposure epoch of a window was not recorded by all of its partners: "
                  "analysed as far as known"
                : "access or exposure epoch of a window lacks its partner: analysed as far as "
                  "known",
         paused ? "access or exposure epochs of windows were not recorded by all of their "
                  "partners: analysed as far as known"
                : "access or exposure epochs of windows lack their partner: analysed as far as "
                  "known"},
    };
    fm_status_t status = FM_OK;
    for (size_t i = 0; i < sizeof warnings / sizeof warnings[0] && status == FM_OK; ++i) {
        const uint64_t count = warnings[i].count;
        if (count != 0) {
            status = fm_cube_warn(cube, error, "%" PRIu64 " %s.", count,
                                  count == 1 ? warnings[i].one : warnings[i].many);
        }
    }
    if (status == FM_OK && defects->pauses != 0) {
        status = fm_cube_warn(cube, error,
                              "Recording was paused %" PRIu64
                              " %s, for %.3f s of CPU time together: what happened then is not "
                              "known and belongs to no call path.",
                              defects->pauses, defects->pauses == 1 ? "time" : "times",
                              (double)defects->paused / (double)analysis->trace->ticks_per_second);
    }
    if (status == FM_OK && analysis->asynchronous_progress && analysis->trace->window_count != 0) {
        status = fm_cube_warn(cube, error,
                              "Analysed with --progress=async: a progress thread or process is "
                              "taken to serve one-sided operations at any time, so Wait for "
                              "Progress was not looked for.");
    }
    return status;
}

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

/* What patterns have left out anywhere. */
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

/* What is computed before the report is made; each process of the analysis has its part. */
struct results {
    struct fm_statistics_list statistics;
    struct fm_formation formation;
    struct fm_critical_path path;
    struct fm_phase_list phases;
    struct fm_cube_bins bins;
    struct fm_cube_matrix matrices[FM_MATRIX_COUNT];
};

/* Nothing in here fails, so that all processes go through it together. */
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
    fm_stage_begin(analysis->times, "cause chains");
    fm_cause_chains_find(formation, begin, &results->statistics);
    fm_stage_begin(analysis->times, "critical path");
    fm_critical_path_open(&results->path, formation);
    fm_critical_path_book(&results->path, formation);
    fm_performance_impact_book(&results->path, formation);
    fm_imbalance_book(formation);
    fm_stage_begin(analysis->times, "phases and matrices");
    results->phases = fm_phases_compute(formation, begin);
    results->bins = fm_time_bins_compute(formation, begin, end);
    fm_matrices_compute(analysis, FM_CUBE_LINKS, results->matrices);
}

static void free_results(struct results *results)
{
    for (int kind = 0; kind < FM_MATRIX_COUNT; ++kind) {
        fm_free(results->matrices[kind].links);
    }
    fm_free(results->bins.cells);
    fm_phases_free(&results->phases);
    fm_critical_path_close(&results->path, results->formation.analysis->trace->location_count);
    fm_formation_close(&results->formation);
    fm_statistics_free(&results->statistics);
}

/* What the user chose, so that the report can tell. */
static fm_status_t describe_options(const struct fm_analysis *analysis,
                                    const struct fm_analysis_options *options, struct fm_cube *cube,
                                    struct fm_error *error)
{
    cube->path_from_init_to_finalize = options->path_from_init_to_finalize;
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

/* What happened when, who had to do with whom, and who was where. */
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

/* What only process 0 has or needs. */
static fm_status_t fill_common(const struct fm_analysis *analysis,
                               const struct fm_analysis_options *options,
                               const struct results *results, struct fm_cube *cube,
                               struct fm_error *error)
{
    fm_status_t status = describe_options(analysis, options, cube, error);
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
        status = add_warnings(analysis, cube, error);
    }
    return status == FM_OK ? fm_critical_path_fill(&results->path, cube, error) : status;
}

/* The part of the report that this process has: dimensions, and the cells of its locations. */
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
    return fm_team_agree(analysis->team, status, error);
}

/* Adds the cells of the others to what process 0 has. */
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

/* @return a number that tells apart what was asked for */
static uint64_t summary_of(const struct fm_analysis_options *options)
{
    uint64_t flags = (uint64_t)options->asynchronous_progress | (uint64_t)options->check << 1 |
                     (uint64_t)options->path_from_init_to_finalize << 2;
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
static void detect(struct fm_analysis *analysis, struct fm_trace *trace, bool in_detail)
{
    analysis->findings = fm_allocate(trace->location_count, sizeof *analysis->findings);
    if (in_detail) {
        analysis->messages = fm_allocate(trace->process_count, sizeof *analysis->messages);
    }
    if (in_detail) { /* the caller reads the records afterwards */
        fm_readers_add(analysis, FM_READS(MESSAGES) | FM_READS(COLLECTIVES) | FM_READS(ONE_SIDED));
    }
    fm_patterns_run(analysis);
    if (!in_detail) {
        fm_engine_run(analysis->engine, forget_records, trace);
    }
    fm_stage_begin(analysis->times, "choose wait states");
    fm_findings_arbitrate(analysis->findings, trace, analysis->engine);
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

/* Gives the tables that the analysis would free to the caller. */
static struct fm_detail *hand_out(struct fm_analysis *analysis, struct fm_trace *trace)
{
    struct fm_detail *detail = fm_allocate(1, sizeof *detail);
    *detail = (struct fm_detail){trace, analysis->findings, analysis->messages};
    return detail;
}

/* Names tell what a call is for; they are looked at once. @return by region, to be freed */
static fm_metric_t *classify_regions(struct fm_trace *trace)
{
    fm_metric_t *own_metrics = fm_allocate(trace->region_count, sizeof *own_metrics);
    for (uint32_t i = 0; i < trace->region_count; ++i) {
        own_metrics[i] = fm_own_metric(&trace->regions[i]);
        trace->regions[i].is_computation = own_metrics[i] == FM_METRIC_COMP;
    }
    return own_metrics;
}

fm_status_t fm_analysis_run_in_detail(const char *archive,
                                      const struct fm_analysis_options *options,
                                      struct fm_cube **cube, struct fm_detail **detail,
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
    fm_metric_t *own_metrics = classify_regions(trace);
    trace->keeps_counters = detail != NULL;
    struct fm_engine *engine = create_engine(trace, options->team, options->workers);
    fm_engine_time(engine, options->times);
    struct fm_analysis analysis = {
        .trace = trace,
        .records = trace,
        .own_metrics = own_metrics,
        .engine = engine,
        .team = options->team,
        .times = options->times,
        .asynchronous_progress = options->asynchronous_progress,
        .path_from_init_to_finalize = options->path_from_init_to_finalize,
        .partition_of = partition_of,
        .partition_count = partition_count,
    };
    struct fm_cube *made = NULL;
    status = load_events(trace, engine, options->times, error);
    if (status == FM_OK) {
        status = verify_content(options->team, trace, error);
    }
    if (status == FM_OK) {
        status = verify_times(trace, error);
    }
    if (status == FM_OK) {
        status = create_cube(options->team, &made, error);
    }
    bool analysed = status == FM_OK;
    if (analysed) {
        detect(&analysis, trace, detail != NULL);
        status = fill_cube(&analysis, options, made, error);
        fm_lock_queues_free(analysis.lock_queues);
    }
    fm_free(partition_of);
    fm_free(own_metrics);
    fm_stage_begin(options->times, "free tables");
    fm_engine_free(engine);
    struct fm_detail *handed = NULL;
    if (analysed && detail != NULL) {
        handed = hand_out(&analysis, trace);
    } else {
        if (analysed) {
            free_findings(analysis.findings, trace->location_count);
        }
        fm_trace_free(trace);
    }
    if (status != FM_OK || !fm_team_leads(options->team)) {
        fm_cube_free(made);
        made = NULL;
    }
    if (status == FM_OK) {
        *cube = made;
        if (detail != NULL) {
            *detail = handed;
        }
    } else {
        fm_detail_free(handed);
    }
    return status;
}

fm_status_t fm_analysis_run(const char *archive, const struct fm_analysis_options *options,
                            struct fm_cube **cube, struct fm_error *error)
{
    return fm_analysis_run_in_detail(archive, options, cube, NULL, error);
}
