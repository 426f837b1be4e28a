/* SPDX-License-Identifier: BSD-3-Clause */
/* Derived metrics: their values in all, by call path and by location. */
#include "base/memory.h"
#include "cube/derived/derived_values.h"
#include "diagnosis/place.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>

#define NUMBER_COLUMNS 12
#define TEXT_COLUMN    (NUMBER_COLUMNS + 2)

/** A row of a table. */
struct row {
    uint32_t element;
    double value;
};

/** Descending by size, then ascending by number. */
static int compare_rows(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    double x = fabs(a->value), y = fabs(b->value);
    if (x != y)
        return x > y ? -1 : 1;
    return (a->element > b->element) - (a->element < b->element);
}

/** @return the elements with values other than 0, sorted; to be freed. */
static struct row *sort_rows(const double *values, uint32_t count, uint32_t *rows)
{
    struct row *sorted = fm_allocate(count + (size_t)1, sizeof *sorted);
    *rows = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] != 0)
            sorted[(*rows)++] = (struct row){i, values[i]};
    }
    qsort(sorted, *rows, sizeof *sorted, compare_rows);
    return sorted;
}

static void print_row(const struct fm_report *report, double value, const char *text)
{
    fprintf(report->terminal->stream, "%*.6g  %s\n", NUMBER_COLUMNS, value, text);
}

static void print_rest(const struct fm_report *report, uint32_t count, unsigned shown)
{
    if (count > shown)
        fprintf(report->terminal->stream, "%*s  %u more (--top)\n", NUMBER_COLUMNS, "",
                count - shown);
}

static void print_callpaths(const struct fm_report *report, const double *values)
{
    uint32_t count;
    struct row *rows = sort_rows(values, report->diagnosis.cube->callpath_count, &count);
    fm_terminal_heading(report->terminal, "By call path (with all that it calls)");
    for (uint32_t i = 0; i < count && i < report->options->top; i++) {
        unsigned width = report->terminal->width;
        char *path = fm_place_callpath_within(&report->diagnosis, rows[i].element,
                                              width > TEXT_COLUMN ? width - TEXT_COLUMN : 0);
        print_row(report, rows[i].value, path);
        free(path);
    }
    print_rest(report, count, report->options->top);
    fm_free(rows);
}

static void print_locations(const struct fm_report *report, const double *values)
{
    const struct fm_cube *cube = report->diagnosis.cube;
    uint32_t count;
    struct row *rows = sort_rows(values, cube->location_count, &count);
    const struct fm_process_word *process = &report->diagnosis.process;
    char heading[32];
    snprintf(heading, sizeof heading, "By %s", process->one);
    fm_terminal_heading(report->terminal, heading);
    for (uint32_t i = 0; i < count && i < report->options->top; i++) {
        char *name = fm_place_location(&report->diagnosis, rows[i].element);
        print_row(report, rows[i].value, name);
        free(name);
    }
    print_rest(report, count, report->options->top);
    fm_free(rows);
}

/** Prints "name = expression: value" in the width of the terminal. */
static void print_definition(const struct fm_report *report, const struct fm_expression *expression,
                             double total)
{
    char number[32];
    char *text = fm_terminal_name(report->terminal, expression->text);
    snprintf(number, sizeof number, "%*.6g", NUMBER_COLUMNS, total);
    fm_terminal_print(report->terminal, number, TEXT_COLUMN, "%s = %s", expression->name, text);
    free(text);
}

fm_status_t fm_report_definitions(const struct fm_report *report, struct fm_error *error)
{
    if (report->options->definition_count > 0)
        fm_terminal_heading(report->terminal, "Derived metrics (times in seconds)");
    for (unsigned i = 0; i < report->options->definition_count; i++) {
        const struct fm_expression *expression = report->options->definitions[i];
        struct fm_derived_values values;
        fm_status_t status = fm_derived_values_make(
            report->diagnosis.cube, &report->options->selection, expression, &values, error);
        if (status != FM_OK)
            return status;
        print_definition(report, expression, values.total);
        fm_derived_values_free(&values);
    }
    return FM_OK;
}

fm_status_t fm_report_derived(const struct fm_report *report, struct fm_error *error)
{
    const struct fm_expression *expression = report->options->derived;
    struct fm_derived_values values;
    fm_status_t status = fm_derived_values_make(report->diagnosis.cube, &report->options->selection,
                                                expression, &values, error);
    if (status != FM_OK)
        return status;
    fm_terminal_heading(report->terminal, "Derived metric (times in seconds)");
    print_definition(report, expression, values.total);
    print_callpaths(report, values.callpaths);
    print_locations(report, values.locations);
    fm_derived_values_free(&values);
    return FM_OK;
}
