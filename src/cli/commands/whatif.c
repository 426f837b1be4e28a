/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata whatif: what a run would be with changes. */
#include "base/memory.h"
#include "cli/archive/analysis_options.h"
#include "cli/archive/environment.h"
#include "cli/archive/isolated_command.h"
#include "cli/archive/stage_table.h"
#include "cli/commands/commands.h"
#include "cli/options/options.h"
#include "cli/text/safe_text.h"
#include "cli/whatif/predicted_experiment.h"
#include "cli/whatif/prediction_text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Shares of the run without a processor below this are not stated. */
#define LEAST_DELAY 0.05

struct request {
    const char *archive;
    const char *output; /* directory of the predicted experiment; NULL: none */
    struct fm_analysis_options options;
    fm_changes changes;
    bool check;
    bool advise;
    bool verbose;
};

/* @return whether the replay without changes is exact, which is printed */
static bool check_identity(const struct request *request, const struct fm_detail *detail,
                           struct fm_decisions *decisions, bool prints_limits)
{
    struct fm_prediction prediction;
    const fm_changes none = {0};
    struct fm_error unused; /* only changes fail */
    fm_stage_begin(request->options.times, "replay without changes");
    fm_prediction_make(detail, decisions, &none, request->options.workers, &prediction, &unused);
    const struct fm_identity identity = fm_identity_check(detail, prediction.replay);
    fm_print_identity(request->archive, detail, &identity);
    if (prints_limits) {
        fm_print_limits(detail, &prediction);
    }
    fm_prediction_free(&prediction);
    return identity.moved == 0;
}

static fm_status_t predict(const struct request *request, const struct fm_detail *detail,
                           struct fm_decisions *decisions, struct fm_error *error)
{
    struct fm_prediction prediction;
    fm_stage_begin(request->options.times, "replay of the changes");
    fm_status_t status = fm_prediction_make(detail, decisions, &request->changes,
                                            request->options.workers, &prediction, error);
    if (status != FM_OK) {
        return status;
    }
    if (request->changes.count != 0) {
        fm_print_prediction(detail, &request->changes, &prediction);
        fm_print_limits(detail, &prediction);
    }
    if (request->output != NULL) {
        fm_stage_begin(request->options.times, "write the predicted run");
        struct fm_analysis_options options = request->options;
        options.times = NULL;
        options.dependencies = false;
        options.clock = FM_CUBE_CLOCK_LINEAR; /* it is written with the repaired times */
        status =
            fm_predicted_experiment_write(detail, &prediction, &request->changes, request->archive,
                                          &options, request->output, NULL, error);
        if (status == FM_OK) {
            printf("The predicted run: %s (fermata report %s; fermata diff %s %s; both timelines: "
                   "fermata view %s %s)\n",
                   request->output, request->output, request->archive, request->output,
                   request->archive, request->output);
        }
    }
    fm_prediction_free(&prediction);
    return status;
}

/* The report is needed for advice only. */
static fm_status_t analyze(const struct request *request, struct fm_cube **cube,
                           struct fm_detail **detail, struct fm_error *error)
{
    return fm_analysis_run_in_detail(request->archive, &request->options,
                                     request->advise ? cube : NULL, detail, error);
}

/* Takes who drives the progress of one-sided operations from the experiment, which keeps it of
 * `fermata analyze --progress` */
static void take_progress(const char *archive, struct fm_analysis_options *options)
{
    json_t *environment = fm_environment_load(archive);
    const char *stated = json_string_value(json_object_get(environment, "progress"));
    options->asynchronous_progress = stated != NULL && strcmp(stated, "async") == 0;
    options->progress_by_targets = stated != NULL && strcmp(stated, "target") == 0;
    json_decref(environment);
}

/* Predictions replay what was measured: disturbances, too. */
static void note_disturbance(const char *archive)
{
    json_t *environment = fm_environment_load(archive);
    const json_t *delay = json_object_get(environment, "run_delay");
    const double run = json_number_value(json_object_get(delay, "run_seconds"));
    const double share =
        run > 0 ? json_number_value(json_object_get(delay, "delay_seconds")) / run : 0;
    if (share >= LEAST_DELAY) {
        printf("Threads had no processor for %.0f%% of the measured run: all times, predicted ones "
               "too, contain that and differ from run to run.\n",
               100 * (share < 1 ? share : 1));
    }
    json_decref(environment);
}

static int work(void *argument)
{
    struct request *request = argument;
    struct fm_stage_times times = {.counts_files = request->verbose};
    request->options.times = &times;
    take_progress(request->archive, &request->options);
    fm_stage_begin(&times, "prepare");
    struct fm_detail *detail = NULL;
    struct fm_cube *cube = NULL;
    struct fm_error error;
    fm_memory_keep();
    fm_status_t status = analyze(request, &cube, &detail, &error);
    if (status == FM_OK && detail->open_ends != 0) {
        status = fm_fail(&error, FM_ERR_DATA,
                         "%s: the run ended inside calls that never returned: how it would have "
                         "gone on is not known, and no change can be predicted (fermata hang %s)",
                         request->archive, request->archive);
    }
    const bool is_plain = request->changes.count == 0 && !request->advise;
    const bool predicts = request->check || !request->advise;
    struct fm_decisions *decisions = NULL;
    if (status == FM_OK && predicts) {
        fm_stage_begin(&times, "learn decisions");
        decisions = fm_decisions_create(detail);
        fm_decisions_rehearse(decisions);
    }
    if (status == FM_OK && (request->check || is_plain) &&
        !check_identity(request, detail, decisions, is_plain)) {
        status = fm_fail(&error, FM_ERR_FAILED, "%s: the replay is not exact", request->archive);
    }
    if (status == FM_OK && request->advise) {
        fm_stage_begin(&times, "try changes");
        struct fm_advice advice = fm_advice_find(cube, detail, request->options.workers);
        fm_print_advice(detail, &advice);
        fm_advice_free(&advice);
    }
    if (status == FM_OK && (request->changes.count != 0 || request->output != NULL)) {
        status = predict(request, detail, decisions, &error);
    }
    if (status != FM_OK) {
        fprintf(stderr, "fermata whatif: %s\n", fm_safe_text(error.message));
    } else if (request->advise || request->changes.count != 0) {
        note_disturbance(request->archive);
    }
    fm_stage_begin(&times, "end");
    fm_decisions_free(decisions);
    fm_cube_free(cube);
    fm_detail_free(detail);
    fm_stage_end(&times);
    if (status == FM_OK && request->verbose) {
        fm_stage_table_print(&times, stdout);
    }
    fm_stage_times_free(&times);
    return status;
}

static fm_status_t take_option(struct fm_option_reader *reader, int option, struct request *request)
{
    uint64_t number = 0;
    size_t bytes = 0;
    fm_status_t status = FM_OK;
    struct fm_chosen_options chosen = {0};
    switch (option) {
    case FM_OPTION_whatif_CLOCK:
        status = fm_chosen_options_set(&chosen, "clock", reader->value, &reader->error);
        request->options.clock = chosen.options.clock;
        return status;
    case FM_OPTION_whatif_JOBS:
        status = fm_option_number(reader, 1, FM_MOST_JOBS, &number);
        request->options.workers = (unsigned)number;
        return status;
    case FM_OPTION_whatif_OUTPUT:
        request->output = reader->value;
        return FM_OK;
    case FM_OPTION_whatif_ADVISE:
        request->advise = true;
        return FM_OK;
    case FM_OPTION_whatif_VERBOSE:
        request->verbose = true;
        return FM_OK;
    case FM_OPTION_whatif_CALLSITES:
        request->options.callsites = true;
        return FM_OK;
    case FM_OPTION_whatif_CHECK:
        request->check = true;
        return FM_OK;
    default: /* FM_OPTION_whatif_BLOCKING_SIZE */
        status = fm_option_size(reader, &bytes);
        request->options.blocking_size = bytes;
        return status;
    }
}

/* Records of a call that another one completes would be those of other functions. */
static const char *unwritable_change(const fm_changes *changes)
{
    for (size_t i = 0; i < changes->count; i++) {
        if (changes->items[i].kind == FM_CHANGE_NO_WAIT) {
            return changes->items[i].text;
        }
    }
    return NULL;
}

static fm_status_t read_changes(const struct fm_option_reader *reader, struct request *request,
                                struct fm_error *error)
{
    fm_status_t status = FM_OK;
    for (int i = 1; i < reader->operand_count && status == FM_OK; i++) {
        status = fm_changes_add(&request->changes, reader->operands[i], error);
    }
    return status;
}

int fm_command_whatif(int argc, char **argv)
{
    struct request request = {.options = {.dependencies = true}};
    struct fm_option_reader reader;
    fm_options_begin(&reader, FM_COMMAND_whatif, argc, argv);
    for (int option; (option = fm_options_next(&reader)) != FM_OPTIONS_END;) {
        if (option < 0) {
            return fm_options_stop(&reader, option);
        }
        if (take_option(&reader, option, &request) != FM_OK) {
            return fm_options_complain(&reader);
        }
    }
    int status = FM_OK;
    if (request.advise && (reader.operand_count > 1 || request.output != NULL)) {
        fm_options_refuse(&reader, "--advise chooses the changes itself and writes nothing");
        status = fm_options_complain(&reader);
    } else if (!fm_options_operands(&reader, 1, INT_MAX, "one experiment directory and changes") ||
               read_changes(&reader, &request, &reader.error) != FM_OK) {
        status = fm_options_complain(&reader);
    } else if (request.output != NULL && unwritable_change(&request.changes) != NULL) {
        fm_options_refuse(&reader,
                          "%.200s cannot be written as an experiment: the program would call other "
                          "functions, whose records do not exist",
                          unwritable_change(&request.changes));
        status = fm_options_complain(&reader);
    } else {
        request.archive = reader.operands[0];
        status = fm_run_isolated("whatif", request.archive, 0, work, &request);
    }
    fm_changes_free(&request.changes);
    return status;
}
