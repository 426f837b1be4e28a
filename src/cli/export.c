#include "cli/commands.h"

#include "base/new_file.h"
#include "cli/report_file.h"
#include "export/export.h"
#include "report/terminal.h"

#include <getopt.h>
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
    bool help;
};

static fm_status_t parse(int argc, char **argv, struct arguments *arguments, struct fm_error *error)
{
    enum { TO = 256, METRIC };
    static const struct option options[] = {
        {"to", required_argument, NULL, TO},
        {"output", required_argument, NULL, 'o'},
        {"metric", required_argument, NULL, METRIC},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    optind = 0;
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":o:h", options, NULL)) != -1;) {
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
    if (arguments->format == NULL)
        return fm_fail(error, FM_ERR_USAGE, "--to which format? see fermata export --help");
    if (optind + 1 != argc)
        return fm_fail(error, FM_ERR_USAGE,
                       "one experiment directory, please; see fermata export --help");
    if (arguments->metric != NULL && !arguments->format->of_one_metric)
        return fm_fail(error, FM_ERR_USAGE, "--metric does not go with %s, which has all of them",
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

static fm_status_t run(const struct arguments *arguments, const struct fm_terminal *terminal,
                       struct fm_error *error)
{
    struct fm_export_request request = {.archive = arguments->place, .metric = FM_METRIC_TIME};
    if (arguments->metric != NULL)
        request.metric = fm_metric_by_id(arguments->metric);
    if (request.metric == FM_METRIC_NONE)
        return fm_fail(error, FM_ERR_USAGE,
                       "--metric: there is no metric '%s'; `fermata report --explain all` lists "
                       "them",
                       arguments->metric);
    struct fm_cube *cube = NULL;
    fm_status_t status = fm_load_report(arguments->place, &cube, error);
    if (status != FM_OK)
        return status;
    request.cube = cube;
    if (arguments->output != NULL && strcmp(arguments->output, "-") == 0) {
        status = write_stdout(arguments->format, &request, error);
    } else {
        char *path = arguments->output != NULL
                         ? strdup(arguments->output)
                         : fm_path_beside_report(arguments->place, arguments->format->file);
        status = path == NULL ? fm_fail(error, FM_ERR_SYSTEM, "out of memory")
                              : write_file(arguments->format, &request, path, error);
        if (status == FM_OK) {
            char *name = fm_terminal_name(terminal, path);
            printf("fermata: wrote %s\n", name);
            free(name);
        }
        free(path);
    }
    fm_cube_free(cube);
    return status;
}

int fm_command_export(int argc, char **argv)
{
    struct arguments arguments = {0};
    struct fm_error error;
    struct fm_terminal terminal = fm_terminal_detect(stdout);
    fm_status_t status = parse(argc, argv, &arguments, &error);
    if (status == FM_OK && arguments.help)
        print_usage(stdout);
    else if (status == FM_OK)
        status = run(&arguments, &terminal, &error);
    if (status != FM_OK) {
        char *message = fm_terminal_name(&terminal, error.message);
        fprintf(stderr, "fermata export: %s\n", message);
        free(message);
    }
    return (int)status;
}
