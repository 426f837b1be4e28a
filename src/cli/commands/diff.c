#include "cli/commands/commands.h"
#include "cli/report/report_list.h"
#include "cli/text/choice.h"
#include "report/comparison.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_TOP    5
#define MAX_CONDITIONS 64

static const char help_text[] =
    "usage: fermata diff [OPTIONS] DIR DIR...\n"
    "Compares the reports of several runs with that of the first. DIR is an experiment directory\n"
    "after `fermata analyze`, or a report file. Call paths are matched by the names of their\n"
    "regions (a single root matches any other), locations by rank and thread.\n\n"
    "  --metric PATTERN      compare the properties of these ids: mpi_late*, delay_*; default:\n"
    "                        the tree of time, and the roots of the counts\n"
    "  --top N               show the N largest changes in each direction (default 5)\n"
    "  --format text|json|markdown\n"
    "                        default text\n"
    "  --fail-if CONDITION   end with status 1 if a property changes so in any run, for example\n"
    "                        'mpi_late* > +5%' (relative to the first run) or 'time > 0.5' (in\n"
    "                        seconds, occurrences or bytes); may be given repeatedly\n"
    "  --help                this text\n";

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_MARKDOWN };

struct request {
    enum format format;
    struct fm_condition conditions[MAX_CONDITIONS];
    struct fm_diff_options options;
    bool help;
};

static fm_status_t parse_format(struct request *request, struct fm_error *error)
{
    static const char *const names[] = {"text", "json", "markdown", NULL};
    int chosen = FORMAT_TEXT;
    fm_status_t status = fm_choice_parse("--format", optarg, names, &chosen, error);
    request->format = (enum format)chosen;
    return status;
}

static fm_status_t parse_top(struct request *request, struct fm_error *error)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(optarg, &end, 10);
    if (*end != '\0' || optarg[0] == '-' || errno != 0 || value == 0 || value > UINT_MAX)
        return fm_fail(error, FM_ERR_USAGE, "--top: '%s' is no number above 0", optarg);
    request->options.top = (unsigned)value;
    return FM_OK;
}

static fm_status_t add_condition(struct request *request, struct fm_error *error)
{
    if (request->options.condition_count == MAX_CONDITIONS)
        return fm_fail(error, FM_ERR_USAGE, "--fail-if: at most %d conditions", MAX_CONDITIONS);
    fm_status_t status =
        fm_condition_parse(&request->conditions[request->options.condition_count], optarg, error);
    request->options.condition_count += status == FM_OK;
    return status;
}

static fm_status_t parse(int argc, char **argv, struct request *request, struct fm_error *error)
{
    enum { METRIC = 256, TOP, FORMAT, FAIL_IF };
    static const struct option options[] = {
        {"metric", required_argument, NULL, METRIC},
        {"top", required_argument, NULL, TOP},
        {"format", required_argument, NULL, FORMAT},
        {"fail-if", required_argument, NULL, FAIL_IF},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    *request = (struct request){.options = {.top = DEFAULT_TOP}};
    request->options.conditions = request->conditions;
    optind = 0;
    opterr = 0;
    fm_status_t status = FM_OK;
    for (int option;
         status == FM_OK && (option = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
        switch (option) {
        case METRIC:
            request->options.pattern = optarg;
            break;
        case TOP:
            status = parse_top(request, error);
            break;
        case FORMAT:
            status = parse_format(request, error);
            break;
        case FAIL_IF:
            status = add_condition(request, error);
            break;
        case 'h':
            request->help = true;
            return FM_OK;
        case ':':
            return fm_fail(error, FM_ERR_USAGE, "%s needs a value", argv[optind - 1]);
        default:
            return fm_fail(error, FM_ERR_USAGE, "there is no option %s; see fermata diff --help",
                           argv[optind - 1]);
        }
    }
    if (status == FM_OK && argc - optind < 2)
        status = fm_fail(error, FM_ERR_USAGE,
                         "two or more experiments, please; see fermata diff --help");
    return status;
}

static bool any_condition_met(const struct fm_comparison *comparison,
                              const struct fm_diff_options *options)
{
    for (size_t i = 0; i < options->condition_count; i++) {
        for (size_t c = 1; c < comparison->count; c++) {
            for (unsigned m = 0; m < FM_METRIC_COUNT; m++) {
                if (fm_condition_met(&options->conditions[i], comparison, c, (fm_metric_t)m))
                    return true;
            }
        }
    }
    return false;
}

static fm_status_t compare(const struct request *request, const struct fm_report_list *list,
                           const struct fm_terminal *terminal, struct fm_error *error)
{
    struct fm_comparison comparison;
    fm_status_t status = fm_comparison_make(&comparison, fm_report_list_cubes(list), list->names,
                                            list->count, error);
    if (status != FM_OK)
        return status;
    switch (request->format) {
    case FORMAT_TEXT:
        fm_diff_write_text(&comparison, &request->options, terminal);
        break;
    case FORMAT_JSON:
        fm_diff_write_json(&comparison, &request->options, stdout);
        break;
    case FORMAT_MARKDOWN:
        fm_diff_write_markdown(&comparison, &request->options, stdout);
        break;
    }
    if (fflush(stdout) != 0 || ferror(stdout))
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot write the comparison: %m");
    else if (any_condition_met(&comparison, &request->options))
        status = fm_fail(error, FM_ERR_FAILED, "a condition of --fail-if is met");
    fm_comparison_release(&comparison);
    return status;
}

int fm_command_diff(int argc, char **argv)
{
    struct request request;
    struct fm_report_list list;
    struct fm_error error;
    struct fm_terminal terminal = fm_terminal_detect(stdout);
    fm_status_t status = parse(argc, argv, &request, &error);
    if (status == FM_OK && request.help) {
        fputs(help_text, stdout);
        return FM_OK;
    }
    if (status == FM_OK)
        status = fm_report_list_load(&list, argv + optind, (size_t)(argc - optind), &error);
    if (status == FM_OK) {
        status = compare(&request, &list, &terminal, &error);
        fm_report_list_release(&list);
    }
    if (status != FM_OK) {
        char *message = fm_terminal_name(&terminal, error.message);
        fprintf(stderr, "fermata diff: %s\n", message);
        free(message);
    }
    return (int)status;
}
