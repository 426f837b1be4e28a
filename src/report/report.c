/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report.h"

#include "base/text.h"
#include "diagnosis/place.h"

#include <stdlib.h>

/** Number of lines in which the report answers. */
#define FIRST_SCREEN 40

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

static fm_status_t finish(const struct fm_report *report, struct fm_error *error)
{
    fm_report_warnings(report);
    if (fflush(report->terminal->stream) != 0 || ferror(report->terminal->stream))
        return fm_fail(error, FM_ERR_SYSTEM, "cannot write the report: %m");
    return FM_OK;
}

/** Prints the summary and the problems. */
static void print_first_screen(const struct fm_report *report)
{
    char *summary = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&summary, &size);
    if (stream == NULL) {
        abort(); /* Without memory for one line no error message can be printed either. */
    }
    struct fm_terminal terminal = *report->terminal;
    struct fm_report captured = *report;
    terminal.stream = stream;
    captured.terminal = &terminal;
    fm_report_summary(&captured);
    if (fclose(stream) != 0) {
        abort();
    }
    unsigned lines = fm_terminal_lines(summary);
    fputs(summary, report->terminal->stream);
    free(summary);
    /* Derived reports, such as means, have no problems. */
    if (report->options->by_symptom || report->diagnosis.cube->problem_count == 0) {
        fm_report_symptoms(report);
    } else {
        fm_report_problems(report, lines < FIRST_SCREEN ? FIRST_SCREEN - lines : 0);
    }
}

fm_status_t fm_report_write(const struct fm_cube *cube, const struct fm_report_options *options,
                            const struct fm_terminal *terminal, struct fm_error *error)
{
    const struct fm_diagnosis_options wording = {
        .width = terminal->width, .utf8 = terminal->utf8, .is_subtree = options->root != NULL};
    struct fm_report report = {.options = options, .terminal = terminal};
    fm_status_t status = fm_diagnosis_make(&report.diagnosis, cube, &wording, error);
    if (status != FM_OK)
        return status;

    if (options->why != FM_METRIC_NONE) {
        print_selection(&report);
        fm_report_why(&report, options->why);
        return finish(&report, error);
    }
    if (options->part != FM_REPORT_OVERVIEW) {
        static void (*const parts[])(const struct fm_report *) = {
            [FM_REPORT_LOCKS] = fm_report_locks,
            [FM_REPORT_EFFICIENCY] = fm_report_efficiencies,
            [FM_REPORT_PHASES] = fm_report_phases,
            [FM_REPORT_MATRIX] = fm_report_matrix,
        };
        parts[options->part](&report);
        return finish(&report, error);
    }
    if (options->parameter != NULL || options->derived != NULL) {
        print_selection(&report);
        status = options->parameter != NULL ? fm_report_parameter(&report, error)
                                            : fm_report_derived(&report, error);
        return status == FM_OK ? finish(&report, error) : status;
    }
    fm_metric_t metric = options->selection.metric;
    bool overview = metric == FM_METRIC_NONE && options->selection.callpath == FM_CUBE_NONE &&
                    options->selection.rank == FM_CUBE_NONE;
    if (overview) {
        print_first_screen(&report);
        fm_report_shares(&report);
        fm_report_efficiency(&report);
        fm_report_phase_overview(&report);
        fm_report_critical_path(&report);
        fm_report_observations(&report);
    } else if (metric != FM_METRIC_NONE) {
        fm_report_explain(metric, terminal);
        fm_report_statistics(&report);
    }
    print_selection(&report);
    status = fm_report_trees(&report, error);
    if (status == FM_OK)
        status = fm_report_definitions(&report, error);
    if (status != FM_OK)
        return status;
    return finish(&report, error);
}
