/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/archive/analyze_trace.h"

#include "analysis/detail.h"
#include "cli/archive/analysis_team.h"
#include "cli/archive/complete.h"
#include "cli/archive/environment.h"
#include "cli/archive/progress_bar.h"
#include "cli/archive/stage_table.h"
#include "cli/archive/table_room.h"
#include "cli/counters/counter_join.h"
#include "cli/counters/counter_output.h"
#include "cli/counters/counter_report.h"
#include "cli/page/page_file.h"
#include "cli/text/safe_text.h"
#include "diagnosis/location_set.h"
#include "diagnosis/problems/machine_load.h"
#include "diagnosis/process_word.h"
#include "patterns/patterns.h"
#include "whatif/problem_predictions.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** Shares of the run without a processor below this are not reported. */
#define LEAST_DELAY 0.05

/* The report also states what the experiment lacks and which of its times are doubtful. */
static fm_status_t add_warnings(struct fm_cube *cube, const char *archive, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    struct fm_doubts doubts = fm_doubts_of_experiment(archive);
    if (doubts.missing != NULL) {
        status = fm_cube_warn(cube, error, "incomplete run: %s", doubts.missing);
    }
    if (status == FM_OK && doubts.clock != NULL) {
        status = fm_cube_warn(cube, error, FM_CLOCK_DOUBT "%s", doubts.clock);
    }
    if (status == FM_OK && doubts.unseen != NULL) {
        status = fm_cube_warn(cube, error, "%s.", doubts.unseen);
    }
    if (status == FM_OK && doubts.shortfall != NULL) {
        status = fm_cube_warn(cube, error, "%s.", doubts.shortfall);
    }
    fm_doubts_free(&doubts);
    return status;
}

/* The trace has the program only. */
static fm_status_t add_command(struct fm_cube *cube, const json_t *environment,
                               struct fm_error *error)
{
    char *command = fm_environment_command(environment);
    fm_status_t status =
        command == NULL ? FM_OK : fm_cube_set_text(&cube->experiment.command, command, error);
    free(command);
    return status;
}

/* ... and what was not to be recorded. */
static fm_status_t add_selection(struct fm_cube *cube, const json_t *environment,
                                 struct fm_error *error)
{
    const char *recorded = json_string_value(json_object_get(environment, "recorded"));
    fm_status_t status =
        recorded != NULL
            ? fm_cube_warn(cube, error, "recorded: %.1000s; the rest is not known", recorded)
            : FM_OK;
    if (status == FM_OK && recorded != NULL && !fm_library_is_used(cube)) {
        status = fm_cube_warn(
            cube, error, "Nothing of that came to pass: only Init and Finalize were recorded.");
    }
    return status;
}

/** @return how many threads of the cube ran on the node of the location with that number. */
static uint32_t count_neighbours(const struct fm_cube *cube, uint32_t location)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < cube->location_count; i++) {
        count += !cube->locations[i].is_stream &&
                 strcmp(cube->locations[i].node, cube->locations[location].node) == 0;
    }
    return count;
}

/* ... and what was not certain, or mended, when an archive was made of traces of other profilers.
 */
static fm_status_t add_warnings_of_import(struct fm_cube *cube, const json_t *environment,
                                          struct fm_error *error)
{
    const json_t *warnings = json_object_get(environment, "warnings");
    fm_status_t status = FM_OK;
    for (size_t i = 0; i < json_array_size(warnings) && status == FM_OK; i++) {
        const char *text = json_string_value(json_array_get(warnings, i));
        status = text != NULL ? fm_cube_warn(cube, error, "%.1000s", text) : FM_OK;
    }
    return status;
}

/* ... and that threads had to wait for processors: the run delay of all processes, and the number
 * of processors of the host of rank 0. */
static fm_status_t add_crowding(struct fm_cube *cube, const json_t *environment,
                                struct fm_error *error)
{
    const json_t *delay = json_object_get(environment, "run_delay");
    double run = json_number_value(json_object_get(delay, "run_seconds"));
    double share = run > 0 ? json_number_value(json_object_get(delay, "delay_seconds")) / run : 0;
    json_int_t processors = json_integer_value(json_object_get(environment, "processors"));
    uint32_t threads = processors > 0 && cube->location_count > 0 ? count_neighbours(cube, 0) : 0;
    bool is_crowded = (json_int_t)threads > processors;
    cube->experiment.lack_of_processors = (uint32_t)(100 * (share < 1 ? share : 1) + 0.5);
    if (share >= LEAST_DELAY) {
        char where[96];
        snprintf(where, sizeof where, "%u threads on %lld %s", threads, (long long)processors,
                 processors == 1 ? "processor" : "processors");
        const struct fm_process_word process = fm_process_word(cube);
        return fm_cube_warn(cube, error,
                            "%s had no processor for %.0f%% of the run, %s calls included "
                            "(%s): all times contain "
                            "waiting for a processor, which may look like any wait state or like "
                            "communication, and "
                            "differ from run to run.",
                            fm_location_set_has_single_threads(cube) ? process.titles : "Threads",
                            100 * (share < 1 ? share : 1), process.library,
                            is_crowded ? where : "other programs used the processors");
    }
    if (!is_crowded) {
        return FM_OK;
    }
    return fm_cube_warn(
        cube, error,
        "%u threads shared the %lld %s of %.200s: all times contain waiting for a "
        "processor, which may look like any wait state, and differ from run to run.",
        threads, (long long)processors, processors == 1 ? "processor" : "processors",
        cube->locations[0].node);
}

/* ... and what was not searched for. */
static fm_status_t add_switched_off(struct fm_cube *cube, const struct fm_analyze_request *request,
                                    struct fm_error *error)
{
    if (request->only == NULL && request->without == NULL) {
        return FM_OK;
    }
    const bool both = request->only != NULL && request->without != NULL;
    return fm_cube_warn(cube, error,
                        "Not all wait states and patterns were searched for (%s%.300s%s%s%.300s): "
                        "waiting of other kinds is part of the time of its calls, and is in no "
                        "cause, cost or problem.",
                        request->only != NULL ? "only " : "",
                        request->only != NULL ? request->only : "", both ? ", " : "",
                        request->without != NULL ? "without " : "",
                        request->without != NULL ? request->without : "");
}

/* @return a number of the environment in ticks; -1: it states none */
static double stated_ticks(const json_t *value, double ticks)
{
    return json_is_number(value) && json_number_value(value) >= 0 &&
                   json_number_value(value) * ticks < 1e15
               ? json_number_value(value) * ticks
               : -1;
}

/* ... and what a page fault takes on its machine. */
static void add_page_fault(struct fm_cube *cube, const json_t *environment)
{
    const json_t *recorder = json_object_get(environment, "recorder");
    const json_t *stated = json_object_get(recorder, "nanoseconds_per_page_fault");
    const double ticks = stated_ticks(stated, (double)cube->experiment.ticks_per_second / 1e9);
    cube->experiment.page_fault = ticks > 0 ? (uint64_t)ceil(ticks) : 0;
}

/* What the experiment directory states about the run and the trace does not. */
static fm_status_t add_environment(struct fm_cube *cube, const char *archive,
                                   struct fm_error *error)
{
    json_t *environment = fm_environment_load(archive);
    fm_status_t status = add_warnings_of_import(cube, environment, error);
    if (status == FM_OK) {
        status = add_selection(cube, environment, error);
    }
    if (status == FM_OK) {
        status = add_crowding(cube, environment, error);
    }
    if (status == FM_OK) {
        status = add_command(cube, environment, error);
    }
    add_page_fault(cube, environment);
    cube->experiment.overhead = fm_environment_overhead(environment);
    cube->experiment.overhead_is_least = fm_environment_overhead_is_least(environment);
    cube->experiment.costliest = fm_environment_costliest(environment);
    cube->experiment.sample_rate = fm_environment_sample_rate(environment);
    json_decref(environment);
    return status;
}

static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path + 1));
}

static void tell_result(const struct fm_analyze_request *request, const struct fm_cube *cube)
{
    const uint32_t shown = request->quiet ? cube->omission_count : cube->warning_count;
    for (uint32_t i = 0; i < shown; ++i) {
        fprintf(stderr, "fermata: warning: %s\n", cube->warnings[i]);
    }
    if (request->quiet) {
        return;
    }
    if (cube->is_profile) {
        printf("fermata: calls and counters of %" PRIu32 " locations: %s\n", cube->location_count,
               request->output);
        return;
    }
    if (request->chosen.options.check) {
        puts("fermata: all invariants hold");
        printf("fermata: violations of the clock condition: %" PRIu64 ", in this report %" PRIu64
               "\n",
               cube->clock.violations_before, cube->clock.violations_after);
    }
    printf("fermata: analysed %" PRIu64 " events of %" PRIu32 " locations: %s\n",
           cube->experiment.event_count, cube->location_count, request->output);
}

/* Takes who drives the progress of one-sided operations from the experiment, without the option. */
static void take_progress(const struct fm_analyze_request *request,
                          struct fm_analysis_options *options)
{
    if (request->progress == NULL) {
        json_t *environment = fm_environment_load(request->archive);
        const char *stated = json_string_value(json_object_get(environment, "progress"));
        options->asynchronous_progress = stated != NULL && strcmp(stated, "async") == 0;
        options->progress_by_targets = stated != NULL && strcmp(stated, "target") == 0;
        json_decref(environment);
    }
}

/* By how much the experiment's times may be wrong: clocks differ by the errors of both to that of
 * rank 0. Not known if the recorder has found its clocks to be wrong. */
static struct fm_cube_errors errors_of(const char *archive)
{
    struct fm_cube_errors errors = {0};
    json_t *environment = fm_environment_load(archive);
    const json_t *clock = json_object_get(environment, "clock");
    const json_t *recorder = json_object_get(environment, "recorder");
    const double rate = json_number_value(json_object_get(clock, "ticks_per_second"));
    const double call = stated_ticks(json_object_get(recorder, "nanoseconds_per_call"), rate / 1e9);
    const double deviation = stated_ticks(json_object_get(clock, "largest_deviation_ticks"), 2);
    if (rate > 0 && call >= 0 && deviation >= 0 && json_is_null(json_object_get(clock, "doubt"))) {
        errors = (struct fm_cube_errors){
            .are_known = true, .call = (uint64_t)ceil(call), .clock = (uint64_t)ceil(deviation)};
    }
    json_decref(environment);
    return errors;
}

/* Later analyses use the option given now. */
static void note_progress(const struct fm_analyze_request *request)
{
    struct fm_error error;
    if (request->progress != NULL &&
        fm_environment_set(request->archive, "progress", request->progress, &error) != FM_OK) {
        fprintf(stderr, "fermata: warning: --progress is not noted: %s\n",
                fm_safe_text(error.message));
    }
}

/* Puts the warnings from number `first` on before the others, behind those of omissions: what
 * concerns the whole run precedes what concerns single records. */
static void put_first(struct fm_cube *cube, uint32_t first)
{
    char **to = cube->warnings + cube->omission_count;
    const uint32_t passed = first - cube->omission_count;
    for (uint32_t i = first; i < cube->warning_count; ++i, ++to) {
        char *moved = cube->warnings[i];
        memmove(to + 1, to, passed * sizeof *to);
        *to = moved;
    }
}

/* The events of the only run in a page. */
static const struct fm_detail *events_of_run(void *context, size_t run)
{
    (void)run;
    return context;
}

/* Adds what the counters beside a trace show. */
static void add_counters(struct fm_cube *cube, const char *archive)
{
    struct stat status;
    bool is_directory = stat(archive, &status) == 0 && S_ISDIR(status.st_mode);
    char *directory = is_directory ? strdup(archive) : directory_of(archive);
    struct fm_doubts doubts = fm_doubts_of_experiment(archive);
    if (directory != NULL) {
        fm_counters_join(directory, doubts.missing == NULL, cube);
    }
    free(directory);
    fm_doubts_free(&doubts);
}

/* Process 0 writes the report.
 * @param detail  for the timeline of the page; NULL: it has none */
static fm_status_t write_report(const struct fm_analyze_request *request, struct fm_cube *cube,
                                struct fm_detail *detail, struct fm_error *error)
{
    fm_status_t status = fm_environment_warn(request->archive, cube, error);
    const uint32_t of_records = cube->warning_count;
    if (status == FM_OK) {
        status = add_switched_off(cube, request, error);
    }
    if (status == FM_OK) {
        status = add_warnings(cube, request->archive, error);
    }
    if (status == FM_OK) {
        status = add_environment(cube, request->archive, error);
    }
    put_first(cube, of_records);
    if (status == FM_OK) {
        add_counters(cube, request->archive);
        status = fm_cube_write(cube, request->output, error);
    }
    if (status == FM_OK && request->page != NULL) {
        const struct fm_cube *const cubes[] = {cube};
        const struct fm_page_events events = {events_of_run, detail};
        status = fm_write_page(&request->archive, cubes, 1, &events, !request->no_sources,
                               request->page, error);
    }
    if (status == FM_OK) {
        note_progress(request);
        tell_result(request, cube);
    }
    return status;
}

/* Reads the patterns before the trace: a wrong one is refused at once. */
static fm_status_t load_patterns(const struct fm_analyze_request *request, bool *off,
                                 struct fm_user_patterns **patterns, struct fm_error *error)
{
    struct fm_pattern_selection selection = request->selection;
    const bool is_selective = request->only != NULL || request->without != NULL;
    *patterns = NULL;
    if (request->patterns.count == 0 && !is_selective) {
        return FM_OK;
    }
    return fm_user_patterns_load(request->patterns.items, request->patterns.count,
                                 is_selective ? &selection : NULL, off, patterns, error);
}

/* Adds what replays predict. A replay that is not exact is a defect, which the report states. */
static fm_status_t predict(const struct fm_analyze_request *request, struct fm_cube *cube,
                           const struct fm_detail *detail, unsigned workers, struct fm_error *error)
{
    struct fm_error reason;
    struct fm_diagnosis diagnosis;
    const struct fm_diagnosis_options options = {0};
    fm_status_t status = fm_diagnosis_make(&diagnosis, cube, &options, error);
    if (status != FM_OK) {
        return status;
    }
    bool *has_load = fm_allocate(cube->problem_count, sizeof *has_load);
    for (uint32_t i = 0; i < cube->problem_count; i++) {
        has_load[i] = fm_load_share(&diagnosis, &cube->problems[i]) > 0;
    }
    status = fm_problem_predictions_add(cube, detail, has_load,
                                        request->predict == FM_PREDICT_YES ? FM_PREDICTING_ALWAYS
                                                                           : FM_PREDICTING_IF_CHEAP,
                                        workers, &reason);
    fm_free(has_load);
    return status == FM_OK
               ? FM_OK
               : fm_cube_warn_omission(cube, error, "Gains are bounds, not predictions: %.400s.",
                                       reason.message);
}

/* @return the options with what predictions need */
static struct fm_analysis_options with_predictions(const struct fm_analyze_request *request,
                                                   struct fm_analysis_options options)
{
    const bool is_wanted = request->predict == FM_PREDICT_YES ||
                           (request->predict == FM_PREDICT_AUTO && options.memory_limit == 0);
    options.dependencies = is_wanted && options.team == NULL;
    options.most_events = request->predict == FM_PREDICT_AUTO ? FM_PREDICT_EVENTS : 0;
    options.only_dependencies = request->page == NULL && request->patterns.count == 0;
    return options;
}

/* The report of an experiment without a trace, made by process 0. */
static fm_status_t report_counters(const struct fm_analyze_request *request,
                                   const struct fm_team *team, struct fm_error *error)
{
    struct fm_cube *cube = NULL;
    if (!fm_team_leads(team)) {
        return FM_OK;
    }
    if (request->patterns.count != 0 || request->chosen.options.check) {
        return fm_fail(error, FM_ERR_USAGE,
                       "%s has counters and no trace: there is nothing for --pattern and --check",
                       request->archive);
    }
    fm_status_t status = fm_counters_make_report(request->archive, &cube, error);
    if (status == FM_OK) {
        status = write_report(request, cube, NULL, error);
    }
    fm_cube_free(cube);
    return status;
}

static fm_status_t analyze_and_write(const struct fm_analyze_request *request,
                                     const struct fm_analysis_options *options,
                                     const struct fm_user_patterns *patterns,
                                     struct fm_error *error)
{
    struct fm_team *team = options->team;
    struct fm_cube *cube = NULL;
    /* No process of a team holds the events of all locations: its page has no timeline, and its
     * report no predictions. */
    const bool has_patterns = patterns != NULL && fm_user_patterns_count(patterns) > 0;
    const bool shows_events = (request->page != NULL || has_patterns) && team == NULL;
    const bool in_detail = shows_events || options->dependencies;
    struct fm_detail *detail = NULL;
    const bool draws = !request->quiet && fm_team_leads(team) && isatty(STDERR_FILENO);
    struct fm_progress_bar *bar = draws ? fm_progress_bar_begin(options->times) : NULL;
    fm_status_t status =
        in_detail ? fm_analysis_run_in_detail(request->archive, options, &cube, &detail, error)
                  : fm_analysis_run(request->archive, options, &cube, error);
    fm_progress_bar_end(bar);
    if (status == FM_OK && patterns != NULL && cube != NULL) {
        fm_stage_begin(options->times, "patterns of the user");
        status =
            fm_user_patterns_run(patterns, detail, options->workers, options->check, cube, error);
    }
    if (status == FM_OK && detail != NULL && detail->dependencies != NULL) {
        fm_stage_begin(options->times, "predictions");
        status = predict(request, cube, detail, options->workers, error);
    }
    if (status == FM_OK) {
        fm_stage_begin(options->times, "write report");
        status = cube == NULL ? FM_OK : write_report(request, cube, detail, error);
        status = fm_team_agree(team, status, error);
    }
    fm_detail_free(detail);
    fm_cube_free(cube);
    return status;
}

/* All processes have patterns of the user, or none has. */
static fm_status_t agree_on_patterns(struct fm_team *team, bool has_patterns,
                                     struct fm_error *error)
{
    uint64_t count = has_patterns;
    fm_team_sum(team, &count, 1);
    return count == 0 || count == fm_team_size(team)
               ? FM_OK
               : fm_fail(error, FM_ERR_USAGE,
                         "--pattern: not all processes of the analysis have the same options");
}

/* Patterns of the user see events of all locations: process 0 of a team analyses alone. */
static fm_status_t analyze_with_patterns(const struct fm_analyze_request *request,
                                         struct fm_analysis_options options,
                                         const struct fm_user_patterns *patterns,
                                         struct fm_error *error)
{
    struct fm_team *team = options.team;
    fm_status_t status = FM_OK;
    options.team = NULL;
    if (fm_team_leads(team)) {
        options = with_predictions(request, options);
        status = analyze_and_write(request, &options, patterns, error);
    }
    return fm_team_agree(team, status, error);
}

static fm_status_t analyze(const struct fm_analyze_request *request, struct fm_team *team,
                           struct fm_error *error)
{
    struct fm_analysis_options options = request->chosen.options;
    const bool prints_table = request->verbose && !request->quiet;
    struct fm_stage_times times = {.counts_files = prints_table};
    options.team = team;
    take_progress(request, &options);
    options.errors = errors_of(request->archive);
    options.times = &times;
    options = with_predictions(request, options);
    struct fm_table_room room = {.output = request->output,
                                 .limit = options.memory_limit,
                                 .must_predict = request->predict == FM_PREDICT_YES,
                                 .quiet = request->quiet,
                                 .team = team};
    options.sized = fm_table_room_decide;
    options.sized_context = &room;
    fm_stage_begin(options.times, "prepare");
    fm_table_room_begin(&room);
    struct fm_user_patterns *patterns;
    bool switched_off[FM_METRIC_USER] = {false};
    fm_status_t status =
        fm_team_agree(team, load_patterns(request, switched_off, &patterns, error), error);
    options.switched_off = request->only != NULL || request->without != NULL ? switched_off : NULL;
    bool has_patterns = patterns != NULL && fm_user_patterns_count(patterns) > 0;
    if (status == FM_OK) {
        status = agree_on_patterns(team, has_patterns, error);
    }
    if (status == FM_OK && fm_counters_are_all(request->archive)) {
        status = fm_team_agree(team, report_counters(request, team, error), error);
    } else if (status == FM_OK && has_patterns) {
        status = analyze_with_patterns(request, options, patterns, error);
    } else if (status == FM_OK) {
        status = analyze_and_write(request, &options, patterns, error);
    }
    fm_user_patterns_free(patterns);
    fm_stage_end(options.times);
    if (status == FM_OK && prints_table) {
        fm_stage_times_collect(&times, team);
        if (fm_team_leads(team)) {
            fm_stage_table_print(&times, stdout);
        }
    }
    fm_stage_times_free(&times);
    return status;
}

/* Process 0 does what is to be done once for all processes, and prints the messages. */
static fm_status_t analyze_in_team(const struct fm_analyze_request *request, struct fm_team *team)
{
    bool leads = fm_team_leads(team);
    struct fm_error error = request->error;
    fm_status_t status = fm_team_agree(team, request->status, &error);
    if (status != FM_OK) {
        if (leads) {
            fprintf(stderr, "fermata analyze: %s\n", error.message);
        }
        return status;
    }
    status = leads ? (fm_status_t)fm_complete_experiment("analyze", request->archive) : FM_OK;
    status = fm_team_agree(team, status, NULL);
    if (status != FM_OK) {
        return status;
    }
    status = analyze(request, team, &error);
    if (status != FM_OK && leads) {
        fprintf(stderr, "fermata: %s\n", error.message);
    }
    return status;
}

int fm_analyze_trace(void *request)
{
    const struct fm_analyze_request *own = request;
    struct fm_team *team;
    struct fm_error error;
    fm_status_t status = fm_team_join(own->library, &team, &error);
    if (status != FM_OK) {
        /* The processes cannot agree, but the options are wrong anyway. */
        if (own->status != FM_OK) {
            status = own->status;
            error = own->error;
        }
        if (fm_team_speaks()) {
            fprintf(stderr, "fermata: %s\n", error.message);
        }
        return (int)status;
    }
    status = analyze_in_team(own, team);
    fm_team_leave(team);
    return (int)status;
}
