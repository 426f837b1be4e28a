/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/commands/commands.h"

#include "base/files/new_file.h"
#include "cli/archive/complete.h"
#include "cli/archive/isolated_command.h"
#include "cli/options/options.h"
#include "cli/report/metric_option.h"
#include "cli/report/report_file.h"
#include "export/export.h"
#include "report/terminal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void print_formats(void)
{
    puts("\nFormats:");
    for (size_t i = 0; fm_export_formats[i] != NULL; i++) {
        const struct fm_export_format *format = fm_export_formats[i];
        printf("  %-18s  %s\n  %-18s  (DIR/%s)\n", format->name, format->summary, "", format->file);
    }
}

struct arguments {
    const struct fm_export_format *format;
    const char *place, *output, *metric;
    double begin, end;
    uint32_t first_rank, last_rank;
    bool partial; /**< some option restricts the timeline */
};

/** Reads a rank at `text`. @param end  out: behind it; equal to `text`: there is none */
static uint32_t parse_rank(const char *text, const char **end)
{
    char *behind = NULL;
    unsigned long rank = strtoul(text, &behind, 10);
    *end = isdigit((unsigned char)*text) && rank < UINT32_MAX ? behind : text;
    return (uint32_t)rank;
}

static fm_status_t parse_ranks(struct fm_option_reader *reader, struct arguments *arguments)
{
    const char *end, *second;
    uint32_t first = parse_rank(reader->value, &end), last = first;
    bool valid = end != reader->value;
    if (valid && *end == '-') {
        second = end + 1;
        last = parse_rank(second, &end);
        valid = end != second && last >= first;
    }
    if (!valid || *end != '\0') {
        return fm_options_refuse(reader, "--ranks needs RANK or FIRST-LAST, not '%.100s'",
                                 reader->value);
    }
    arguments->first_rank = first;
    arguments->last_rank = last;
    return FM_OK;
}

static fm_status_t take_option(struct fm_option_reader *reader, int option,
                               struct arguments *arguments)
{
    switch (option) {
    case FM_OPTION_export_TO:
        arguments->format = fm_export_format_by_name(reader->value);
        return arguments->format != NULL
                   ? FM_OK
                   : fm_options_refuse(reader, "--to: there is no format '%.100s'", reader->value);
    case FM_OPTION_export_OUTPUT:
        arguments->output = reader->value;
        return FM_OK;
    case FM_OPTION_export_METRIC:
        arguments->metric = reader->value;
        return FM_OK;
    case FM_OPTION_export_BEGIN:
        arguments->partial = true;
        return fm_option_duration(reader, &arguments->begin);
    case FM_OPTION_export_END:
        arguments->partial = true;
        return fm_option_duration(reader, &arguments->end);
    default: /* FM_OPTION_export_RANKS */
        arguments->partial = true;
        return parse_ranks(reader, arguments);
    }
}

/* Checks that the required arguments are given and fit together. */
static fm_status_t check_arguments(struct fm_option_reader *reader, struct arguments *arguments)
{
    if (arguments->format == NULL) {
        return fm_options_refuse(reader, "give a format by --to FORMAT");
    }
    if (!fm_options_operands(reader, 1, 1, "one experiment directory")) {
        return FM_ERR_USAGE;
    }
    if (arguments->metric != NULL && !arguments->format->of_one_metric) {
        return fm_options_refuse(reader, "--metric does not go with %s, which has all of them",
                                 arguments->format->name);
    }
    if (arguments->partial && !arguments->format->of_a_part) {
        return fm_options_refuse(reader, "--begin, --end and --ranks do not go with %s",
                                 arguments->format->name);
    }
    arguments->place = reader->operands[0];
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

/* Whether the export is one of events, of an experiment that is not analysed yet. */
static bool needs_no_report(const struct arguments *arguments)
{
    return arguments->format->of_events && fm_lacks_report(arguments->place);
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
    char *archive = fm_path_beside_report(arguments->place, ".");
    struct fm_cube *cube = NULL;
    fm_status_t status = FM_OK;
    if (archive == NULL) {
        status = fm_fail(error, FM_ERR_SYSTEM, "out of memory");
    } else if (!needs_no_report(arguments)) {
        status = fm_load_report(arguments->place, &cube, error);
    }
    /* The metrics of the user's patterns are known once the report is read; a misspelt name is
     * refused, also without a report. */
    if (arguments->metric != NULL &&
        (status == FM_OK || !fm_metric_option_needs_report(arguments->metric))) {
        fm_status_t known =
            fm_metric_option(arguments->metric, "--metric",
                             status == FM_OK ? arguments->place : NULL, &request.metric, error);
        status = known != FM_OK ? known : status;
    }
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
    struct arguments arguments = {.end = INFINITY, .last_rank = UINT32_MAX};
    struct fm_option_reader reader;
    fm_options_begin(&reader, FM_COMMAND_export, argc, argv);
    for (int option; (option = fm_options_next(&reader)) != FM_OPTIONS_END;) {
        if (option < 0) {
            int outcome = fm_options_stop(&reader, option);
            if (option == FM_OPTIONS_HELP) {
                print_formats();
            }
            return outcome;
        }
        if (take_option(&reader, option, &arguments) != FM_OK) {
            return fm_options_complain(&reader);
        }
    }
    if (check_arguments(&reader, &arguments) != FM_OK) {
        return fm_options_complain(&reader);
    }
    if (needs_no_report(&arguments)) {
        const int status = fm_complete_experiment("export", arguments.place);
        if (status != FM_OK) {
            return status;
        }
    }
    /* Timelines read the archive, which may be damaged. */
    return arguments.format->of_events
               ? fm_run_isolated("export", arguments.place, 0, run, &arguments)
               : run(&arguments);
}
