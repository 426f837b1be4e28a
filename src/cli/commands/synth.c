/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata synth: scenarios to archives, and checks of the analysis against their expectations. */
#include "base/files/file_tree.h"
#include "base/process/interrupt.h"
#include "cli/archive/analysis_options.h"
#include "cli/commands/commands.h"
#include "cli/expectation/expectation.h"
#include "cli/options/options.h"
#include "cli/whatif/scenario_predictions.h"
#include "scenario/scenario.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MEMORY_FOLDER "/dev/shm"

struct totals {
    unsigned long scenarios, expectations, failed;
    fm_status_t status; /* the worst so far */
};

static char temporary[PATH_MAX]; /* the folder of temporary archives; "": none */

static void remove_temporary(void)
{
    if (temporary[0] != '\0') {
        fm_remove_tree(temporary);
        temporary[0] = '\0';
    }
}

/* A folder in memory if there is one: thousands of small archives are made and removed in it. */
static fm_status_t make_temporary(struct fm_error *error)
{
    const char *folder = getenv("TMPDIR");
    if (access(MEMORY_FOLDER, W_OK | X_OK) == 0) {
        folder = MEMORY_FOLDER;
    } else if (folder == NULL || folder[0] == '\0') {
        folder = "/tmp";
    }
    int length = snprintf(temporary, sizeof temporary, "%s/fermata-synth-XXXXXX", folder);
    if (length < 0 || (size_t)length >= sizeof temporary - 32 || mkdtemp(temporary) == NULL) {
        temporary[0] = '\0';
        return fm_fail(error, FM_ERR_SYSTEM, "cannot create a folder in %s: %m", folder);
    }
    atexit(remove_temporary);
    fm_interrupt_catch();
    return FM_OK;
}

static void note(struct totals *totals, fm_status_t status, const struct fm_error *error)
{
    if (status != FM_OK) {
        fprintf(stderr, "fermata synth: %s\n", error->message);
        totals->status = status > totals->status ? status : totals->status;
    }
}

static void describe_location(const struct fm_scenario *scenario, bool all, uint32_t rank,
                              uint32_t thread, char text[32])
{
    if (all) {
        strcpy(text, "*");
    } else if (scenario->thread_count == 1) {
        snprintf(text, 32, "%u", rank);
    } else {
        snprintf(text, 32, "%u.%u", rank, thread);
    }
}

static void print_failure(const struct fm_scenario *scenario,
                          const struct fm_scenario_expectation *expectation,
                          const struct fm_expectation_result *result)
{
    char from[32];
    char place[32];
    char expected[FM_DECIMAL_LENGTH];
    char actual[FM_DECIMAL_LENGTH];
    const char *subject = expectation->callpath == NULL ? "*" : expectation->callpath;
    describe_location(scenario, expectation->all_locations, expectation->rank, expectation->thread,
                      place);
    if (expectation->subject == FM_EXPECT_PHASE) {
        snprintf(place, sizeof place, "%llu", (unsigned long long)expectation->iteration);
        if (expectation->all_iterations) {
            strcpy(place, "*");
        }
    } else if (expectation->subject == FM_EXPECT_MATRIX) {
        describe_location(scenario, expectation->all_origins, expectation->from_rank,
                          expectation->from_thread, from);
        subject = from;
    }
    printf("%s:%llu: %s %s %s: expected %s, got %s\n", scenario->name,
           (unsigned long long)expectation->line, expectation->metric, subject, place,
           fm_decimal_format(expectation->value, expected),
           result->computed ? fm_decimal_format(result->actual, actual)
                            : "nothing: this version does not compute it");
}

/* Compares the expectations on the measured run, or on a prediction. */
static void compare(const struct fm_scenario *scenario, bool predicted, uint32_t prediction,
                    const struct fm_cube *cube, struct totals *totals)
{
    for (size_t i = 0; i < scenario->expectation_count; i++) {
        const struct fm_scenario_expectation *expectation = &scenario->expectations[i];
        if ((expectation->subject == FM_EXPECT_PREDICTED) != predicted ||
            (predicted && expectation->prediction != prediction)) {
            continue;
        }
        struct fm_expectation_result result;
        struct fm_error error;
        fm_status_t status = fm_expectation_compare(scenario, expectation, cube, &result, &error);
        totals->expectations++;
        if (status != FM_OK) {
            totals->failed++;
            note(totals, status, &error);
        } else if (!result.holds) {
            totals->failed++;
            totals->status = totals->status == FM_OK ? FM_ERR_FAILED : totals->status;
            print_failure(scenario, expectation, &result);
        }
    }
}

struct predicted {
    const struct fm_scenario *scenario;
    struct totals *totals;
};

static void compare_predicted(void *context, uint32_t prediction, const struct fm_cube *cube)
{
    struct predicted *predicted = context;
    compare(predicted->scenario, true, prediction, cube, predicted->totals);
}

/* Adds the options that the scenario names for its analysis. */
static fm_status_t choose_options(const struct fm_scenario *scenario,
                                  struct fm_chosen_options *chosen, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    for (uint32_t i = 0; i < scenario->options.count && status == FM_OK; i++) {
        const char *option = scenario->options.keys[i].bytes + strlen("--");
        size_t length = strcspn(option, "=");
        char *name = strndup(option, length);
        struct fm_error reason = {.message = "out of memory"};
        status = name == NULL ? FM_ERR_SYSTEM
                              : fm_chosen_options_set(chosen, name, option + length + 1, &reason);
        if (status != FM_OK) {
            status = status == FM_ERR_USAGE ? FM_ERR_DATA : status;
            fm_fail(error, status, "%s: analyze %.900s", scenario->name, reason.message);
        }
        free(name);
    }
    return status;
}

static void check_file(const char *path, const struct fm_analysis_options *options,
                       struct totals *totals)
{
    struct fm_scenario *scenario = NULL;
    struct fm_cube *cube = NULL;
    struct fm_error error;
    char directory[PATH_MAX + 16];
    totals->scenarios++;
    fm_status_t status = fm_scenario_read(path, &scenario, &error);
    if (status != FM_OK) {
        note(totals, status, &error);
        return;
    }
    struct fm_chosen_options chosen = {.options = *options};
    snprintf(directory, sizeof directory, "%s/archive", temporary);
    status = choose_options(scenario, &chosen, &error);
    if (status == FM_OK) {
        status = fm_scenario_write_archive(scenario, directory, &error);
    }
    if (status == FM_OK) {
        status = fm_analysis_run(directory, &chosen.options, &cube, &error);
        if (status != FM_OK) {
            struct fm_error reason = error;
            status = status == FM_ERR_USAGE ? FM_ERR_DATA : status;
            fm_fail(&error, status, "%s: %.900s", path, reason.message);
        }
    }
    if (status == FM_OK) {
        struct predicted predicted = {scenario, totals};
        compare(scenario, false, 0, cube, totals);
        note(totals,
             fm_scenario_predict(scenario, directory, &chosen.options, temporary, compare_predicted,
                                 &predicted, &error),
             &error);
    } else {
        totals->expectations += scenario->expectation_count;
        totals->failed += scenario->expectation_count;
        note(totals, status, &error);
    }
    fm_remove_tree(directory);
    fm_cube_free(cube);
    fm_chosen_options_free(&chosen);
    fm_scenario_free(scenario);
}

static int check_files(int count, char **paths, unsigned workers)
{
    struct fm_error error;
    struct totals totals = {.status = FM_OK};
    const struct fm_analysis_options options = {.workers = workers, .check = true};
    note(&totals, make_temporary(&error), &error);
    if (totals.status != FM_OK) {
        return totals.status;
    }
    for (int i = 0; i < count && !fm_interrupt_is_noted(); i++) {
        check_file(paths[i], &options, &totals);
    }
    remove_temporary();
    fm_interrupt_follow();
    printf("%lu scenarios, %lu expectations, %lu failed\n", totals.scenarios, totals.expectations,
           totals.failed);
    return totals.status;
}

static int write_archive(const char *path, const char *directory)
{
    struct fm_scenario *scenario = NULL;
    struct fm_error error;
    fm_status_t status = fm_scenario_read(path, &scenario, &error);
    if (status == FM_OK) {
        status = fm_scenario_write_archive(scenario, directory, &error);
        fm_scenario_free(scenario);
    }
    if (status != FM_OK) {
        fprintf(stderr, "fermata synth: %s\n", error.message);
    }
    return status;
}

int fm_command_synth(int argc, char **argv)
{
    const char *directory = NULL;
    bool check = false;
    uint64_t jobs = 0;
    struct fm_option_reader reader;
    fm_options_begin(&reader, FM_COMMAND_synth, argc, argv);
    for (int option; (option = fm_options_next(&reader)) != FM_OPTIONS_END;) {
        switch (option) {
        case FM_OPTION_synth_OUTPUT:
            directory = reader.value;
            break;
        case FM_OPTION_synth_CHECK:
            check = true;
            break;
        case FM_OPTION_synth_JOBS:
            if (fm_option_number(&reader, 1, FM_MOST_JOBS, &jobs) != FM_OK) {
                return fm_options_complain(&reader);
            }
            break;
        default:
            return fm_options_stop(&reader, option);
        }
    }
    if (reader.operand_count == 0) {
        fm_options_refuse(&reader, "give a scenario");
    } else if (check && directory != NULL) {
        fm_options_refuse(&reader, "--check writes no archive: -o makes no sense with it");
    } else if (check) {
        return check_files(reader.operand_count, reader.operands, (unsigned)jobs);
    } else if (directory == NULL || reader.operand_count != 1) {
        fm_options_refuse(&reader, "give one scenario and -o DIR, or --check");
    } else {
        return write_archive(reader.operands[0], directory);
    }
    return fm_options_complain(&reader);
}
