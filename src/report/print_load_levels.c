/* How unevenly the load of processes and nodes is spread. */
#include "diagnosis/efficiency/load_levels.h"
#include "diagnosis/place.h"
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Columns of the numbers; names need more. */
#define TABLE_COLUMNS 40

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
    return level == FM_LEVEL_NODE
               ? fm_place_name(&report->diagnosis,
                               report->diagnosis.cube->locations[unit->first].node)
               : fm_place_process(&report->diagnosis, unit->first);
}

static void print_level(const struct fm_report *report, const struct fm_load_levels *levels,
                        enum fm_level level)
{
    const struct fm_terminal *terminal = report->terminal;
    const struct fm_load_imbalance *times = &levels->times[level], *loads = &levels->loads[level];
    char label[32];
    snprintf(label, sizeof label, "%u %s", levels->counts[level],
             level == FM_LEVEL_NODE     ? "nodes"
             : level == FM_LEVEL_THREAD ? "accelerators"
                                        : report->diagnosis.process.many);
    fprintf(terminal->stream, "  %-15s", label);
    print_percent(terminal->stream, 7, times->imbalance);
    print_percent(terminal->stream, 7, fm_level_mean_efficiency(levels, level));
    print_percent(terminal->stream, 9, loads->imbalance);
    if (terminal->width >= TABLE_COLUMNS + 32) {
        char *longest = unit_name(report, level, &levels->units[level][times->where]);
        char *largest = unit_name(report, level, &levels->units[level][loads->where]);
        fprintf(terminal->stream, "  %s%s%s", longest, times->where != loads->where ? ", " : "",
                times->where != loads->where ? largest : "");
        free(longest);
        free(largest);
    }
    putc('\n', terminal->stream);
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
                    terminal->width >= TABLE_COLUMNS + 32 ? "  longest time, largest adjusted"
                                                          : "");
        }
        is_first = false;
        print_level(report, &levels, (enum fm_level)level);
    }
    fm_load_levels_free(&levels);
}
