/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata score: what recording the functions of a run costs. */
#include "cli/score/score.h"

#include "cli/archive/complete.h"
#include "cli/archive/isolated_command.h"
#include "cli/commands/commands.h"
#include "cli/counters/counter_output.h"
#include "cli/options/options.h"
#include "cli/text/safe_text.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN_REGIONS = 40 };

struct request {
    const char *archive;
    const char *suggest; /* file to be written; NULL: none */
    struct fm_filter *filter;
    bool json, all;
};

static fm_status_t write_filter(const struct fm_score *score, const char *path,
                                struct fm_error *error)
{
    FILE *file = fopen(path, "wxe");
    if (file == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %m", path);
    }
    fm_score_write_filter(score, file);
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %m", path);
    }
    return FM_OK;
}

/* Writes and prints what is asked for. */
static fm_status_t show(const struct request *request, struct fm_score *score,
                        struct fm_error *error)
{
    if (request->suggest != NULL) {
        fm_score_apply(score, NULL);
        fm_status_t status = write_filter(score, request->suggest, error);
        if (status != FM_OK) {
            return status;
        }
    }
    fm_score_apply(score, request->filter);
    if (request->json) {
        fm_score_print_json(score);
    } else {
        fm_score_print_text(score, request->all ? SIZE_MAX : SHOWN_REGIONS);
    }
    return FM_OK;
}

static int complain(fm_status_t status, struct fm_error *error)
{
    if (status != FM_OK) {
        fprintf(stderr, "fermata score: %s\n", fm_safe_text(error->message));
    }
    return (int)status;
}

static int score_archive(void *argument)
{
    const struct request *request = argument;
    struct fm_survey *survey = NULL;
    struct fm_score score;
    struct fm_error error;
    fm_status_t status = fm_survey_open(request->archive, &survey, &error);
    if (status == FM_OK) {
        fm_score_read(survey, &score);
        status = show(request, &score, &error);
        fm_score_free(&score);
        fm_survey_close(survey);
    }
    return complain(status, &error);
}

static int score_counters(const struct request *request)
{
    struct fm_score score;
    struct fm_error error;
    fm_status_t status = fm_score_read_counters(request->archive, &score, &error);
    if (status == FM_OK) {
        status = show(request, &score, &error);
    }
    fm_score_free(&score);
    return complain(status, &error);
}

static int run(struct request *request)
{
    if (fm_counters_are_all(request->archive)) {
        fm_warn_of_experiment(request->archive);
        return score_counters(request);
    }
    int status = fm_complete_experiment("score", request->archive);
    if (status != FM_OK) {
        return status;
    }
    fm_warn_of_experiment(request->archive);
    return fm_run_isolated("score", request->archive, FM_READING_CPU_SECONDS, score_archive,
                           request);
}

int fm_command_score(int argc, char **argv)
{
    static const char *const formats[] = {"text", "json", NULL};
    struct request request = {0};
    const char *filter = NULL;
    struct fm_error error;
    struct fm_option_reader reader;
    fm_options_begin(&reader, FM_COMMAND_score, argc, argv);
    for (int option; (option = fm_options_next(&reader)) != FM_OPTIONS_END;) {
        int format = 0;
        switch (option) {
        case FM_OPTION_score_FILTER:
            filter = reader.value;
            break;
        case FM_OPTION_score_SUGGEST:
            request.suggest = reader.value;
            break;
        case FM_OPTION_score_ALL:
            request.all = true;
            break;
        case FM_OPTION_score_FORMAT:
            if (fm_option_choice(&reader, formats, &format) != FM_OK) {
                return fm_options_complain(&reader);
            }
            request.json = format == 1;
            break;
        default:
            return fm_options_stop(&reader, option);
        }
    }
    if (!fm_options_operands(&reader, 1, 1, "one archive")) {
        return fm_options_complain(&reader);
    }
    fm_status_t status = filter != NULL ? fm_filter_read(filter, &request.filter, &error) : FM_OK;
    if (status != FM_OK) {
        fprintf(stderr, "fermata score: %s\n", fm_safe_text(error.message));
        return status;
    }
    request.archive = reader.operands[0];
    status = (fm_status_t)run(&request);
    fm_filter_free(request.filter);
    return status;
}
