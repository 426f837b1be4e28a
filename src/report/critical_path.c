#include "report/format.h"
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
    if (fm_view_prepare(&view, report->cube, &selection, NULL) == FM_OK) {
        fm_view_callpaths(&view, values, NULL);
        fm_view_release(&view);
    }
}

void fm_report_critical_path(const struct fm_report *report)
{
    const struct fm_cube *cube = report->cube;
    int64_t whole = report->metrics[FM_METRIC_CRITICAL_PATH];
    if (whole <= 0)
        return;
    int64_t *path = fm_allocate(cube->callpath_count, sizeof *path);
    int64_t *imbalance = fm_allocate(cube->callpath_count, sizeof *imbalance);
    callpath_values(report, FM_METRIC_CRITICAL_PATH, path);
    callpath_values(report, FM_METRIC_CRITICAL_PATH_IMBALANCE, imbalance);
    fm_terminal_heading(report->terminal, "Critical path (what the run time is made of)");
    for (unsigned shown = 0; shown < SHOWN; shown++) {
        uint32_t longest = FM_CUBE_NONE;
        for (uint32_t i = 0; i < cube->callpath_count; i++) {
            if (path[i] > 0 && (longest == FM_CUBE_NONE || path[i] > path[longest]))
                longest = i;
        }
        if (longest == FM_CUBE_NONE || (double)path[longest] < 0.01 * (double)whole)
            break;
        char label[64], percent[FM_FORMAT_SIZE], time[FM_FORMAT_SIZE], excess[FM_FORMAT_SIZE];
        char *name = fm_report_callpath_placed(report, longest);
        snprintf(label, sizeof label, "%11s%7s  ",
                 fm_format_value(time, cube, FM_UNIT_COST, path[longest]),
                 fm_format_percent(percent, path[longest], whole));
        if ((double)imbalance[longest] > 0.01 * (double)path[longest])
            fm_terminal_print(report->terminal, label, 20, "%s (%s of it by imbalance)", name,
                              fm_format_value(excess, cube, FM_UNIT_COST, imbalance[longest]));
        else
            fm_terminal_print(report->terminal, label, 20, "%s", name);
        free(name);
        path[longest] = 0;
    }
    fm_free(path);
    fm_free(imbalance);
}
