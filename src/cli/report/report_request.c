#include "cli/report/report_request.h"

#include "cli/text/choice.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

const char fm_report_help[] =
    "usage: fermata report [OPTIONS] DIR\n"
    "       fermata report --explain METRIC\n"
    "Tells where a run waits, why, and what to do about it. DIR is an experiment directory after\n"
    "`fermata analyze`, or a report file.\n\n"
    "  --metric ID           explain this metric and show where it occurs; for a wait state with\n"
    "                        the distribution of its waiting times and the longest waits\n"
    "  --callpath PATH       only this call path and what it calls: main/solve/MPI_Recv; .../\n"
    "                        stands for any levels: main/.../MPI_Recv\n"
    "  --location RANK[.THREAD]\n"
    "                        only this rank, or this thread of it\n"
    "  --root PATH           make this call path and what it calls the whole report: its time is\n"
    "                        100 % then, and call paths begin with its last part\n"
    "  --why ID              why these wait states come about: the longest waits, each with the\n"
    "                        chain of its causes; goes with --callpath and --location\n"
    "  --locks               the queues for the locks of windows: how long they were over time,\n"
    "                        who held the locks, who waited (json always contains them)\n"
    "  --efficiency          parallel efficiency, load balance and communication efficiency of "
    "the\n"
    "                        run, its phases and call paths\n"
    "  --phases              the iterations of the program's phases: how they developed over\n"
    "                        time, and the worst ones (json always contains them)\n"
    "  --matrix messages|rma|delay\n"
    "                        who sent to whom, who accessed whose memory, or who made whom wait\n"
    "                        (delay goes with --metric); json always contains them\n"
    "  --top N               show N problems (default 3), N branches of each tree node (8), N\n"
    "                        locks, iterations, call paths, pairs (8)\n"
    "  --inclusive           tree nodes show their value with all below (default)\n"
    "  --exclusive           expanded tree nodes show their own value only\n"
    "  --format text|json|csv\n"
    "                        json and csv hold exclusive values; default text\n"
    "  --explain METRIC      what a metric means, how it is computed, what to do; `all`: a list\n"
    "  --help                this text\n";

fm_status_t fm_report_request_number(const char *text, const char *option, uint32_t *number,
                                     const char **end, struct fm_error *error)
{
    char *rest;
    errno = 0;
    unsigned long value = strtoul(text, &rest, 10);
    if (rest == text || *text == '-' || *text == '+' || *text == ' ' || errno != 0 ||
        value >= FM_CUBE_NONE)
        return fm_fail(error, FM_ERR_USAGE, "%s: '%s' is no number", option, text);
    *number = (uint32_t)value;
    *end = rest;
    return FM_OK;
}

static fm_status_t parse_top(struct fm_report_request *request, struct fm_error *error)
{
    const char *end;
    fm_status_t status = fm_report_request_number(optarg, "--top", &request->top, &end, error);
    if (status == FM_OK && (*end != '\0' || request->top == 0))
        status = fm_fail(error, FM_ERR_USAGE, "--top: '%s' is no number above 0", optarg);
    return status;
}

static fm_status_t parse_format(struct fm_report_request *request, struct fm_error *error)
{
    static const char *const names[] = {"text", "json", "csv", NULL};
    int chosen = 0;
    fm_status_t status = fm_choice_parse("--format", optarg, names, &chosen, error);
    request->format = (enum fm_report_format)chosen;
    return status;
}

enum {
    METRIC = 256,
    CALLPATH,
    LOCATION,
    ROOT,
    WHY,
    LOCKS,
    EFFICIENCY,
    PHASES,
    MATRIX,
    TOP,
    INCLUSIVE,
    EXCLUSIVE,
    FORMAT,
    EXPLAIN,
    HELP
};

/** Finds what --matrix wants. */
static fm_status_t parse_matrix(struct fm_report_request *request, struct fm_error *error)
{
    static const char *const names[FM_MATRIX_COUNT + 1] = {"messages", "rma", "delay"};
    int chosen = 0;
    fm_status_t status = fm_choice_parse("--matrix", optarg, names, &chosen, error);
    request->matrix = (enum fm_cube_matrix_kind)chosen;
    return status;
}

/** Checks that the options go together. */
static fm_status_t check_combination(const struct fm_report_request *request,
                                     struct fm_error *error)
{
    static const char *const parts[] = {
        [FM_REPORT_LOCKS] = "--locks",
        [FM_REPORT_EFFICIENCY] = "--efficiency",
        [FM_REPORT_PHASES] = "--phases",
        [FM_REPORT_MATRIX] = "--matrix",
    };
    if (request->part == FM_REPORT_OVERVIEW)
        return FM_OK;
    bool takes_metric = request->part == FM_REPORT_MATRIX && request->matrix == FM_MATRIX_DELAYS;
    bool takes_root = request->part == FM_REPORT_EFFICIENCY;
    if ((request->metric != NULL && !takes_metric) || request->callpath != NULL ||
        request->location != NULL || (request->root != NULL && !takes_root))
        return fm_fail(error, FM_ERR_USAGE,
                       "%s is about the whole run: it goes with none of --metric, --callpath, "
                       "--location, --root",
                       parts[request->part]);
    if (request->format == FM_FORMAT_CSV &&
        (request->part == FM_REPORT_LOCKS || request->part == FM_REPORT_EFFICIENCY))
        return fm_fail(error, FM_ERR_USAGE, "%s goes with text and json, not with csv",
                       parts[request->part]);
    return FM_OK;
}

fm_status_t fm_report_request_parse(int argc, char **argv, struct fm_report_request *request,
                                    bool *help, struct fm_error *error)
{
    static const struct option options[] = {
        {"metric", required_argument, NULL, METRIC},
        {"callpath", required_argument, NULL, CALLPATH},
        {"location", required_argument, NULL, LOCATION},
        {"root", required_argument, NULL, ROOT},
        {"why", required_argument, NULL, WHY},
        {"locks", no_argument, NULL, LOCKS},
        {"efficiency", no_argument, NULL, EFFICIENCY},
        {"phases", no_argument, NULL, PHASES},
        {"matrix", required_argument, NULL, MATRIX},
        {"top", required_argument, NULL, TOP},
        {"inclusive", no_argument, NULL, INCLUSIVE},
        {"exclusive", no_argument, NULL, EXCLUSIVE},
        {"format", required_argument, NULL, FORMAT},
        {"explain", required_argument, NULL, EXPLAIN},
        {"help", no_argument, NULL, HELP},
        {NULL, 0, NULL, 0},
    };
    optind = 0; /* start anew, should another command have used getopt before */
    opterr = 0;
    for (;;) {
        int option = getopt_long(argc, argv, ":h", options, NULL);
        fm_status_t status = FM_OK;
        switch (option) {
        case -1:
            break;
        case METRIC:
            request->metric = optarg;
            continue;
        case CALLPATH:
            request->callpath = optarg;
            continue;
        case LOCATION:
            request->location = optarg;
            continue;
        case ROOT:
            request->root = optarg;
            continue;
        case EXPLAIN:
            request->explain = optarg;
            continue;
        case WHY:
            request->why = optarg;
            continue;
        case LOCKS:
            request->part = FM_REPORT_LOCKS;
            continue;
        case EFFICIENCY:
            request->part = FM_REPORT_EFFICIENCY;
            continue;
        case PHASES:
            request->part = FM_REPORT_PHASES;
            continue;
        case MATRIX:
            request->part = FM_REPORT_MATRIX;
            status = parse_matrix(request, error);
            break;
        case INCLUSIVE:
        case EXCLUSIVE:
            request->exclusive = option == EXCLUSIVE;
            continue;
        case TOP:
            status = parse_top(request, error);
            break;
        case FORMAT:
            status = parse_format(request, error);
            break;
        case 'h':
        case HELP:
            *help = true;
            return FM_OK;
        case ':':
            return fm_fail(error, FM_ERR_USAGE, "%s needs a value", argv[optind - 1]);
        default:
            return fm_fail(error, FM_ERR_USAGE, "there is no option %s; see fermata report --help",
                           argv[optind - 1]);
        }
        if (status != FM_OK)
            return status;
        if (option == -1)
            break;
    }
    if (request->explain != NULL)
        return optind == argc
                   ? FM_OK
                   : fm_fail(error, FM_ERR_USAGE, "--explain takes no directory: %s", argv[optind]);
    if (optind + 1 != argc)
        return fm_fail(error, FM_ERR_USAGE,
                       optind == argc
                           ? "which experiment directory? see fermata report --help"
                           : "one experiment directory, please; see fermata report --help");
    request->directory = argv[optind];
    return check_combination(request, error);
}
