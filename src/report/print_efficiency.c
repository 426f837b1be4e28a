/* SPDX-License-Identifier: BSD-3-Clause */
/* The efficiencies of the POP methodology. */
#include "diagnosis/efficiency/efficiency.h"
#include "diagnosis/efficiency/hybrid_efficiency.h"
#include "diagnosis/location_set.h"
#include "diagnosis/number_format.h"
#include "diagnosis/place.h"
#include "diagnosis/time_shares.h"
#include "diagnosis/uncertainty.h"
#include "report/report.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_COLUMNS   26
#define NARROW_COLUMNS 20
#define TABLE_COLUMNS  41

/** Minimum share of the whole time for a row. */
#define WORTH_A_ROW 0.01

/** @param error  of the efficiency; 0: not known */
static void print_row(const struct fm_report *report, const char *name, double efficiency,
                      double error, const char *meaning)
{
    const struct fm_terminal *terminal = report->terminal;
    const char *verdict = fm_efficiency_verdict(efficiency);
    char label[NAME_COLUMNS + 24], by[FM_UNCERTAIN_SIZE];
    fm_terminal_style(terminal,
                      fm_efficiency_is_acceptable(efficiency) ? FM_STYLE_PLAIN : FM_STYLE_ALARM);
    snprintf(label, sizeof label, "  %-*s%6.1f%%  %-11s", NAME_COLUMNS, name, 100 * efficiency,
             verdict);
    fm_format_error(by, &report->diagnosis, "; ", llround(1e6 * error), 1000000);
    if (terminal->width > NAME_COLUMNS + 22 + strlen(meaning) + strlen(by))
        fm_terminal_print(terminal, label, NAME_COLUMNS + 22, "%s%s", meaning, by);
    else
        fprintf(terminal->stream, "  %-*.*s%6.1f%% %s%s\n", NARROW_COLUMNS, NARROW_COLUMNS, name,
                100 * efficiency, verdict, by);
    fm_terminal_style(terminal, FM_STYLE_PLAIN);
}

void fm_report_efficiency(const struct fm_report *report)
{
    struct fm_efficiency efficiency;
    if (!fm_diagnosis_efficiency(&report->diagnosis, &efficiency))
        return;
    fm_terminal_heading(report->terminal, "Efficiency");
    const struct fm_efficiency errors =
        fm_errors_of_efficiency(report->diagnosis.cube, &efficiency);
    print_row(report, "Parallel", efficiency.parallel, errors.parallel,
              "average computation / run");
    const bool offloads = !isnan(efficiency.offload);
    print_row(report, "  Load balance", efficiency.load_balance, errors.load_balance,
              offloads ? "average / longest occupied time" : "average / longest computation");
    print_row(report, "  Communication", efficiency.communication, errors.communication,
              offloads ? "longest occupied time / run" : "longest computation / run");
    if (!isnan(efficiency.transfer)) {
        print_row(report, "    Serialization", efficiency.serialization, errors.serialization,
                  offloads ? "longest occupied time / ideal run"
                           : "longest computation / ideal run");
        print_row(report, "    Transfer", efficiency.transfer, errors.transfer,
                  "run on an ideal network / run");
    }
    if (offloads) {
        print_row(report, "  Offload", efficiency.offload, errors.offload,
                  "computation / occupied time");
    }
    struct fm_hybrid_efficiency hybrid;
    /* Of one process the factors of its threads are those of the run. */
    if (!report->diagnosis.options.is_subtree &&
        !fm_location_set_is_one_process(report->diagnosis.cube) &&
        fm_hybrid_efficiency(report->diagnosis.cube, &hybrid)) {
        struct fm_hybrid_row rows[FM_HYBRID_ROWS];
        fm_hybrid_rows(&hybrid, rows);
        for (unsigned i = 0; i < FM_HYBRID_ROWS; i++) {
            char name[40];
            snprintf(name, sizeof name, "%*s%s", (int)(2 * rows[i].depth), "", rows[i].name);
            print_row(report, name, rows[i].value, 0, rows[i].meaning);
        }
    }
}

/* ---- tables ---- */

/** @return whether names fit after the numbers; otherwise they are on lines of their own. */
static bool has_room_for_names(const struct fm_terminal *terminal)
{
    return terminal->width >= TABLE_COLUMNS + 20;
}

static void print_table_head(const struct fm_report *report, const char *heading, const char *what)
{
    fm_terminal_heading(report->terminal, heading);
    fprintf(report->terminal->stream, "%11s%10s%9s%9s", "time", "parallel", "balance", "comm.");
    if (has_room_for_names(report->terminal))
        fprintf(report->terminal->stream, "  %s", what);
    putc('\n', report->terminal->stream);
}

static void print_percent(FILE *stream, int columns, double value)
{
    char number[FM_FORMAT_SIZE];
    snprintf(number, sizeof number, "%.1f%%", 100 * value);
    fprintf(stream, "%*s", columns, isnan(value) ? "-" : number);
}

/** Writes a row of a table. @param name  printable */
static void print_table_row(const struct fm_report *report, int64_t time,
                            const struct fm_efficiency *efficiency, const char *name)
{
    const struct fm_terminal *terminal = report->terminal;
    char number[FM_FORMAT_SIZE];
    char *label = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&label, &size);
    if (stream == NULL)
        abort(); /* Without memory for one line no error message can be printed either. */
    fprintf(stream, "%11s", fm_format_ticks(number, report->diagnosis.cube, time));
    print_percent(stream, 10, efficiency->parallel);
    print_percent(stream, 9, efficiency->load_balance);
    print_percent(stream, 9, efficiency->communication);
    if (fclose(stream) != 0)
        abort();
    bool alarm = !fm_efficiency_is_acceptable(efficiency->parallel);
    fm_terminal_style(terminal, alarm ? FM_STYLE_ALARM : FM_STYLE_PLAIN);
    if (has_room_for_names(terminal)) {
        fm_terminal_paragraph(terminal, label, TABLE_COLUMNS, name);
    } else {
        fprintf(terminal->stream, "%s\n", label);
        fm_terminal_paragraph(terminal, "    ", 4, name);
    }
    fm_terminal_style(terminal, FM_STYLE_PLAIN);
    free(label);
}

static void print_phases(const struct fm_report *report)
{
    const struct fm_cube *cube = report->diagnosis.cube;
    if (cube->phase_count > 0)
        print_table_head(report, "Efficiency of phases (--phases: of their iterations)", "phase");
    for (uint32_t i = 0; i < cube->phase_count; i++) {
        struct fm_cube_iteration total;
        fm_cube_phase_total(&cube->phases[i], &total, NULL, NULL);
        const struct fm_efficiency efficiency = fm_efficiency_of_iteration(cube, &total);
        char *name = fm_terminal_name(report->terminal, cube->regions[cube->phases[i].region].name);
        print_table_row(report, (int64_t)total.time, &efficiency, name);
        free(name);
    }
}

/** A call path and its inclusive time. */
struct callpath_time {
    int64_t time;
    uint32_t callpath;
};

static int compare_times(const void *left, const void *right)
{
    const struct callpath_time *a = left;
    const struct callpath_time *b = right;
    if (a->time != b->time)
        return a->time > b->time ? -1 : 1;
    return (a->callpath > b->callpath) - (a->callpath < b->callpath);
}

/** Lists the call paths with computation and significant time, in descending order of time.
 * @return their number */
static uint32_t list_callpaths(const struct fm_report *report,
                               const struct fm_efficiency *efficiencies, struct callpath_time *list)
{
    const struct fm_cube *cube = report->diagnosis.cube;
    uint32_t count = 0;
    struct fm_view view;
    struct fm_selection selection = fm_selection_all();
    selection.metric = FM_METRIC_TIME;
    if (fm_view_prepare(&view, cube, &selection, NULL) != FM_OK)
        return 0;
    int64_t *times = fm_allocate(cube->callpath_count, sizeof *times);
    fm_view_callpaths(&view, NULL, times);
    fm_view_release(&view);
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        if (!isnan(efficiencies[i].parallel) &&
            (double)times[i] >= WORTH_A_ROW * (double)report->diagnosis.time)
            list[count++] = (struct callpath_time){times[i], i};
    }
    fm_free(times);
    if (count > 1)
        qsort(list, count, sizeof *list, compare_times);
    return count;
}

void fm_report_efficiencies(const struct fm_report *report)
{
    const struct fm_cube *cube = report->diagnosis.cube;
    struct fm_efficiency *efficiencies = fm_allocate(cube->callpath_count, sizeof *efficiencies);
    struct callpath_time *list = fm_allocate(cube->callpath_count, sizeof *list);
    const struct fm_efficiency run = fm_efficiency_of_cube(cube, efficiencies);
    uint32_t count = list_callpaths(report, efficiencies, list);
    uint32_t shown = count < report->options->top ? count : report->options->top;
    if (isnan(run.parallel))
        fm_terminal_paragraph(report->terminal, "", 0,
                              fm_time_is_unknown(&report->diagnosis)
                                  ? "Not known: no process reached its regular end."
                                  : "Nothing was computed: there are no efficiencies.");
    fm_report_efficiency(report);
    fm_report_load_levels(report);
    print_phases(report);
    if (shown > 0)
        print_table_head(report, "Efficiency of call paths, with all that they call", "call path");
    for (uint32_t i = 0; i < shown; i++) {
        unsigned width = report->terminal->width;
        char *path = fm_place_callpath_within(&report->diagnosis, list[i].callpath,
                                              width > TABLE_COLUMNS ? width - TABLE_COLUMNS : 0);
        print_table_row(report, list[i].time, &efficiencies[list[i].callpath], path);
        free(path);
    }
    if (shown < count)
        fm_terminal_print(report->terminal, "", 2, "%u more (--top N shows more)", count - shown);
    fm_free(list);
    fm_free(efficiencies);
}
