/* SPDX-License-Identifier: BSD-3-Clause */
/* The chains of causes of the longest waits. */
#include "diagnosis/number_format.h"
#include "diagnosis/place.h"
#include "diagnosis/problems/wait_groups.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>

#define INDENT 7

static void print_link(const struct fm_report *report, const struct fm_cube_cause *cause)
{
    char time[FM_FORMAT_SIZE];
    char *location = fm_place_location(&report->diagnosis, cause->location);
    char *path = fm_place_callpath_with_line(&report->diagnosis, cause->callpath);
    unsigned percent = (cause->permille + 5) / 10;
    fm_format_ticks(time, report->diagnosis.cube, (int64_t)cause->ticks);
    if (cause->metric == FM_METRIC_NONE)
        fm_terminal_print(report->terminal, "    <- ", INDENT,
                          "%s spent %s more in %s (%u%% of what delayed it)", location, time, path,
                          percent);
    else
        fm_terminal_print(report->terminal, "    <- ", INDENT,
                          "%s waited itself for %s in %s (%s; %u%% of what delayed it)", location,
                          time, path, fm_metric_info((fm_metric_t)cause->metric)->name, percent);
    free(path);
    free(location);
}

/** Prints what was being done while the instance waited. */
static void print_blamed(const struct fm_report *report, const struct fm_cube_instance *instance)
{
    const struct fm_cube_blamed *blamed = &instance->blamed;
    if (blamed->location == FM_CUBE_NONE || instance->wait == 0)
        return;
    char *location = fm_place_location(&report->diagnosis, blamed->location);
    char *path = blamed->callpath == FM_CUBE_NONE
                     ? NULL
                     : fm_place_callpath(&report->diagnosis, blamed->callpath);
    unsigned percent = (unsigned)((double)blamed->ticks * 100 / (double)instance->wait + 0.5);
    fm_terminal_print(report->terminal, "       ", INDENT, "for %u%% of it, %s was in %s", percent,
                      location, path == NULL ? "no recorded call path" : path);
    free(path);
    free(location);
}

static bool is_selected(const struct fm_view *view, const struct fm_cube_instance *instance)
{
    return view->callpaths[instance->callpath] && view->locations[instance->location];
}

void fm_report_why(const struct fm_report *report, fm_metric_t wait)
{
    fm_metric_t kind = fm_wait_state_kind(wait);
    const struct fm_cube_statistics *record =
        kind == FM_METRIC_NONE ? NULL : fm_cube_metric_statistics(report->diagnosis.cube, kind);
    struct fm_view view;
    if (fm_view_prepare(&view, report->diagnosis.cube, &report->options->selection, NULL) != FM_OK)
        return;
    char heading[128];
    snprintf(heading, sizeof heading, "Why: %s",
             fm_metric_info(kind == FM_METRIC_NONE ? wait : kind)->name);
    fm_terminal_heading(report->terminal, heading);
    if (kind != FM_METRIC_NONE) {
        struct fm_sentences lines = {0};
        fm_wait_groups_explain(&report->diagnosis, kind, &lines);
        fm_terminal_sentences(report->terminal, &lines, 5, 13);
        fm_sentences_free(&lines);
    }
    unsigned shown = 0;
    for (uint32_t i = 0; record != NULL && i < record->worst_count; i++) {
        const struct fm_cube_instance *instance = &record->worst[i];
        if (!is_selected(&view, instance))
            continue;
        char label[16], time[FM_FORMAT_SIZE], begin[FM_FORMAT_SIZE];
        char *location = fm_place_location(&report->diagnosis, instance->location);
        char *path = fm_place_callpath(&report->diagnosis, instance->callpath);
        snprintf(label, sizeof label, "%3u.", ++shown);
        putc('\n', report->terminal->stream);
        fm_terminal_print(
            report->terminal, label, 5, "%s waited %s in %s, %s after the start", location,
            fm_format_ticks(time, report->diagnosis.cube, (int64_t)instance->wait), path,
            fm_format_ticks(begin, report->diagnosis.cube, (int64_t)instance->enter));
        free(path);
        free(location);
        if (instance->cause_location != FM_CUBE_NONE && instance->cause_callpath != FM_CUBE_NONE) {
            location = fm_place_location(&report->diagnosis, instance->cause_location);
            path = fm_place_callpath(&report->diagnosis, instance->cause_callpath);
            fm_terminal_print(report->terminal, "    <- ", INDENT, "for %s in %s", location, path);
            free(path);
            free(location);
        }
        print_blamed(report, instance);
        for (uint32_t k = 0; k < instance->chain_length; k++)
            print_link(report, &instance->chain[k]);
    }
    if (shown == 0)
        fm_terminal_paragraph(report->terminal, "  ", 2,
                              "None of the longest waits of this kind is in the selection.");
    fm_view_release(&view);
}
