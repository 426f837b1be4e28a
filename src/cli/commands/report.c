/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/commands/commands.h"

#include "base/error.h"
#include "cli/report/metric_option.h"
#include "cli/report/report_file.h"
#include "cli/report/report_request.h"
#include "cube/model/callpath_text.h"
#include "cube/view/callpath_pattern.h"
#include "diagnosis/process_word.h"
#include "export/csv/csv_derived.h"
#include "export/csv/csv_report.h"
#include "export/json/json_report.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_BRANCHES 8

static fm_status_t refuse_ambiguous(const struct fm_cube *cube, const char *path,
                                    const char *option, uint32_t count, uint32_t first,
                                    struct fm_error *error)
{
    char *example = fm_cube_callpath_text(cube, first, "/");
    fm_status_t status =
        fm_fail(error, FM_ERR_USAGE, "%s: '%s' fits %u call paths; one of them is %s", option, path,
                count, example == NULL ? "" : example);
    free(example);
    return status;
}

static fm_status_t find_callpath(const struct fm_cube *cube, const char *path, const char *option,
                                 uint32_t *callpath, struct fm_error *error)
{
    *callpath = fm_cube_find_callpath(cube, path);
    if (*callpath != FM_CUBE_NONE)
        return FM_OK;
    uint32_t count = fm_cube_match_callpaths(cube, path, callpath);
    if (count == 1)
        return FM_OK;
    if (count > 1)
        return refuse_ambiguous(cube, path, option, count, *callpath, error);
    char *pattern = NULL;
    if (asprintf(&pattern, ".../%s", path) < 0)
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory");
    count = fm_cube_match_callpaths(cube, pattern, callpath);
    fm_status_t status =
        count > 1 ? refuse_ambiguous(cube, pattern, option, count, *callpath, error)
        : count == 1
            ? fm_fail(error, FM_ERR_USAGE, "%s: no call path begins with '%s'; '%s' finds it",
                      option, path, pattern)
            : FM_OK;
    free(pattern);
    if (status != FM_OK)
        return status;
    return fm_fail(error, FM_ERR_USAGE,
                   "%s: there is no call path '%s'; write it from its root (... stands for any "
                   "levels): main/.../MPI_Recv, and with its line if there are several: "
                   "MPI_Recv@solver.c:42",
                   option, path);
}

static fm_status_t find_location(const struct fm_cube *cube, const char *text,
                                 struct fm_selection *selection, struct fm_error *error)
{
    const char *end;
    fm_status_t status =
        fm_report_request_number(text, "--location", &selection->rank, &end, error);
    if (status == FM_OK && *end == '.')
        status = fm_report_request_number(end + 1, "--location", &selection->thread, &end, error);
    if (status != FM_OK)
        return status;
    if (*end != '\0')
        return fm_fail(error, FM_ERR_USAGE, "--location: '%s' is not RANK or RANK.THREAD", text);
    selection->rank -= fm_process_word(cube).first; /* of image 0, which there is not: no rank */
    for (uint32_t i = 0; i < cube->location_count; i++) {
        const struct fm_cube_location *location = &cube->locations[i];
        if (location->rank == selection->rank &&
            (selection->thread == FM_CUBE_NONE || selection->thread == location->thread))
            return FM_OK;
    }
    return fm_fail(error, FM_ERR_USAGE, "--location: there is no location %s", text);
}

/** Finds what the options name in the cube. */
static fm_status_t select_parts(const struct fm_cube *cube, const struct fm_report_request *request,
                                struct fm_selection *selection, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    *selection = fm_selection_all();
    if (request->metric != NULL)
        status = fm_metric_option(request->metric, "--metric", request->directory,
                                  &selection->metric, error);
    if (status == FM_OK && request->callpath != NULL)
        status = find_callpath(cube, request->callpath, "--callpath", &selection->callpath, error);
    if (status == FM_OK && request->location != NULL)
        status = find_location(cube, request->location, selection, error);
    return status;
}

/** Writes derived metrics or the values of a parameter as CSV. */
static fm_status_t write_derived_csv(const struct fm_cube *cube,
                                     const struct fm_report_request *request,
                                     const struct fm_selection *selection, struct fm_error *error)
{
    const struct fm_expression *const *shown =
        (const struct fm_expression *const *)request->definitions;
    if (request->parameter != NULL)
        return fm_export_parameters_csv(cube, selection, request->parameter, shown,
                                        request->definition_count, stdout, error);
    return request->derived != NULL
               ? fm_export_derived_csv(cube, selection, &request->derived, 1, stdout, error)
               : fm_export_derived_csv(cube, selection, shown, request->definition_count, stdout,
                                       error);
}

static fm_status_t write_report(const struct fm_cube *cube, const struct fm_report_request *request,
                                const struct fm_terminal *terminal, struct fm_error *error)
{
    struct fm_selection selection;
    fm_status_t status = select_parts(cube, request, &selection, error);
    if (status != FM_OK)
        return status;
    fm_metric_t why = FM_METRIC_NONE;
    if (request->why != NULL)
        status = fm_metric_option(request->why, "--why", request->directory, &why, error);
    if (status == FM_OK && why != FM_METRIC_NONE && !fm_metric_info(why)->is_wait_state)
        status = fm_fail(error, FM_ERR_USAGE, "--why: %s is no wait state", request->why);
    if (status != FM_OK)
        return status;
    if (request->format == FM_FORMAT_TEXT) {
        const struct fm_report_options options = {
            .directory = request->directory,
            .selection = selection,
            .root = request->root,
            .problems = request->top,
            .by_symptom = request->by_symptom,
            .top = request->top != 0 ? request->top : DEFAULT_BRANCHES,
            .exclusive = request->exclusive,
            .part = request->part,
            .matrix = request->matrix,
            .why = why,
            .definitions = (const struct fm_expression *const *)request->definitions,
            .definition_count = request->definition_count,
            .derived = request->derived,
            .parameter = request->parameter,
        };
        return fm_report_write(cube, &options, terminal, error);
    }
    if (request->format == FM_FORMAT_CSV && request->part == FM_REPORT_PHASES)
        return fm_export_phases_csv(cube, stdout, error);
    if (request->format == FM_FORMAT_CSV && request->part == FM_REPORT_MATRIX)
        return fm_export_matrix_csv(cube, request->matrix, stdout, error);
    bool derives = request->definition_count > 0 || request->parameter != NULL;
    if (request->format == FM_FORMAT_CSV && derives)
        return write_derived_csv(cube, request, &selection, error);
    struct fm_view view;
    status = fm_view_prepare(&view, cube, &selection, error);
    if (status != FM_OK)
        return status;
    const struct fm_json_derived derived = {
        .definitions = (const struct fm_expression *const *)request->definitions,
        .count = request->definition_count,
        .parameter = request->parameter,
    };
    status = request->format == FM_FORMAT_JSON ? fm_export_json_with(&view, &derived, stdout, error)
                                               : fm_export_csv(&view, stdout, error);
    fm_view_release(&view);
    return status;
}

static fm_status_t explain(const char *id, const char *directory,
                           const struct fm_terminal *terminal, struct fm_error *error)
{
    if (strcmp(id, "all") == 0) {
        size_t longest = 0;
        for (unsigned i = 0; i < fm_metric_end(); i++) {
            size_t length = strlen(fm_metric_info((fm_metric_t)i)->id);
            longest = length > longest ? length : longest;
        }
        for (unsigned i = 0; i < fm_metric_end(); i++) {
            const struct fm_metric_info *info = fm_metric_info((fm_metric_t)i);
            fm_terminal_paragraph(terminal, info->id, (unsigned)longest + 1, info->name);
        }
        return FM_OK;
    }
    fm_metric_t metric;
    fm_status_t status = fm_metric_option(id, "--explain", directory, &metric, error);
    if (status == FM_OK)
        fm_report_explain(metric, terminal);
    return status;
}

static fm_status_t run(const struct fm_report_request *request, const struct fm_terminal *terminal,
                       struct fm_error *error)
{
    struct fm_cube *cube = NULL; /* its metrics of the user's patterns are known once it is read */
    fm_status_t status =
        request->directory == NULL ? FM_OK : fm_load_report(request->directory, &cube, error);
    fm_metric_t metric;
    if (status != FM_OK && request->metric != NULL &&
        !fm_metric_option_needs_report(request->metric) &&
        fm_metric_option(request->metric, "--metric", NULL, &metric, error) != FM_OK) {
        return FM_ERR_USAGE; /* a misspelt name is refused, also without a report */
    }
    if (request->explain != NULL) {
        fm_cube_free(cube);
        return status == FM_OK ? explain(request->explain, request->directory, terminal, error)
                               : status;
    }
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
    struct fm_report_request request = {0};
    struct fm_option_reader reader;
    fm_options_begin(&reader, FM_COMMAND_report, argc, argv);
    for (int option; (option = fm_options_next(&reader)) != FM_OPTIONS_END;) {
        if (option < 0) {
            fm_report_request_release(&request);
            return fm_options_stop(&reader, option);
        }
        if (fm_report_request_take(&request, &reader, option) != FM_OK) {
            fm_report_request_release(&request);
            return fm_options_complain(&reader);
        }
    }
    if (fm_report_request_complete(&request, &reader) != FM_OK) {
        fm_report_request_release(&request);
        return fm_options_complain(&reader);
    }
    struct fm_error error;
    struct fm_terminal terminal = fm_terminal_detect(stdout);
    fm_status_t status = run(&request, &terminal, &error);
    if (status == FM_OK && fflush(stdout) != 0) {
        status = fm_fail(&error, FM_ERR_SYSTEM, "cannot write the report: %m");
    }
    if (status != FM_OK) {
        char *message = fm_terminal_name(&terminal, error.message);
        fprintf(stderr, "fermata report: %s\n", message);
        free(message);
    }
    fm_report_request_release(&request);
    return (int)status;
}
