/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/location_set.h"
#include "diagnosis/number_format.h"
#include "diagnosis/place.h"
#include "diagnosis/uncertainty.h"
#include "report/report.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SHOWN 4

static void callpath_values(const struct fm_report *report, fm_metric_t metric, int64_t *values)
{
    struct fm_view view;
    struct fm_selection selection = fm_selection_all();
    selection.metric = metric;
    if (fm_view_prepare(&view, report->diagnosis.cube, &selection, NULL) == FM_OK) {
        fm_view_callpaths(&view, values, NULL);
        fm_view_release(&view);
    }
}

/** Prints the partitions selected by the user. */
static void print_partitions(const struct fm_report *report)
{
    const struct fm_cube *cube = report->diagnosis.cube;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        abort(); /* Without memory for one line no error message can be printed either. */
    for (uint32_t p = 0; p < cube->partition_count; p++) {
        char *name = fm_terminal_name(report->terminal, cube->partition_names[p]);
        uint32_t members = 0;
        for (uint32_t l = 0; l < cube->location_count; l++)
            members += cube->partition_of[l] == p;
        fprintf(stream, "%s%s (%u %s)", p == 0 ? "" : ", ", name, members,
                members == 1 ? "thread" : "threads");
        free(name);
    }
    if (fclose(stream) != 0)
        abort();
    fm_terminal_print(report->terminal, "", 2,
                      "Imbalance is distinguished by the chosen partitions: %s.", text);
    free(text);
}

/** Writes the error of the share of a call path, if it is not rounded to 0. */
static char *format_path_error(char buffer[FM_UNCERTAIN_SIZE], const struct fm_report *report,
                               uint32_t callpath, int64_t whole)
{
    const struct fm_cube *cube = report->diagnosis.cube;
    const uint64_t *errors = cube->path_errors.of_callpath;
    return fm_format_error(buffer, &report->diagnosis, "",
                           errors == NULL ? 0 : (int64_t)errors[callpath],
                           whole >> cube->experiment.cost_shift);
}

/** Prints at how many switches to other locations the path may as well lead elsewhere. */
static void print_switches(const struct fm_report *report)
{
    const struct fm_cube_path_errors *errors = &report->diagnosis.cube->path_errors;
    char numbers[2][FM_FORMAT_SIZE];
    if (errors->insignificant == 0 || report->diagnosis.options.is_subtree)
        return;
    if (errors->turns == 1)
        fm_terminal_print(
            report->terminal, "", 2,
            "Its only switch to another %s is at a wait shorter than the error of its "
            "time: there it may as well lead elsewhere.",
            fm_location_set_one(&report->diagnosis));
    else
        fm_terminal_print(
            report->terminal, "", 2,
            "%s of its %s switches to other %s %s at waits shorter than the error of their times: "
            "there it may as well lead elsewhere.",
            fm_format_count(numbers[0], (int64_t)errors->insignificant),
            fm_format_count(numbers[1], (int64_t)errors->turns),
            fm_location_set_all(&report->diagnosis), errors->insignificant == 1 ? "is" : "are");
}

void fm_report_critical_path(const struct fm_report *report)
{
    const struct fm_cube *cube = report->diagnosis.cube;
    int64_t whole = report->diagnosis.metrics[FM_METRIC_CRITICAL_PATH];
    if (whole <= 0)
        return;
    int64_t *path = fm_allocate(cube->callpath_count, sizeof *path);
    int64_t *imbalance = fm_allocate(cube->callpath_count, sizeof *imbalance);
    callpath_values(report, FM_METRIC_CRITICAL_PATH, path);
    callpath_values(report, FM_METRIC_CRITICAL_PATH_IMBALANCE, imbalance);
    fm_terminal_heading(report->terminal,
                        cube->path_from_init_to_finalize
                            ? "Critical path from Init to Finalize (what this time is made of)"
                            : "Critical path (what the run time is made of)");
    for (unsigned shown = 0; shown < SHOWN; shown++) {
        uint32_t longest = FM_CUBE_NONE;
        for (uint32_t i = 0; i < cube->callpath_count; i++) {
            if (path[i] > 0 && (longest == FM_CUBE_NONE || path[i] > path[longest]))
                longest = i;
        }
        if (longest == FM_CUBE_NONE || (double)path[longest] < 0.01 * (double)whole)
            break;
        char label[64], percent[FM_FORMAT_SIZE], time[FM_FORMAT_SIZE], excess[FM_FORMAT_SIZE];
        char by[FM_UNCERTAIN_SIZE];
        char *name = fm_place_callpath_with_line(&report->diagnosis, longest);
        format_path_error(by, report, longest, whole);
        snprintf(label, sizeof label, "%11s%7s  ",
                 fm_format_value(time, cube, FM_UNIT_COST, path[longest]),
                 fm_format_percent(percent, path[longest], whole));
        if ((double)imbalance[longest] > 0.01 * (double)path[longest])
            fm_terminal_print(report->terminal, label, 20, "%s (%s%s%s of it by imbalance)", name,
                              by, by[0] == '\0' ? "" : "; ",
                              fm_format_value(excess, cube, FM_UNIT_COST, imbalance[longest]));
        else if (by[0] != '\0')
            fm_terminal_print(report->terminal, label, 20, "%s (%s)", name, by);
        else
            fm_terminal_print(report->terminal, label, 20, "%s", name);
        free(name);
        path[longest] = 0;
    }
    print_switches(report);
    if (cube->partition_count > 0)
        print_partitions(report);
    fm_free(path);
    fm_free(imbalance);
}
