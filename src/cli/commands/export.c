#include "cli/commands/commands.h"

#include "base/files/new_file.h"
#include "cli/archive/isolate.h"
#include "cli/report/report_file.h"
#include "export/export.h"
#include "report/terminal.h"

#include <ctype.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void print_usage(FILE *stream)
{
    fputs(
        "usage: fermata export --to FORMAT [OPTIONS] DIR\n"
        "Writes an experiment in the format of another tool. DIR is an experiment directory after\n"
        "`fermata analyze`, or a report file.\n\n"
        "  --to FORMAT         one of the formats below\n"
        "  -o, --output FILE   where to (default: a file in DIR, named below; -: standard output)\n"
        "  --metric ID         the property that formats of one property show (default: time)\n"
        "  --begin S, --end S  timelines: only between these seconds of the run\n"
        "  --ranks A[-B]       timelines: only these ranks\n"
        "  --help              this text\n\n"
        "formats:\n",
        stream);
    for (size_t i = 0; fm_export_formats[i] != NULL; i++) {
        const struct fm_export_format *format = fm_export_formats[i];
        fprintf(stream, "  %-18s  %s\n  %-18s  (DIR/%s)\n", format->name, format->summary, "",
                format->file);
    }
}

struct arguments {
    const struct fm_export_format *format;
    const char *place, *output, *metric;
    double begin, end;
    uint32_t first_rank, last_rank;
    bool partial; /**< some option restricts the timeline */
    bool help;
};

static fm_status_t parse_seconds(const char *option, double *seconds, struct fm_error *error)
{
    char *end;
    *seconds = strtod(optarg, &end);
    if (end == optarg || *end != '\0' || !(*seconds >= 0))
        return fm_fail(error, FM_ERR_USAGE, "%s: '%s' is no number of seconds", option, optarg);
    return FM_OK;
}

/** Reads a rank at `text`. @param end  out: behind it; equal to `text`: there is none */
static uint32_t parse_rank(const char *text, const char **end)
{
    char *behind = NULL;
    unsigned long rank = strtoul(text, &behind, 10);
    *end = isdigit((unsigned char)*text) && rank < UINT32_MAX ? behind : text;
    return (uint32_t)rank;
}

static fm_status_t parse_ranks(struct arguments *arguments, struct fm_error *error)
{
    const char *end, *second;
    uint32_t first = parse_rank(optarg, &end), last = first;
    bool valid = end != optarg;
    if (valid && *end == '-') {
        second = end + 1;
        last = parse_rank(second, &end);
        valid = end != second && last >= first;
    }
    if (!valid || *end != '\0')
        return fm_fail(error, FM_ERR_USAGE, "--ranks: '%s' is neither RANK nor FIRST-LAST", optarg);
    arguments->first_rank = first;
    arguments->last_rank = last;
    return FM_OK;
}

static fm_status_t parse(int argc, char **argv, struct arguments *arguments, struct fm_error *error)
{
    enum { TO = 256, METRIC, BEGIN, END, RANKS };
    static const struct option options[] = {
        {"to", required_argument, NULL, TO},
        {"output", required_argument, NULL, 'o'},
        {"metric", required_argument, NULL, METRIC},
        {"begin", required_argument, NULL, BEGIN},
        {"end", required_argument, NULL, END},
        {"ranks", required_argument, NULL, RANKS},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    arguments->end = INFINITY;
    arguments->last_rank = UINT32_MAX;
    optind = 0;
    opterr = 0;
    fm_status_t status = FM_OK;
    for (int option;
         status == FM_OK && (option = getopt_long(argc, argv, ":o:h", options, NULL)) != -1;) {
        switch (option) {
        case TO:
            arguments->format = fm_export_format_by_name(optarg);
            if (arguments->format == NULL)
                return fm_fail(error, FM_ERR_USAGE,
                               "--to: there is no format '%s'; see fermata export --help", optarg);
            break;
        case 'o':
            arguments->output = optarg;
            break;
        case METRIC:
            arguments->metric = optarg;
            break;
        case BEGIN:
        case END:
            arguments->partial = true;
            status = option == BEGIN ? parse_seconds("--begin", &arguments->begin, error)
                                     : parse_seconds("--end", &arguments->end, error);
            break;
        case RANKS:
            arguments->partial = true;
            status = parse_ranks(arguments, error);
            break;
        case 'h':
            arguments->help = true;
            return FM_OK;
        case ':':
            return fm_fail(error, FM_ERR_USAGE, "%s needs a value", argv[optind - 1]);
        default:
            return fm_fail(error, FM_ERR_USAGE, "there is no option %s; see fermata export --help",
                           argv[optind - 1]);
        }
    }
    if (status != FM_OK)
        return status;
    if (arguments->format == NULL)
        return fm_fail(error, FM_ERR_USAGE, "--to which format? see fermata export --help");
    if (optind + 1 != argc)
        return fm_fail(error, FM_ERR_USAGE,
                       "one experiment directory, please; see fermata export --help");
    if (arguments->metric != NULL && !arguments->format->of_one_metric)
        return fm_fail(error, FM_ERR_USAGE, "--metric does not go with %s, which has all of them",
                       arguments->format->name);
    if (arguments->partial && !arguments->format->of_a_part)
        return fm_fail(error, FM_ERR_USAGE, "--begin, --end and --ranks do not go with %s",
                       arguments->format->name);
    arguments->place = argv[optind];
    return FM_OK;
}

static fm_status_t write_file(const struct fm_export_format *format,
                              const struct fm_export_request *request, const char *path,
                              struct fm_error *error)
{
    struct fm_new_file file;
    fm_status_t status = fm_new_file_open(&file, path, error);
    if (status != FM_OK)
        return status;
    status = format->write(request, file.stream, error);
    if (status == FM_OK)
        return fm_new_file_commit(&file, error);
    fm_new_file_discard(&file);
    return status;
}

static fm_status_t write_stdout(const struct fm_export_format *format,
                                const struct fm_export_request *request, struct fm_error *error)
{
    fm_status_t status = format->write(request, stdout, error);
    if (status == FM_OK && (fflush(stdout) != 0 || ferror(stdout)))
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot write to standard output: %m");
    return status;
}

/** Writes to where the arguments say. */
static fm_status_t write_output(const struct arguments *arguments,
                                const struct fm_export_request *request, struct fm_error *error)
{
    const struct fm_export_format *format = arguments->format;
    bool to_stdout = arguments->output != NULL && strcmp(arguments->output, "-") == 0;
    if (to_stdout && format->write == NULL)
        return fm_fail(error, FM_ERR_USAGE, "%s is a directory: it cannot go to standard output",
                       format->name);
    if (to_stdout)
        return write_stdout(format, request, error);
    char *path = arguments->output != NULL ? strdup(arguments->output)
                                           : fm_path_beside_report(arguments->place, format->file);
    fm_status_t status;
    if (path == NULL)
        status = fm_fail(error, FM_ERR_SYSTEM, "out of memory");
    else if (format->write == NULL)
        status = format->write_directory(request, path, error);
    else
        status = write_file(format, request, path, error);
    if (status == FM_OK) {
        struct fm_terminal terminal = fm_terminal_detect(stdout);
        char *name = fm_terminal_name(&terminal, path);
        printf("fermata: wrote %s\n", name);
        free(name);
    }
    free(path);
    return status;
}

static fm_status_t export(const struct arguments *arguments, struct fm_error *error)
{
    struct fm_export_request request = {
        .metric = FM_METRIC_TIME,
        .from = arguments->begin,
        .to = arguments->end,
        .first_rank = arguments->first_rank,
        .last_rank = arguments->last_rank,
    };
    if (arguments->metric != NULL)
        request.metric = fm_metric_by_id(arguments->metric);
    if (request.metric == FM_METRIC_NONE)
        return fm_fail(error, FM_ERR_USAGE,
                       "--metric: there is no metric '%s'; `fermata report --explain all` lists "
                       "them",
                       arguments->metric);
    char *archive = fm_path_beside_report(arguments->place, ".");
    struct fm_cube *cube = NULL;
    fm_status_t status = archive == NULL ? fm_fail(error, FM_ERR_SYSTEM, "out of memory")
                                         : fm_load_report(arguments->place, &cube, error);
    if (status == FM_OK) {
        request.cube = cube;
        request.archive = archive;
        status = write_output(arguments, &request, error);
    }
    fm_cube_free(cube);
    free(archive);
    return status;
}

static int complain(fm_status_t status, const struct fm_error *error)
{
    struct fm_terminal terminal = fm_terminal_detect(stderr);
    char *message = fm_terminal_name(&terminal, error->message);
    fprintf(stderr, "fermata export: %s\n", message);
    free(message);
    return (int)status;
}

static int run(void *argument)
{
    struct fm_error error;
    fm_status_t status = export(argument, &error);
    return status == FM_OK ? FM_OK : complain(status, &error);
}

int fm_command_export(int argc, char **argv)
{
    struct arguments arguments = {0};
    struct fm_error error;
    fm_status_t status = parse(argc, argv, &arguments, &error);
    if (status != FM_OK)
        return complain(status, &error);
    if (arguments.help) {
        print_usage(stdout);
        return FM_OK;
    }
    /* Timelines read the archive, which may be damaged. */
    return arguments.format->of_events
               ? fm_run_isolated("export", arguments.place, 0, run, &arguments)
               : run(&arguments);
}
