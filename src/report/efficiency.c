/* The efficiencies of the POP methodology that need no simulation. */
#include "report/format.h"
#include "report/report.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

#define NAME_COLUMNS   26
#define NARROW_COLUMNS 20

/** From here on an efficiency is good, and acceptable. */
#define GOOD       0.9
#define ACCEPTABLE 0.8

const char *fm_efficiency_verdict(double efficiency)
{
    return efficiency >= GOOD ? "good" : efficiency >= ACCEPTABLE ? "acceptable" : "poor";
}

static void print_row(const struct fm_report *report, const char *name, double efficiency,
                      const char *meaning)
{
    const struct fm_terminal *terminal = report->terminal;
    const char *verdict = fm_efficiency_verdict(efficiency);
    char label[NAME_COLUMNS + 24];
    fm_terminal_style(terminal, efficiency >= ACCEPTABLE ? FM_STYLE_PLAIN : FM_STYLE_ALARM);
    snprintf(label, sizeof label, "  %-*s%6.1f%%  %-11s", NAME_COLUMNS, name, 100 * efficiency,
             verdict);
    if (terminal->width > NAME_COLUMNS + 22 + strlen(meaning))
        fm_terminal_print(terminal, label, NAME_COLUMNS + 22, "%s", meaning);
    else
        fprintf(terminal->stream, "  %-*.*s%6.1f%% %s\n", NARROW_COLUMNS, NARROW_COLUMNS, name,
                100 * efficiency, verdict);
    fm_terminal_style(terminal, FM_STYLE_PLAIN);
}

/** Sets the time of each location in a metric and all below it. */
static bool location_times(const struct fm_report *report, fm_metric_t metric, int64_t *times)
{
    struct fm_view view;
    struct fm_selection selection = fm_selection_all();
    selection.metric = metric;
    if (fm_view_prepare(&view, report->cube, &selection, NULL) != FM_OK)
        return false;
    fm_view_locations(&view, times);
    fm_view_release(&view);
    return true;
}

bool fm_efficiency_compute(const struct fm_report *report, struct fm_efficiency *efficiency)
{
    const struct fm_cube *cube = report->cube;
    int64_t *useful = fm_allocate(cube->location_count, sizeof *useful);
    int64_t *spent = fm_allocate(cube->location_count, sizeof *spent);
    double sum = 0, most = 0, run = 0;
    if (location_times(report, FM_METRIC_COMP, useful) &&
        location_times(report, FM_METRIC_TIME, spent)) {
        for (uint32_t i = 0; i < cube->location_count; i++) {
            sum += (double)useful[i];
            most = (double)useful[i] > most ? (double)useful[i] : most;
            run = (double)spent[i] > run ? (double)spent[i] : run;
        }
        /* A part of the run lasts as long as its slowest location. */
        if (report->options->root == NULL)
            run = (double)(cube->experiment.end - cube->experiment.begin);
    }
    fm_free(useful);
    fm_free(spent);
    if (most <= 0 || run <= 0 || cube->location_count < 2)
        return false;
    double average = sum / (double)cube->location_count;
    *efficiency = (struct fm_efficiency){average / run, average / most, most / run};
    return true;
}

void fm_report_efficiency(const struct fm_report *report)
{
    struct fm_efficiency efficiency;
    if (!fm_efficiency_compute(report, &efficiency))
        return;
    fm_terminal_heading(report->terminal, "Efficiency");
    print_row(report, "Parallel", efficiency.parallel, "average computation / run");
    print_row(report, "  Load balance", efficiency.load_balance, "average / longest computation");
    print_row(report, "  Communication", efficiency.communication, "longest computation / run");
}
