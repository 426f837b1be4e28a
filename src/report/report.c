#include "report/report.h"

#include "base/text.h"
#include "cube/model/callpath_pattern.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/** Columns in front of the text that a label belongs to. */
#define INDENT 13

/** Call paths get as many columns at least. */
#define SHORTEST_PATH 40

fm_metric_t fm_report_kind(fm_metric_t metric)
{
    fm_metric_t kind = FM_METRIC_NONE;
    while (metric != FM_METRIC_NONE && fm_metric_info(metric)->is_wait_state) {
        kind = metric;
        metric = fm_metric_info(metric)->parent;
    }
    return kind;
}

static char *never_null(char *text)
{
    if (text == NULL)
        abort(); /* memory for one line is missing: nothing can be said any more */
    return text;
}

char *fm_report_callpath_within(const struct fm_report *report, uint32_t callpath, unsigned columns)
{
    unsigned width = report->terminal->width;
    unsigned room = columns > SHORTEST_PATH ? columns : SHORTEST_PATH;
    char *path =
        never_null(fm_cube_callpath_short(report->cube, callpath, width == 0 ? SIZE_MAX : room));
    char *printable = fm_terminal_name(report->terminal, path);
    free(path);
    return printable;
}

char *fm_report_callpath(const struct fm_report *report, uint32_t callpath)
{
    unsigned width = report->terminal->width;
    return fm_report_callpath_within(report, callpath, width > INDENT ? width - INDENT : 0);
}

char *fm_report_region_placed(const struct fm_cube_region *region)
{
    char *text = NULL;
    const char *slash = region->file == NULL ? NULL : strrchr(region->file, '/');
    const char *file = slash == NULL ? region->file : slash + 1;
    if (file == NULL || region->line == 0)
        return never_null(strdup(region->name));
    if (asprintf(&text, "%s (%s:%u)", region->name, file, region->line) < 0)
        text = NULL;
    return never_null(text);
}

char *fm_report_callpath_placed(const struct fm_report *report, uint32_t callpath)
{
    const struct fm_cube *cube = report->cube;
    const struct fm_cube_region *region = &cube->regions[cube->callpaths[callpath].region];
    char *path = fm_report_callpath(report, callpath);
    char *placed = fm_report_region_placed(region);
    char *place = fm_terminal_name(report->terminal, placed + strlen(region->name));
    char *text = NULL;
    if (asprintf(&text, "%s%s", path, place) < 0)
        text = NULL;
    free(place);
    free(placed);
    free(path);
    return never_null(text);
}

char *fm_report_location(const struct fm_report *report, uint32_t location)
{
    const struct fm_cube_location *who = &report->cube->locations[location];
    char *text = NULL;
    int length = who->thread == 0 ? asprintf(&text, "rank %u", who->rank)
                                  : asprintf(&text, "rank %u, thread %u", who->rank, who->thread);
    return never_null(length < 0 ? NULL : text);
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
    const struct fm_cube *cube = report->cube;
    if (cube->warning_count == 0)
        return;
    fm_terminal_heading(report->terminal, "Warnings");
    for (uint32_t i = 0; i < cube->warning_count; i++) {
        char *text = fm_terminal_name(report->terminal, cube->warnings[i]);
        fm_terminal_paragraph(report->terminal, "  *", 4, text);
        free(text);
    }
}

/** Tells to what the trees are limited. */
static void print_selection(const struct fm_report *report)
{
    const struct fm_selection *selection = &report->options->selection;
    if (selection->callpath != FM_CUBE_NONE) {
        char *path = fm_report_callpath(report, selection->callpath);
        fm_terminal_print(report->terminal, "", 0, "Only call path %s", path);
        free(path);
    }
    if (selection->thread != FM_CUBE_NONE)
        fm_terminal_print(report->terminal, "", 0, "Only rank %u, thread %u", selection->rank,
                          selection->thread);
    else if (selection->rank != FM_CUBE_NONE)
        fm_terminal_print(report->terminal, "", 0, "Only rank %u", selection->rank);
}

static fm_status_t finish(const struct fm_report *report, struct fm_error *error)
{
    fm_report_warnings(report);
    if (fflush(report->terminal->stream) != 0 || ferror(report->terminal->stream))
        return fm_fail(error, FM_ERR_SYSTEM, "cannot write the report: %m");
    return FM_OK;
}

fm_status_t fm_report_prepare(struct fm_report *report, const struct fm_cube *cube,
                              const struct fm_report_options *options,
                              const struct fm_terminal *terminal, struct fm_error *error)
{
    *report = (struct fm_report){.cube = cube, .options = options, .terminal = terminal};
    struct fm_view view;
    struct fm_selection all = fm_selection_all();
    fm_status_t status = fm_view_prepare(&view, cube, &all, error);
    if (status != FM_OK)
        return status;
    fm_view_metrics(&view, report->exclusive, report->metrics);
    fm_view_release(&view);
    for (unsigned i = 0; i < FM_METRIC_COUNT; i++) {
        if (fm_report_kind((fm_metric_t)i) == (fm_metric_t)i)
            report->waiting += report->metrics[i];
    }
    return FM_OK;
}

fm_status_t fm_report_write(const struct fm_cube *cube, const struct fm_report_options *options,
                            const struct fm_terminal *terminal, struct fm_error *error)
{
    struct fm_report report;
    fm_status_t status = fm_report_prepare(&report, cube, options, terminal, error);
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
    fm_metric_t metric = options->selection.metric;
    bool overview = metric == FM_METRIC_NONE && options->selection.callpath == FM_CUBE_NONE &&
                    options->selection.rank == FM_CUBE_NONE;
    if (overview) {
        fm_report_summary(&report);
        fm_report_efficiency(&report);
        fm_report_phase_overview(&report);
        fm_report_problems(&report);
        fm_report_critical_path(&report);
        fm_report_observations(&report);
    } else if (metric != FM_METRIC_NONE) {
        fm_report_explain(metric, terminal);
        fm_report_statistics(&report);
    }
    print_selection(&report);
    status = fm_report_trees(&report, error);
    if (status != FM_OK)
        return status;
    return finish(&report, error);
}
