/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/recording/recording.h"

#include "base/process/launcher.h"
#include "cli/commands/commands.h"
#include "cli/counters/counter_output.h"
#include "cli/recording/dry_run.h"
#include "cli/recording/recording_options.h"
#include "cli/text/safe_text.h"
#include "cube/model/metric.h"
#include "patterns/patterns.h"
#include "record/cuda/cupti.h"
#include "record/experiment/job.h"
#include "record/gpu_option.h"
#include "record/rebuild/rebuild.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char *command, struct fm_error *error, fm_status_t status)
{
    fprintf(stderr, "fermata %s: %s\n", command, fm_safe_text(error->message));
    return (int)status;
}

/* @return why accelerators cannot be recorded on this machine, to be printed behind another reason;
 * "": they can be, or were not to be */
static const char *without_accelerators(const struct fm_settings *settings)
{
    return !fm_gpu_is_selected(settings->values[FM_SETTING_GPU].text) ||
                   fm_cuda_driver_is_installed()
               ? ""
               : "; accelerators are not recorded: " FM_CUDA_NO_DRIVER;
}

/* Whether nothing is left of a run that was cut off, or only the begin of the program, which is the
 * first event of one without ranks. */
static bool is_lost(const struct fm_record_result *result)
{
    return result->directory[0] != '\0' && result->missing[0] != '\0' &&
           result->totals.events <= 1 && !fm_counters_are_all(result->directory) &&
           !fm_rebuild_is_due(result->directory); /* it can be completed later */
}

/* Without a reason that a process has noted, what could be one. */
static void print_nothing(const struct fm_record_result *result, const struct fm_settings *settings)
{
    const bool is_known = result->reason[0] != '\0';
    const char *threads = settings->values[FM_SETTING_THREADS].text;
    const bool has_threads = threads == NULL || strcmp(threads, "off") != 0;
    fprintf(stderr,
            "fermata: nothing was recorded: %s%s program called MPI_Init or shmem_init, used "
            "coarrays %s, or, with "
            "--gpu, CUDA%s%s; see `fermata doctor`\n",
            result->reason, is_known ? "; no other" : "no dynamically linked",
            has_threads ? "or created a thread (the program of the command itself only)"
                        : "(threads are not recorded, by --threads=off)",
            is_known ? "" : ", or a message above says why", without_accelerators(settings));
}

static void print_closing_line(enum fm_command command, const struct fm_record_result *result,
                               const struct fm_settings *settings)
{
    char text[256];
    if (result->discarded) {
        fprintf(stderr,
                "fermata: nothing asked the flight recorder for its records: none are kept\n");
    } else if (result->directory[0] == '\0') {
        print_nothing(result, settings);
    } else if (fm_counters_are_all(result->directory)) {
        char *analyze[] = {"analyze", "--quiet", (char *)result->directory, NULL};
        fm_command_analyze(3, analyze); /* states what is wrong itself */
        fm_counters_print_closing(result->directory);
    } else if (result->totals.events == 0) {
        fprintf(stderr, "fermata: %s: %s\n", result->directory,
                result->missing[0] != '\0' ? result->missing : "no events");
    } else {
        fprintf(stderr, "fermata: %s: %s%s%s\n", result->directory,
                fm_experiment_totals_text(&result->totals, text, sizeof text),
                result->missing[0] != '\0' ? "; incomplete run: " : "", result->missing);
    }
    if (result->long_calls != 0 && command == FM_COMMAND_record) { /* the report begins with it */
        fprintf(stderr,
                "fermata: the run may have hung: `fermata hang %s` shows who waited for whom\n",
                result->directory);
    }
    if (is_lost(result)) {
        fprintf(stderr, "fermata: the run ended before records were written to disk, and there was "
                        "no buffer file for them (see the log); --buffers FOLDER or "
                        "--flush-interval 0 keeps them\n");
    }
    if (result->unknown[0] != '\0') {
        fprintf(stderr, "fermata: warning: %s\n", result->unknown);
    }
}

/* Becomes the program, which a launcher has started as one of several processes. */
static fm_status_t become(const struct fm_recording_options *options, const char *command,
                          struct fm_error *error)
{
    if (fm_snapshot_period(options->settings.values[FM_SETTING_SNAPSHOT].text) > 0) {
        return fm_fail(error, FM_ERR_USAGE,
                       "periodic snapshots are taken beside the launcher: start it by fermata %s",
                       command);
    }
    return fm_record_exec(&options->settings, options->command, error);
}

/* What the command line asks for, which was understood. */
static int run(const struct fm_recording_options *options, enum fm_command number,
               const char *command, struct fm_record_result *result, bool *recorded)
{
    struct fm_error error;
    fm_status_t status;
    if (options->dry_run) {
        status = fm_dry_run(&options->settings, options->command, &error);
    } else if (fm_job_is_rank()) {
        if (strcmp(command, "run") == 0 && fm_launch_read().rank == 0) {
            fputs("fermata run: this is a process of a launcher, so it records only; afterwards: "
                  "fermata analyze DIR, fermata report DIR\n",
                  stderr);
        }
        status = become(options, command, &error);
    } else {
        status = fm_record_run(&options->settings, options->command, result, &error);
        *recorded = status == FM_OK;
    }
    if (status != FM_OK) {
        return fail(command, &error, status);
    }
    if (*recorded) {
        print_closing_line(number, result, &options->settings);
        return result->exit_status;
    }
    return FM_OK;
}

/* Refuses wrong options of the analysis before the run. */
static fm_status_t check_analysis(struct fm_recording_options *options, struct fm_error *error)
{
    struct fm_user_patterns *patterns = NULL;
    bool off[FM_METRIC_USER];
    if (options->analysis.count == 0) {
        return FM_OK;
    }
    const fm_status_t status =
        fm_user_patterns_load(options->patterns.items, options->patterns.count, &options->selection,
                              off, &patterns, error);
    fm_user_patterns_free(patterns);
    return status;
}

int fm_recording_run(enum fm_command command, int argc, char **argv,
                     struct fm_record_result *result, bool *recorded, fm_analysis_words *analysis)
{
    struct fm_recording_options options;
    struct fm_error error;
    int outcome = FM_OK;
    *recorded = false;
    fm_status_t status = fm_recording_options_read(command, argc, argv, &options, &error);
    if (status == FM_OK) {
        status = check_analysis(&options, &error);
    }
    if (status != FM_OK) {
        outcome = fail(argv[0], &error, status);
    } else if (options.help) {
        fm_options_print_help(command);
    } else {
        outcome = run(&options, command, argv[0], result, recorded);
    }
    fm_settings_free(&options.settings);
    fm_pattern_selection_free(&options.selection);
    fm_vector_free(&options.patterns);
    *analysis = options.analysis;
    return outcome;
}
