/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report.h"

#include "base/text.h"
#include "diagnosis/place.h"
#include "diagnosis/uncertainty.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/** Number of lines in which the report answers. */
#define FIRST_SCREEN 40

/** Lines of fm_report_error_meaning(), on a terminal of 80 columns. */
#define ERROR_MEANING_LINES 1

/** Aborts if memory for a line is exhausted: no error message could be printed either. */
static char *never_null(char *text)
{
    if (text == NULL) {
        abort();
    }
    return text;
}

void fm_report_more(const struct fm_report *report, const char *label, unsigned indent,
                    const char *arguments)
{
    char *directory = never_null(fm_text_shell_word(report->options->directory));
    char *printable = fm_terminal_name(report->terminal, directory);
    char *root = NULL;
    if (report->options->root != NULL) {
        char *word = never_null(fm_text_shell_word(report->options->root));
        root = fm_terminal_name(report->terminal, word);
        free(word);
    }
    fm_terminal_print(report->terminal, label, indent, "fermata report %s%s%s %s", printable,
                      root == NULL ? "" : " --root ", root == NULL ? "" : root, arguments);
    free(root);
    free(printable);
    free(directory);
}

void fm_report_warnings(const struct fm_report *report)
{
    const struct fm_cube *cube = report->diagnosis.cube;
    if (cube->warning_count == 0)
        return;
    fm_terminal_heading(report->terminal, "Warnings");
    for (uint32_t i = 0; i < cube->warning_count; i++) {
        char *text = fm_terminal_name(report->terminal, cube->warnings[i]);
        fm_terminal_paragraph(report->terminal, "  *", 4, text);
        free(text);
    }
}

/** Prints the selection to which the trees are restricted. */
static void print_selection(const struct fm_report *report)
{
    const struct fm_selection *selection = &report->options->selection;
    const struct fm_process_word *process = &report->diagnosis.process;
    if (selection->callpath != FM_CUBE_NONE) {
        char *path = fm_place_callpath(&report->diagnosis, selection->callpath);
        fm_terminal_print(report->terminal, "", 0, "Only call path %s", path);
        free(path);
    }
    if (selection->thread != FM_CUBE_NONE)
        fm_terminal_print(report->terminal, "", 0, "Only %s %u, thread %u", process->one,
                          selection->rank + process->first, selection->thread);
    else if (selection->rank != FM_CUBE_NONE)
        fm_terminal_print(report->terminal, "", 0, "Only %s %u", process->one,
                          selection->rank + process->first);
}

/** Text that is written into memory instead of to the terminal. */
struct capture {
    struct fm_terminal terminal;
    struct fm_report report; /**< the one that writes there */
    char *text;              /**< after end_capture(): to be freed with free() */
    size_t size;
};

static void begin_capture(struct capture *capture, const struct fm_report *report)
{
    *capture = (struct capture){.terminal = *report->terminal, .report = *report};
    capture->report.terminal = &capture->terminal;
    capture->terminal.stream = open_memstream(&capture->text, &capture->size);
    if (capture->terminal.stream == NULL) {
        abort(); /* Without memory for one line no error message can be printed either. */
    }
}

static void end_capture(struct capture *capture)
{
    if (fclose(capture->terminal.stream) != 0) {
        abort();
    }
}

/** @return whether a text has numbers with their errors */
static bool has_errors(const struct fm_report *report, const char *text)
{
    const char *sign = fm_error_sign(&report->diagnosis);
    const size_t length = strlen(sign);
    for (const char *at = strstr(text, sign); at != NULL; at = strstr(at + length, sign)) {
        if (isdigit((unsigned char)at[length])) {
            return true;
        }
    }
    return false;
}

/** Prints the summary, if any, and the parts that follow. If one of them has errors, a line says
 * what their sign means: the last one of the summary, else of the parts. */
static void print_captured(const struct fm_report *report, const char *summary, const char *parts)
{
    FILE *stream = report->terminal->stream;
    const bool is_explained = has_errors(report, summary) || has_errors(report, parts);
    fputs(summary, stream);
    if (is_explained && summary[0] != '\0') {
        fm_report_error_meaning(report);
    }
    fputs(parts, stream);
    if (is_explained && summary[0] == '\0') {
        putc('\n', stream);
        fm_report_error_meaning(report);
    }
}

/** @return whether the report answers with its first screen, instead of with selected data */
static bool is_overview(const struct fm_report_options *options)
{
    return options->why == FM_METRIC_NONE && options->part == FM_REPORT_OVERVIEW &&
           options->parameter == NULL && options->derived == NULL &&
           options->selection.metric == FM_METRIC_NONE &&
           options->selection.callpath == FM_CUBE_NONE && options->selection.rank == FM_CUBE_NONE;
}

/** Prints the problems, or the kinds of wait states. @param lines  lines of the first screen left
 */
static void print_problems(const struct fm_report *report, unsigned lines)
{
    /* Derived reports, such as means, have no problems. */
    if (report->options->by_symptom || report->diagnosis.cube->problem_count == 0) {
        fm_report_symptoms(report);
    } else {
        fm_report_problems(report, lines);
    }
}

/** Prints what a selection of the report's data has, without the summary. */
static fm_status_t print_parts(const struct fm_report *report, unsigned lines,
                               struct fm_error *error)
{
    const struct fm_report_options *options = report->options;
    if (options->why != FM_METRIC_NONE) {
        print_selection(report);
        fm_report_why(report, options->why);
        return FM_OK;
    }
    if (options->part != FM_REPORT_OVERVIEW) {
        static void (*const parts[])(const struct fm_report *) = {
            [FM_REPORT_LOCKS] = fm_report_locks,
            [FM_REPORT_EFFICIENCY] = fm_report_efficiencies,
            [FM_REPORT_PHASES] = fm_report_phases,
            [FM_REPORT_MATRIX] = fm_report_matrix,
        };
        parts[options->part](report);
        return FM_OK;
    }
    if (options->parameter != NULL || options->derived != NULL) {
        print_selection(report);
        return options->parameter != NULL ? fm_report_parameter(report, error)
                                          : fm_report_derived(report, error);
    }
    if (is_overview(options)) {
        if (report->diagnosis.cube->hang.open_ends != 0) {
            fm_terminal_heading(report->terminal, "Who waits for whom at the end");
            fm_report_hang(report);
        }
        print_problems(report, lines);
        fm_report_shares(report);
        fm_report_efficiency(report);
        fm_report_phase_overview(report);
        fm_report_critical_path(report);
        fm_report_observations(report);
    } else if (options->selection.metric != FM_METRIC_NONE) {
        fm_report_explain(options->selection.metric, report->terminal);
        fm_report_statistics(report);
    }
    print_selection(report);
    fm_status_t status = fm_report_trees(report, error);
    return status == FM_OK ? fm_report_definitions(report, error) : status;
}

fm_status_t fm_report_write(const struct fm_cube *cube, const struct fm_report_options *options,
                            const struct fm_terminal *terminal, struct fm_error *error)
{
    const struct fm_diagnosis_options wording = {
        .width = terminal->width, .utf8 = terminal->utf8, .is_subtree = options->root != NULL};
    struct fm_report report = {.options = options, .terminal = terminal};
    struct capture summary, parts;
    unsigned lines = 0;
    fm_status_t status = fm_diagnosis_make(&report.diagnosis, cube, &wording, error);
    if (status != FM_OK)
        return status;

    begin_capture(&summary, &report);
    if (is_overview(options)) {
        fm_report_summary(&summary.report);
    }
    end_capture(&summary);
    lines = fm_terminal_lines(summary.text) + (cube->errors.are_known ? ERROR_MEANING_LINES : 0);
    begin_capture(&parts, &report);
    status = print_parts(&parts.report, lines < FIRST_SCREEN ? FIRST_SCREEN - lines : 0, error);
    fm_report_warnings(&parts.report);
    end_capture(&parts);
    if (status == FM_OK) {
        print_captured(&report, summary.text, parts.text);
        if (fflush(terminal->stream) != 0 || ferror(terminal->stream)) {
            status = fm_fail(error, FM_ERR_SYSTEM, "cannot write the report: %m");
        }
    }
    free(parts.text);
    free(summary.text);
    return status;
}
