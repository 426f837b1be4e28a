/* SPDX-License-Identifier: BSD-3-Clause */
/* How unevenly the load of streams, processes and nodes is spread. */
#include "diagnosis/efficiency/load_levels.h"
#include "diagnosis/place.h"
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Columns of the numbers, and of names behind them. */
enum { TABLE_COLUMNS = 40, NAME_COLUMNS = 32 };

static bool has_names(const struct fm_terminal *terminal)
{
    return terminal->width >= TABLE_COLUMNS + NAME_COLUMNS;
}

static void print_percent(FILE *stream, int columns, double value)
{
    if (isnan(value)) {
        fprintf(stream, "%*s", columns, "-");
    } else {
        fprintf(stream, "%*.1f%%", columns - 1, 100 * value);
    }
}

/* @return the name of a unit, to be freed with free() */
static char *unit_name(const struct fm_report *report, enum fm_level level,
                       const struct fm_level_unit *unit)
{
    switch (level) {
    case FM_LEVEL_NODE:
        return fm_place_name(&report->diagnosis,
                             report->diagnosis.cube->locations[unit->first].node);
    case FM_LEVEL_STREAM:
        return fm_place_location(&report->diagnosis, unit->first);
    default:
        return fm_place_process(&report->diagnosis, unit->first);
    }
}

static const char *level_name(const struct fm_report *report, enum fm_level level)
{
    switch (level) {
    case FM_LEVEL_STREAM:
        return "streams";
    case FM_LEVEL_THREAD:
        return "accelerators";
    case FM_LEVEL_NODE:
        return "nodes";
    default:
        return report->diagnosis.process.many;
    }
}

/* The composite of a level, below its adjusted load. */
static void print_composite(const struct fm_report *report, const struct fm_load_levels *levels,
                            enum fm_level level)
{
    const struct fm_terminal *terminal = report->terminal;
    const struct fm_load_imbalance *composites = &levels->composites[level];
    fprintf(terminal->stream, "  %-*s", TABLE_COLUMNS - 11, "  composite");
    print_percent(terminal->stream, 9, composites->imbalance);
    if (has_names(terminal)) {
        char *largest = unit_name(report, level, &levels->units[level][composites->where]);
        fprintf(terminal->stream, "  %s", largest);
        free(largest);
    }
    putc('\n', terminal->stream);
}

static void print_level(const struct fm_report *report, const struct fm_load_levels *levels,
                        enum fm_level level)
{
    const struct fm_terminal *terminal = report->terminal;
    const struct fm_load_imbalance *times = &levels->times[level], *loads = &levels->loads[level];
    char label[32];
    snprintf(label, sizeof label, "%u %s", levels->counts[level], level_name(report, level));
    fprintf(terminal->stream, "  %-15s", label);
    print_percent(terminal->stream, 7, times->imbalance);
    print_percent(terminal->stream, 7, fm_level_mean_efficiency(levels, level));
    print_percent(terminal->stream, 9, loads->imbalance);
    if (has_names(terminal)) {
        char *longest = unit_name(report, level, &levels->units[level][times->where]);
        char *largest = unit_name(report, level, &levels->units[level][loads->where]);
        fprintf(terminal->stream, "  %s%s%s", longest, times->where != loads->where ? ", " : "",
                times->where != loads->where ? largest : "");
        free(longest);
        free(largest);
    }
    putc('\n', terminal->stream);
    if (levels->composites[level].count > 1) {
        print_composite(report, levels, level);
    }
}

/* Kernels without values count like the others of their stream. */
static void print_unmeasured(const struct fm_terminal *terminal, double measured)
{
    const double unknown = 100 * (1 - measured);
    if (unknown >= 0.05) { /* NAN: nothing was measured */
        fprintf(terminal->stream,
                "  Of %.1f%% of the kernels' time it is not known what was active inside of\n"
                "  accelerators: it counts like the rest of its stream, if that is known.\n",
                unknown);
    }
}

void fm_report_load_levels(const struct fm_report *report)
{
    const struct fm_terminal *terminal = report->terminal;
    struct fm_load_levels levels;
    bool is_first = true;
    fm_load_levels_make(report->diagnosis.cube, FM_CUBE_NONE, &levels);
    for (int level = 0; level < FM_LEVELS; level++) {
        if (!fm_level_is_known(&levels, (enum fm_level)level)) {
            continue;
        }
        if (is_first) {
            fm_terminal_heading(terminal, "Load imbalance (largest / average - 1)");
            fprintf(terminal->stream, "  %-15s%7s%7s%9s%s\n", "", "times", "inside", "adjusted",
                    has_names(terminal) ? "  longest time, largest adjusted" : "");
        }
        is_first = false;
        print_level(report, &levels, (enum fm_level)level);
    }
    if (!is_first) {
        print_unmeasured(terminal, levels.measured);
    }
    fm_load_levels_free(&levels);
}
