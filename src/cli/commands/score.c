/* fermata score: what recording the functions of a run costs. */
#include "cli/score/score.h"

#include "cli/archive/complete.h"
#include "cli/archive/isolate.h"
#include "cli/commands/commands.h"
#include "cli/text/safe_text.h"
#include "cli/text/usage.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_REGIONS = 40 };

struct request {
    const char *archive;
    const char *suggest; /* file to be written; NULL: none */
    struct fm_filter *filter;
    bool json, all;
};

static void print_usage(FILE *stream)
{
    fputs(
        "usage: fermata score [OPTIONS] DIR|ANCHOR.otf2\n\n"
        "Tells for each region how often it was visited, how long it took, how much of the trace\n"
        "it fills and what recording it costs; which functions, of those that were compiled with\n"
        "`fermata cc`, cxx or fc, a filter should leave out; and what that saves.\n\n"
        "  --filter FILE    shows what a filter leaves out, instead of what is suggested\n"
        "  --suggest FILE   writes what is suggested as a filter, for `fermata record --filter`\n"
        "  --all            prints all regions, not only the largest\n"
        "  --format=FORMAT  text (the default) or json\n",
        stream);
}

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

static int score_archive(void *argument)
{
    const struct request *request = argument;
    struct fm_survey *survey = NULL;
    struct fm_score score;
    struct fm_error error;
    fm_status_t status = fm_survey_open(request->archive, &survey, &error);
    if (status != FM_OK) {
        fprintf(stderr, "fermata score: %s\n", fm_safe_text(error.message));
        return status;
    }
    fm_score_read(survey, &score);
    if (request->suggest != NULL) {
        fm_score_apply(&score, NULL);
        status = write_filter(&score, request->suggest, &error);
    }
    if (status == FM_OK) {
        fm_score_apply(&score, request->filter);
        if (request->json) {
            fm_score_print_json(&score);
        } else {
            fm_score_print_text(&score, request->all ? SIZE_MAX : SHOWN_REGIONS);
        }
    } else {
        fprintf(stderr, "fermata score: %s\n", fm_safe_text(error.message));
    }
    fm_score_free(&score);
    fm_survey_close(survey);
    return status;
}

static int run(struct request *request)
{
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
    static const struct option options[] = {
        {"filter", required_argument, NULL, 'f'}, {"suggest", required_argument, NULL, 's'},
        {"all", no_argument, NULL, 'a'},          {"format", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0},
    };
    struct request request = {0};
    const char *filter = NULL;
    struct fm_error error;
    int option;
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
        switch (option) {
        case 'f':
            filter = optarg;
            break;
        case 's':
            request.suggest = optarg;
            break;
        case 'a':
            request.all = true;
            break;
        case 'o':
            request.json = strcmp(optarg, "json") == 0;
            if (!request.json && strcmp(optarg, "text") != 0) {
                fputs("fermata score: the formats are text and json\n", stderr);
                return FM_ERR_USAGE;
            }
            break;
        case 'h':
            print_usage(stdout);
            return FM_OK;
        default:
            return fm_refuse_option(argv, option);
        }
    }
    if (argc - optind != 1) {
        return fm_refuse_usage("score", "one archive, please");
    }
    fm_status_t status = filter != NULL ? fm_filter_read(filter, &request.filter, &error) : FM_OK;
    if (status != FM_OK) {
        fprintf(stderr, "fermata score: %s\n", fm_safe_text(error.message));
        return status;
    }
    request.archive = argv[optind];
    status = (fm_status_t)run(&request);
    fm_filter_free(request.filter);
    return status;
}
