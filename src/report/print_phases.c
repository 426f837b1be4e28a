/* SPDX-License-Identifier: BSD-3-Clause */
/* The iterations of the program's phases. */
#include "base/memory.h"
#include "base/text.h"
#include "diagnosis/efficiency/efficiency.h"
#include "diagnosis/number_format.h"
#include "diagnosis/place.h"
#include "diagnosis/uncertainty.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INDENT      14
#define GRAPH_WIDTH 64
#define WIDE_ENOUGH 78
#define SHORT_TABLE 16
#define MANY_KINDS  3

/** Of the column of waiting, at least. */
#define NUMBER_COLUMNS 9

/** A property of iterations. */
struct quality {
    const char *name;
    double (*value)(const struct fm_cube_iteration *row);
    bool is_time; /**< true: ticks; false: a fraction */
    bool less_is_worse;
};

static double duration_of(const struct fm_cube_iteration *row)
{
    return (double)row->duration / (double)row->count;
}

static double waiting_of(const struct fm_cube_iteration *row)
{
    return row->time == 0 ? 0 : (double)row->waiting / (double)row->time;
}

static double imbalance_of(const struct fm_cube_iteration *row)
{
    return fm_cube_iteration_imbalance(row) / (double)row->count;
}

static double efficiency_of(const struct fm_cube_iteration *row)
{
    return row->capacity > 0 ? (double)row->computation / (double)row->capacity : 0;
}

/** Time of all locations without computation. */
static double lost_in(const struct fm_cube_iteration *row)
{
    return (double)row->capacity - (double)row->computation;
}

static const struct quality qualities[] = {
    {"Duration", duration_of, true, false},
    {"Waiting", waiting_of, false, false},
    {"Imbalance", imbalance_of, true, false},
    {"Efficiency", efficiency_of, false, true},
};

static char *format(char buffer[FM_FORMAT_SIZE], const struct fm_report *report,
                    const struct quality *quality, double value)
{
    if (quality->is_time)
        return fm_format_ticks(buffer, report->diagnosis.cube, (int64_t)llround(value));
    snprintf(buffer, FM_FORMAT_SIZE, "%.1f%%", 100 * value);
    return buffer;
}

/** Writes the number of an iteration, or the first and last number of a row. */
static char *format_number(char buffer[FM_FORMAT_SIZE], const struct fm_cube_iteration *row)
{
    if (row->count == 1)
        snprintf(buffer, FM_FORMAT_SIZE, "%llu", (unsigned long long)row->first);
    else
        snprintf(buffer, FM_FORMAT_SIZE, "%llu-%llu", (unsigned long long)row->first,
                 (unsigned long long)(row->first + row->count - 1));
    return buffer;
}

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

/** @return whether any iteration has a value other than 0. */
static bool occurs(const struct fm_cube_phase *phase, const struct quality *quality)
{
    for (uint32_t i = 0; i < phase->row_count; i++) {
        if (quality->value(&phase->rows[i]) > 0)
            return true;
    }
    return false;
}

/** Draws the values of a phase's iterations. A column of several iterations shows the worst of
 * them. */
static void print_graph(const struct fm_report *report, const struct fm_cube_phase *phase,
                        const struct quality *quality)
{
    const struct fm_terminal *terminal = report->terminal;
    double values[GRAPH_WIDTH];
    unsigned columns = terminal->width - INDENT - 2;
    columns = columns > GRAPH_WIDTH ? GRAPH_WIDTH : columns;
    columns = columns > phase->row_count ? phase->row_count : columns;
    for (unsigned i = 0; i < columns; i++) {
        uint32_t first = (uint32_t)((uint64_t)i * phase->row_count / columns);
        uint32_t last = (uint32_t)(((uint64_t)i + 1) * phase->row_count / columns);
        values[i] = quality->value(&phase->rows[first]);
        for (uint32_t row = first + 1; row < last; row++) {
            double value = quality->value(&phase->rows[row]);
            if (quality->less_is_worse ? value < values[i] : value > values[i])
                values[i] = value;
        }
    }
    fprintf(terminal->stream, "  %-*s", INDENT - 2, quality->name);
    fm_terminal_graph(terminal, values, columns);
    putc('\n', terminal->stream);
}

static void print_distribution(const struct fm_report *report, const struct fm_cube_phase *phase,
                               const struct quality *quality)
{
    double *values = fm_allocate(phase->row_count, sizeof *values);
    uint32_t worst = 0;
    for (uint32_t i = 0; i < phase->row_count; i++) {
        values[i] = quality->value(&phase->rows[i]);
        if (quality->less_is_worse ? values[i] < values[worst] : values[i] > values[worst])
            worst = i;
    }
    double worst_value = values[worst];
    qsort(values, phase->row_count, sizeof *values, compare_numbers);
    double median = values[(phase->row_count - 1) / 2];
    double best = values[quality->less_is_worse ? phase->row_count - 1 : 0];
    char numbers[4][FM_FORMAT_SIZE];
    fm_terminal_print(
        report->terminal, "", INDENT, "%s %s, median %s, %s %s (iteration %s)",
        quality->less_is_worse ? "best" : "least", format(numbers[0], report, quality, best),
        format(numbers[1], report, quality, median), quality->less_is_worse ? "worst" : "most",
        format(numbers[2], report, quality, worst_value),
        format_number(numbers[3], &phase->rows[worst]));
    fm_free(values);
}

/** Prints the kinds of wait states with most of a phase's waiting. */
static void print_kinds(const struct fm_report *report, const struct fm_cube_phase *phase,
                        const struct fm_cube_iteration *total, const uint64_t *waiting,
                        const uint64_t *errors)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        abort(); /* Without memory for one line no error message can be printed either. */
    const struct fm_diagnosis *diagnosis = &report->diagnosis;
    char number[FM_UNCERTAIN_SIZE];
    bool *named = fm_allocate(phase->kind_count, sizeof *named);
    fprintf(stream, "%s of its time",
            fm_format_uncertain(number, diagnosis, (int64_t)total->waiting, (int64_t)total->error,
                                (int64_t)total->time));
    for (unsigned shown = 0; shown < MANY_KINDS; shown++) {
        uint32_t most = phase->kind_count;
        for (uint32_t k = 0; k < phase->kind_count; k++) {
            if (!named[k] && (most == phase->kind_count || waiting[k] > waiting[most]))
                most = k;
        }
        if (most == phase->kind_count)
            break;
        named[most] = true;
        fprintf(stream, "%s%s %s", shown == 0 ? ": " : ", ",
                fm_metric_info((fm_metric_t)phase->kinds[most])->name,
                fm_format_uncertain(number, diagnosis, (int64_t)waiting[most],
                                    (int64_t)errors[most], (int64_t)total->time));
    }
    if (fclose(stream) != 0)
        abort();
    fm_terminal_paragraph(report->terminal, "  Waiting", INDENT, text);
    fm_free(named);
    free(text);
}

static void print_total(const struct fm_report *report, const struct fm_cube_phase *phase)
{
    struct fm_cube_iteration total;
    uint64_t *waiting = fm_allocate(phase->kind_count, sizeof *waiting);
    uint64_t *errors = fm_allocate(phase->kind_count, sizeof *errors);
    fm_cube_phase_total(phase, &total, waiting, errors);
    const struct fm_efficiency efficiency =
        fm_efficiency_of_iteration(report->diagnosis.cube, &total);
    char number[FM_FORMAT_SIZE];
    char *name =
        fm_terminal_name(report->terminal, report->diagnosis.cube->regions[phase->region].name);
    char counts[2][FM_FORMAT_SIZE];
    fm_terminal_style(report->terminal, FM_STYLE_BOLD);
    fm_terminal_print(report->terminal, "", 0, "Phase %s: %s %s on %s %s, %s", name,
                      fm_format_count(counts[0], (int64_t)phase->iteration_count),
                      phase->iteration_count == 1 ? "iteration" : "iterations",
                      fm_format_count(counts[1], total.locations),
                      total.locations == 1 ? "thread" : "threads",
                      fm_format_ticks(number, report->diagnosis.cube, (int64_t)total.duration));
    fm_terminal_style(report->terminal, FM_STYLE_PLAIN);
    free(name);
    if (isnan(efficiency.parallel))
        fm_terminal_paragraph(report->terminal, "  Efficiency", INDENT, "nothing was computed");
    else if (isnan(efficiency.communication))
        fm_terminal_print(report->terminal, "  Efficiency", INDENT,
                          "parallel %.1f%%, load balance of computation %.1f%%",
                          100 * efficiency.parallel, 100 * efficiency.load_balance);
    else
        fm_terminal_print(report->terminal, "  Efficiency", INDENT,
                          "parallel %.1f%% = load balance %.1f%% x communication %.1f%%",
                          100 * efficiency.parallel, 100 * efficiency.load_balance,
                          100 * efficiency.communication);
    print_kinds(report, phase, &total, waiting, errors);
    fm_free(errors);
    fm_free(waiting);
}

/** Rows of a phase in display order. */
struct shown_rows {
    const struct fm_cube_iteration **rows;
    uint32_t count;
};

static int compare_losses(const void *left, const void *right)
{
    const struct fm_cube_iteration *a = *(const struct fm_cube_iteration *const *)left;
    const struct fm_cube_iteration *b = *(const struct fm_cube_iteration *const *)right;
    double lost_a = lost_in(a), lost_b = lost_in(b);
    if (lost_a != lost_b)
        return lost_a > lost_b ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

/** Writes the waiting of an iteration, with its error if that is not rounded to 0. */
static char *format_waiting(char buffer[FM_UNCERTAIN_SIZE], const struct fm_report *report,
                            const struct fm_cube_iteration *row)
{
    return fm_format_uncertain(buffer, &report->diagnosis, (int64_t)row->waiting,
                               (int64_t)row->error, (int64_t)row->time);
}

/** @return columns of the waiting of some rows */
static int waiting_columns(const struct fm_report *report,
                           const struct fm_cube_iteration *const *rows, uint32_t count)
{
    unsigned columns = NUMBER_COLUMNS;
    for (uint32_t i = 0; i < count; i++) {
        char waiting[FM_UNCERTAIN_SIZE];
        const unsigned needed = (unsigned)fm_text_columns(format_waiting(waiting, report, rows[i]));
        columns = needed + 2 > columns ? needed + 2 : columns;
    }
    return (int)columns;
}

static void print_iteration(const struct fm_report *report, const struct fm_cube_iteration *row,
                            int columns)
{
    FILE *stream = report->terminal->stream;
    char numbers[4][FM_FORMAT_SIZE], waiting[FM_UNCERTAIN_SIZE];
    const struct fm_efficiency efficiency = fm_efficiency_of_iteration(report->diagnosis.cube, row);
    bool wide = report->terminal->width >= WIDE_ENOUGH;
    format_waiting(waiting, report, row);
    fprintf(stream, "%10s%11s%*s%s", format_number(numbers[0], row),
            fm_format_ticks(numbers[1], report->diagnosis.cube, (int64_t)row->duration),
            columns - (int)fm_text_columns(waiting), "", waiting);
    const double percents[] = {efficiency.parallel, efficiency.load_balance,
                               efficiency.communication};
    for (int i = 0; i < (wide ? 3 : 1); i++) {
        snprintf(numbers[3], FM_FORMAT_SIZE, "%.1f%%", 100 * percents[i]);
        fprintf(stream, "%9s", isnan(percents[i]) ? "-" : numbers[3]);
    }
    if (wide && row->slowest != FM_CUBE_NONE) {
        char *who = fm_place_location(&report->diagnosis, row->slowest);
        fprintf(stream, "  %s", who);
        free(who);
    }
    putc('\n', stream);
}

/** Lists all iterations if a phase has few, otherwise the iterations with most lost time. */
static void print_iterations(const struct fm_report *report, const struct fm_cube_phase *phase)
{
    const struct fm_cube_iteration **rows = fm_allocate(phase->row_count, sizeof *rows);
    bool all = phase->row_count <= SHORT_TABLE || phase->row_count <= report->options->top;
    for (uint32_t i = 0; i < phase->row_count; i++)
        rows[i] = &phase->rows[i];
    if (!all)
        qsort(rows, phase->row_count, sizeof *rows, compare_losses);
    bool wide = report->terminal->width >= WIDE_ENOUGH;
    putc('\n', report->terminal->stream);
    fm_terminal_paragraph(report->terminal, "", 2,
                          all ? "All iterations:"
                              : "The iterations that lost most time to anything but "
                                "computation (--top N shows more):");
    uint32_t shown = all ? phase->row_count : report->options->top;
    const int columns = waiting_columns(report, rows, shown);
    fprintf(report->terminal->stream, "%10s%11s%*s%9s%s\n", "iteration", "duration", columns,
            "waiting", "parallel", wide ? "  balance    comm.  slowest" : "");
    for (uint32_t i = 0; i < shown; i++)
        print_iteration(report, rows[i], columns);
    fm_free(rows);
}

void fm_report_phases(const struct fm_report *report)
{
    const struct fm_cube *cube = report->diagnosis.cube;
    if (cube->phase_count == 0)
        fm_terminal_paragraph(
            report->terminal, "", 0,
            "The trace names no phases: regions that the program (or its recorder) declares as "
            "iterations or steps, for example with FERMATA_ITERATION of <fermata/fermata.h>.");
    for (uint32_t i = 0; i < cube->phase_count; i++) {
        const struct fm_cube_phase *phase = &cube->phases[i];
        if (i > 0)
            putc('\n', report->terminal->stream);
        print_total(report, phase);
        for (size_t q = 0; phase->row_count > 1 && q < sizeof qualities / sizeof *qualities; q++) {
            if (occurs(phase, &qualities[q])) {
                print_graph(report, phase, &qualities[q]);
                print_distribution(report, phase, &qualities[q]);
            }
        }
        print_iterations(report, phase);
    }
}

void fm_report_phase_overview(const struct fm_report *report)
{
    const struct fm_cube *cube = report->diagnosis.cube;
    if (cube->phase_count == 0)
        return;
    fm_terminal_heading(report->terminal, "Phases");
    for (uint32_t i = 0; i < cube->phase_count && i < report->options->top; i++) {
        const struct fm_cube_phase *phase = &cube->phases[i];
        const struct fm_cube_iteration *longest = &phase->rows[0];
        struct fm_cube_iteration total;
        fm_cube_phase_total(phase, &total, NULL, NULL);
        for (uint32_t row = 1; row < phase->row_count; row++) {
            if (duration_of(&phase->rows[row]) > duration_of(longest))
                longest = &phase->rows[row];
        }
        char numbers[4][FM_FORMAT_SIZE], waiting[FM_UNCERTAIN_SIZE];
        char *name = fm_terminal_name(report->terminal, cube->regions[phase->region].name);
        fm_terminal_print(
            report->terminal, "  *", 4,
            "%s: %s %s, %s on average, %s at most (iteration %s); parallel efficiency %.1f%%, "
            "waiting %s of its time",
            name, fm_format_count(numbers[0], (int64_t)phase->iteration_count),
            phase->iteration_count == 1 ? "iteration" : "iterations",
            fm_format_ticks(numbers[1], cube, (int64_t)llround(duration_of(&total))),
            fm_format_ticks(numbers[2], cube, (int64_t)llround(duration_of(longest))),
            format_number(numbers[3], longest), 100 * efficiency_of(&total),
            format_waiting(waiting, report, &total));
        free(name);
    }
    fm_report_more(report, "    More", 12, "--phases");
}
