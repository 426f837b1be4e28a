/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison in the terminal. */
#include "cube/view/callpath_pattern.h"
#include "diagnosis/process_word.h"
#include "report/comparison/change_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_COLUMNS     11
#define CHANGE_COLUMNS    9
#define SMALLEST_NAME     24
#define LEAST_ROOM        18 /* the longest words of names fit */
#define LARGEST_VARIANT   20
#define LETTERS           26
#define DIFFERENCE_INDENT 13

/** @return the heading of a column: a letter, because names of experiments are long. */
static char letter(size_t variant)
{
    return (char)('A' + variant % LETTERS);
}

static unsigned indent_of(const struct fm_diff_options *options, fm_metric_t metric)
{
    return 2 + (options->pattern == NULL ? 2 * fm_metric_depth(metric) : 0);
}

/** @return the number of columns of the longest name, limited by the width of the terminal. */
static unsigned name_columns(const struct fm_comparison *comparison,
                             const struct fm_diff_options *options,
                             const struct fm_terminal *terminal)
{
    size_t others = VALUE_COLUMNS + (comparison->count - 1) * (VALUE_COLUMNS + CHANGE_COLUMNS);
    size_t left = terminal->width > others ? terminal->width - others : 0;
    size_t wanted = SMALLEST_NAME;
    for (unsigned m = 0; m < fm_metric_end(); m++) {
        fm_metric_t metric = (fm_metric_t)m;
        size_t length = indent_of(options, metric) + strlen(fm_metric_info(metric)->name) + 1;
        if (fm_diff_shows(comparison, options, metric) && length > wanted)
            wanted = length;
    }
    return left < SMALLEST_NAME ? SMALLEST_NAME : (unsigned)(left < wanted ? left : wanted);
}

/** Prints a name in its columns, wrapped, never cut: names may differ only at their end. */
static void print_name(const struct fm_terminal *terminal, const char *name, unsigned indent,
                       unsigned columns)
{
    if (indent + LEAST_ROOM > columns)
        indent = columns - LEAST_ROOM;
    for (;;) {
        size_t room = columns - indent - 1, length = strlen(name);
        if (length > room) {
            length = room + 1;
            while (length > 0 && name[length - 1] != ' ')
                length--;
            if (length == 0)
                length = room + 1; /* no word is that long */
            fprintf(terminal->stream, "%*s%.*s\n", (int)indent, "", (int)length - 1, name);
            name += length;
            if (indent + 2 + LEAST_ROOM <= columns)
                indent += 2;
            continue;
        }
        fprintf(terminal->stream, "%*s%-*s", (int)indent, "", (int)(columns - indent), name);
        return;
    }
}

static void print_variants(const struct fm_comparison *comparison,
                           const struct fm_terminal *terminal)
{
    char length[FM_FORMAT_SIZE];
    for (size_t c = 0; c < comparison->count; c++) {
        const struct fm_cube *cube = comparison->combination.cubes[c];
        char *name = fm_terminal_name(terminal, comparison->names[c]);
        char *title = fm_terminal_name(
            terminal, cube->experiment.title == NULL ? "program unknown" : cube->experiment.title);
        char label[8];
        snprintf(label, sizeof label, "  %c  ", letter(c));
        fm_terminal_print(
            terminal, label, 5, "%s: %s, %u process%s, %s%s%s", name, title,
            cube->experiment.process_count, cube->experiment.process_count == 1 ? "" : "es",
            comparison->ends[c] == NULL ? "run time " : "ended inside of calls",
            comparison->ends[c] == NULL ? fm_diff_format_length(length, comparison, c) : "",
            c == 0 ? " (the base of the comparison)" : "");
        free(name);
        free(title);
    }
}

/** Prints how the runs ended that ended inside of calls. */
static void print_ends(const struct fm_comparison *comparison, const struct fm_terminal *terminal)
{
    bool is_first = true;
    for (size_t c = 0; c < comparison->count; c++) {
        if (comparison->ends[c] == NULL) {
            continue;
        }
        if (is_first) {
            fm_terminal_heading(terminal, "Runs that ended inside of calls");
        }
        is_first = false;
        char label[8];
        char *end = fm_terminal_name(terminal, comparison->ends[c]);
        snprintf(label, sizeof label, "  %c  ", letter(c));
        fm_terminal_paragraph(terminal, label, 5, end);
        free(end);
    }
    if (!is_first) {
        fm_terminal_paragraph(terminal, "     ", 5,
                              "They did a part of their work only, and their last calls last until "
                              "they were ended: run time, efficiencies and changes are not stated; "
                              "`fermata hang` lists who waited for whom.");
    }
}

static void print_header(const struct fm_comparison *comparison, const struct fm_terminal *terminal,
                         unsigned columns)
{
    fprintf(terminal->stream, "%*s", (int)columns, "");
    for (size_t c = 0; c < comparison->count; c++) {
        fprintf(terminal->stream, "%*c", VALUE_COLUMNS, letter(c));
        if (c > 0)
            fprintf(terminal->stream, "%*s", CHANGE_COLUMNS, "change");
    }
    putc('\n', terminal->stream);
}

static void print_values(const struct fm_comparison *comparison, const struct fm_terminal *terminal,
                         fm_metric_t metric, const int64_t *values, size_t stride)
{
    char text[FM_FORMAT_SIZE];
    for (size_t c = 0; c < comparison->count; c++) {
        fprintf(terminal->stream, "%*s", VALUE_COLUMNS,
                fm_diff_format(text, comparison, metric, values[c * stride]));
        if (c > 0)
            fprintf(terminal->stream, "%*s", CHANGE_COLUMNS,
                    fm_diff_format_change(text, comparison, c, values[0], values[c * stride]));
    }
    putc('\n', terminal->stream);
}

static void print_lengths(const struct fm_comparison *comparison,
                          const struct fm_terminal *terminal)
{
    char text[FM_FORMAT_SIZE];
    const int64_t *lengths = comparison->lengths;
    for (size_t c = 0; c < comparison->count; c++) {
        fprintf(terminal->stream, "%*s", VALUE_COLUMNS, fm_diff_format_length(text, comparison, c));
        if (c > 0)
            fprintf(terminal->stream, "%*s", CHANGE_COLUMNS,
                    fm_diff_format_change(text, comparison, c, lengths[0], lengths[c]));
    }
    putc('\n', terminal->stream);
}

/** Prints a row of efficiencies. @param row  of the hybrid ones; FM_HYBRID_ROWS: parallel
 * efficiency */
static void print_ratios(const struct fm_comparison *comparison, const struct fm_terminal *terminal,
                         unsigned row)
{
    char text[FM_FORMAT_SIZE];
    const double base = fm_comparison_ratio(comparison, 0, row);
    for (size_t c = 0; c < comparison->count; c++) {
        const double ratio = fm_comparison_ratio(comparison, c, row);
        fprintf(terminal->stream, "%*s", VALUE_COLUMNS, fm_diff_format_ratio(text, ratio));
        if (c > 0)
            fprintf(terminal->stream, "%*s", CHANGE_COLUMNS,
                    fm_diff_format_points(text, base, ratio));
    }
    putc('\n', terminal->stream);
}

static void print_run(const struct fm_comparison *comparison, const struct fm_terminal *terminal,
                      unsigned columns)
{
    fprintf(terminal->stream, "%-*s", (int)columns, "  Run time");
    print_lengths(comparison, terminal);
    fprintf(terminal->stream, "%-*s", (int)columns, "  Parallel efficiency");
    print_ratios(comparison, terminal, FM_HYBRID_ROWS);
    for (unsigned i = 0; i < FM_HYBRID_ROWS && comparison->has_hybrids; i++) {
        const struct fm_hybrid_row *row = &comparison->hybrids[0][i];
        print_name(terminal, row->name, 4 + 2 * row->depth, columns);
        print_ratios(comparison, terminal, i);
    }
}

static void print_metrics(const struct fm_comparison *comparison,
                          const struct fm_diff_options *options, const struct fm_terminal *terminal,
                          unsigned columns)
{
    fm_metric_t order[FM_METRIC_COUNT];
    unsigned count = fm_metrics_in_order(order);
    for (unsigned i = 0; i < count; i++) {
        fm_metric_t metric = order[i];
        if (!fm_diff_shows(comparison, options, metric))
            continue;
        print_name(terminal, fm_metric_info(metric)->name, indent_of(options, metric), columns);
        print_values(comparison, terminal, metric, &comparison->totals[metric], FM_METRIC_COUNT);
    }
}

static void print_change(const struct fm_comparison *comparison, const struct fm_terminal *terminal,
                         const struct fm_change *change)
{
    const struct fm_cube *frame = comparison->combination.united.frame;
    char label[DIFFERENCE_INDENT + FM_FORMAT_SIZE], difference[FM_FORMAT_SIZE];
    char values[256] = "", text[FM_FORMAT_SIZE];
    for (size_t c = 0; c < comparison->count; c++) {
        size_t used = strlen(values);
        snprintf(values + used, sizeof values - used, c == 0 ? "%s" : " -> %s",
                 comparison->ends[c] != NULL
                     ? "-"
                     : fm_diff_format(text, comparison, change->metric, change->values[c]));
    }
    char *path = fm_cube_callpath_short(frame, change->callpath, terminal->width);
    char *name = fm_terminal_name(terminal, path == NULL ? "?" : path);
    char where[96] = "";
    if (frame->location_count > 1 && change->location != FM_CUBE_NONE) {
        char *process =
            fm_process_name(fm_process_word(frame), &frame->locations[change->location]);
        snprintf(where, sizeof where, ", most on %s", process);
        free(process);
    }
    snprintf(label, sizeof label, "  %-*s", DIFFERENCE_INDENT - 2,
             fm_diff_format_signed(difference, comparison, change->metric, change->difference));
    fm_terminal_print(terminal, label, DIFFERENCE_INDENT, "%s in %s (%s%s%s)",
                      fm_metric_info(change->metric)->name, name, values, where,
                      fm_change_is_estimated(comparison, change) ? "; by samples" : "");
    free(name);
    free(path);
}

static void print_changes(const struct fm_comparison *comparison, const char *heading, int sign,
                          unsigned top, const struct fm_terminal *terminal)
{
    unsigned shown = 0;
    for (size_t i = 0; i < comparison->change_count && shown < top; i++) {
        const struct fm_change *change = &comparison->changes[i];
        if (change->difference * sign <= 0)
            continue;
        if (shown++ == 0)
            fm_terminal_heading(terminal, heading);
        print_change(comparison, terminal, change);
    }
}

static void print_conditions(const struct fm_comparison *comparison,
                             const struct fm_diff_options *options,
                             const struct fm_terminal *terminal)
{
    if (options->condition_count > 0)
        fm_terminal_heading(terminal, "Conditions");
    for (size_t i = 0; i < options->condition_count; i++) {
        const struct fm_condition *condition = &options->conditions[i];
        char *text = fm_terminal_name(terminal, condition->text);
        bool met = false;
        for (size_t c = 1; c < comparison->count; c++) {
            for (unsigned m = 0; m < fm_metric_end(); m++) {
                if (!fm_condition_met(condition, comparison, c, (fm_metric_t)m))
                    continue;
                char change[FM_FORMAT_SIZE];
                fm_format_change(change, fm_comparison_total(comparison, 0, (fm_metric_t)m),
                                 fm_comparison_total(comparison, c, (fm_metric_t)m));
                fm_terminal_style(terminal, FM_STYLE_ALARM);
                fm_terminal_print(terminal, "  ", 2, "%s: met by %s in %c (%s)", text,
                                  fm_metric_info((fm_metric_t)m)->id, letter(c), change);
                fm_terminal_style(terminal, FM_STYLE_PLAIN);
                met = true;
            }
        }
        if (!met)
            fm_terminal_print(terminal, "  ", 2, "%s: %s", text,
                              fm_comparison_is_whole(comparison)
                                  ? "not met"
                                  : "not known, as a run ended inside of calls");
        free(text);
    }
}

void fm_diff_write_text(const struct fm_comparison *comparison,
                        const struct fm_diff_options *options, const struct fm_terminal *terminal)
{
    unsigned columns = name_columns(comparison, options, terminal);
    fm_terminal_heading(terminal, "Variants");
    print_variants(comparison, terminal);
    print_ends(comparison, terminal);
    fm_terminal_heading(terminal, "Properties (all call paths and locations, parts included)");
    print_header(comparison, terminal, columns);
    if (options->pattern == NULL)
        print_run(comparison, terminal, columns);
    print_metrics(comparison, options, terminal, columns);
    print_changes(comparison, "Where more time is spent", 1, options->top, terminal);
    print_changes(comparison, "Where less time is spent", -1, options->top, terminal);
    print_conditions(comparison, options, terminal);
}
