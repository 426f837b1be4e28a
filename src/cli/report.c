#include "cli/commands.h"

#include "base/error.h"
#include "cli/report_file.h"
#include "cube/export.h"
#include "report/report.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_PROBLEMS 3
#define DEFAULT_BRANCHES 8

static const char help_text[] =
    "usage: fermata report [OPTIONS] DIR\n"
    "       fermata report --explain METRIC\n"
    "Tells where a run waits, why, and what to do about it. DIR is an experiment directory after\n"
    "`fermata analyze`, or a report file.\n\n"
    "  --metric ID           explain this metric and show where it occurs; for a wait state with\n"
    "                        the distribution of its waiting times and the longest waits\n"
    "  --callpath PATH       only this call path and what it calls: main/solve/MPI_Recv\n"
    "  --location RANK[.THREAD]\n"
    "                        only this rank, or this thread of it\n"
    "  --root PATH           make this call path and what it calls the whole report: its time is\n"
    "                        100 % then, and call paths begin with its last part\n"
    "  --why ID              why these wait states come about: the longest waits, each with the\n"
    "                        chain of its causes; goes with --callpath and --location\n"
    "  --locks               the queues for the locks of windows: how long they were over time,\n"
    "                        who held the locks, who waited (json always contains them)\n"
    "  --top N               show N problems (default 3), N branches of each tree node (8), N\n"
    "                        locks (8)\n"
    "  --inclusive           tree nodes show their value with all below (default)\n"
    "  --exclusive           expanded tree nodes show their own value only\n"
    "  --format text|json|csv\n"
    "                        json and csv hold exclusive values; default text\n"
    "  --explain METRIC      what a metric means, how it is computed, what to do; `all`: a list\n"
    "  --help                this text\n";

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

struct request {
    const char *directory;
    const char *metric, *callpath, *location, *root, *explain, *why;
    enum format format;
    bool exclusive, locks;
    unsigned top; /**< 0: defaults */
};

static fm_status_t parse_number(const char *text, const char *option, uint32_t *number,
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

static fm_status_t parse_top(struct request *request, struct fm_error *error)
{
    const char *end;
    fm_status_t status = parse_number(optarg, "--top", &request->top, &end, error);
    if (status == FM_OK && (*end != '\0' || request->top == 0))
        status = fm_fail(error, FM_ERR_USAGE, "--top: '%s' is no number above 0", optarg);
    return status;
}

static fm_status_t parse_format(struct request *request, struct fm_error *error)
{
    static const char *const names[] = {"text", "json", "csv"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(optarg, names[i]) == 0) {
            request->format = (enum format)i;
            return FM_OK;
        }
    }
    return fm_fail(error, FM_ERR_USAGE, "--format: '%s' is none of text, json, csv", optarg);
}

enum {
    METRIC = 256,
    CALLPATH,
    LOCATION,
    ROOT,
    WHY,
    LOCKS,
    TOP,
    INCLUSIVE,
    EXCLUSIVE,
    FORMAT,
    EXPLAIN,
    HELP
};

/** Reads the arguments. @param help  out: the help is wanted, nothing else was checked */
static fm_status_t parse(int argc, char **argv, struct request *request, bool *help,
                         struct fm_error *error)
{
    static const struct option options[] = {
        {"metric", required_argument, NULL, METRIC},
        {"callpath", required_argument, NULL, CALLPATH},
        {"location", required_argument, NULL, LOCATION},
        {"root", required_argument, NULL, ROOT},
        {"why", required_argument, NULL, WHY},
        {"locks", no_argument, NULL, LOCKS},
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
            request->locks = true;
            continue;
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
    if (request->locks && (request->metric != NULL || request->callpath != NULL ||
                           request->location != NULL || request->root != NULL))
        return fm_fail(error, FM_ERR_USAGE,
                       "--locks is about the whole run: it goes with none of --metric, --callpath, "
                       "--location, --root");
    if (request->locks && request->format == FORMAT_CSV)
        return fm_fail(error, FM_ERR_USAGE, "--locks goes with text and json, not with csv");
    request->directory = argv[optind];
    return FM_OK;
}

static fm_status_t find_metric(const char *id, const char *option, fm_metric_t *metric,
                               struct fm_error *error)
{
    *metric = fm_metric_by_id(id);
    if (*metric != FM_METRIC_NONE)
        return FM_OK;
    return fm_fail(error, FM_ERR_USAGE,
                   "%s: there is no metric '%s'; `fermata report --explain all` lists them", option,
                   id);
}

static fm_status_t find_callpath(const struct fm_cube *cube, const char *path, const char *option,
                                 uint32_t *callpath, struct fm_error *error)
{
    *callpath = fm_cube_find_callpath(cube, path);
    if (*callpath != FM_CUBE_NONE)
        return FM_OK;
    return fm_fail(error, FM_ERR_USAGE,
                   "%s: there is no call path '%s'; write it from its root: main/solve/MPI_Recv",
                   option, path);
}

static fm_status_t find_location(const struct fm_cube *cube, const char *text,
                                 struct fm_selection *selection, struct fm_error *error)
{
    const char *end;
    fm_status_t status = parse_number(text, "--location", &selection->rank, &end, error);
    if (status == FM_OK && *end == '.')
        status = parse_number(end + 1, "--location", &selection->thread, &end, error);
    if (status != FM_OK)
        return status;
    if (*end != '\0')
        return fm_fail(error, FM_ERR_USAGE, "--location: '%s' is not RANK or RANK.THREAD", text);
    for (uint32_t i = 0; i < cube->location_count; i++) {
        const struct fm_cube_location *location = &cube->locations[i];
        if (location->rank == selection->rank &&
            (selection->thread == FM_CUBE_NONE || selection->thread == location->thread))
            return FM_OK;
    }
    return fm_fail(error, FM_ERR_USAGE, "--location: there is no location %s", text);
}

/** Finds what the options name in the cube. */
static fm_status_t select_parts(const struct fm_cube *cube, const struct request *request,
                                struct fm_selection *selection, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    *selection = fm_selection_all();
    if (request->metric != NULL)
        status = find_metric(request->metric, "--metric", &selection->metric, error);
    if (status == FM_OK && request->callpath != NULL)
        status = find_callpath(cube, request->callpath, "--callpath", &selection->callpath, error);
    if (status == FM_OK && request->location != NULL)
        status = find_location(cube, request->location, selection, error);
    return status;
}

static fm_status_t write_report(const struct fm_cube *cube, const struct request *request,
                                const struct fm_terminal *terminal, struct fm_error *error)
{
    struct fm_selection selection;
    fm_status_t status = select_parts(cube, request, &selection, error);
    if (status != FM_OK)
        return status;
    fm_metric_t why = FM_METRIC_NONE;
    if (request->why != NULL)
        status = find_metric(request->why, "--why", &why, error);
    if (status == FM_OK && why != FM_METRIC_NONE && !fm_metric_info(why)->is_wait_state)
        status = fm_fail(error, FM_ERR_USAGE, "--why: %s is no wait state", request->why);
    if (status != FM_OK)
        return status;
    if (request->format == FORMAT_TEXT) {
        const struct fm_report_options options = {
            .directory = request->directory,
            .selection = selection,
            .root = request->root,
            .problems = request->top != 0 ? request->top : DEFAULT_PROBLEMS,
            .top = request->top != 0 ? request->top : DEFAULT_BRANCHES,
            .exclusive = request->exclusive,
            .locks = request->locks,
            .why = why,
        };
        return fm_report_write(cube, &options, terminal, error);
    }
    struct fm_view view;
    status = fm_view_prepare(&view, cube, &selection, error);
    if (status != FM_OK)
        return status;
    status = request->format == FORMAT_JSON ? fm_export_json(&view, stdout, error)
                                            : fm_export_csv(&view, stdout, error);
    fm_view_release(&view);
    return status;
}

static fm_status_t explain(const char *id, const struct fm_terminal *terminal,
                           struct fm_error *error)
{
    if (strcmp(id, "all") == 0) {
        size_t longest = 0;
        for (unsigned i = 0; i < FM_METRIC_COUNT; i++) {
            size_t length = strlen(fm_metric_info((fm_metric_t)i)->id);
            longest = length > longest ? length : longest;
        }
        for (unsigned i = 0; i < FM_METRIC_COUNT; i++) {
            const struct fm_metric_info *info = fm_metric_info((fm_metric_t)i);
            fm_terminal_paragraph(terminal, info->id, (unsigned)longest + 1, info->name);
        }
        return FM_OK;
    }
    fm_metric_t metric;
    fm_status_t status = find_metric(id, "--explain", &metric, error);
    if (status == FM_OK)
        fm_report_explain(metric, terminal);
    return status;
}

static fm_status_t run(const struct request *request, const struct fm_terminal *terminal,
                       struct fm_error *error)
{
    if (request->explain != NULL)
        return explain(request->explain, terminal, error);
    fm_metric_t metric;
    if (request->metric != NULL) { /* a wrong name shall not cost reading a big report */
        fm_status_t known = find_metric(request->metric, "--metric", &metric, error);
        if (known != FM_OK)
            return known;
    }
    struct fm_cube *cube = NULL;
    fm_status_t status = fm_load_report(request->directory, &cube, error);
    if (status == FM_OK && request->root != NULL) {
        uint32_t root;
        struct fm_cube *part = NULL;
        status = find_callpath(cube, request->root, "--root", &root, error);
        if (status == FM_OK)
            status = fm_cube_restrict(cube, root, &part, error);
        if (status == FM_OK) {
            fm_cube_free(cube);
            cube = part;
        }
    }
    if (status == FM_OK)
        status = write_report(cube, request, terminal, error);
    fm_cube_free(cube);
    return status;
}

int fm_command_report(int argc, char **argv)
{
    struct request request = {0};
    struct fm_error error;
    bool help = false;
    struct fm_terminal terminal = fm_terminal_detect(stdout);
    fm_status_t status = parse(argc, argv, &request, &help, &error);
    if (status == FM_OK && help)
        fputs(help_text, stdout);
    else if (status == FM_OK)
        status = run(&request, &terminal, &error);
    if (status == FM_OK && fflush(stdout) != 0)
        status = fm_fail(&error, FM_ERR_SYSTEM, "cannot write the report: %m");
    if (status != FM_OK) {
        char *message = fm_terminal_name(&terminal, error.message);
        fprintf(stderr, "fermata report: %s\n", message);
        free(message);
    }
    return (int)status;
}
