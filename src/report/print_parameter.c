/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of a parameter, side by side. */
#include "base/text.h"
#include "cube/derived/parameter_table.h"
#include "diagnosis/number_format.h"
#include "report/report.h"

#include <stdlib.h>

#define VALUE_COLUMNS  16
#define NUMBER_COLUMNS 12

static void print_header(const struct fm_report *report)
{
    FILE *stream = report->terminal->stream;
    char heading[300];
    char *name = fm_terminal_name(report->terminal, report->options->parameter);
    snprintf(heading, sizeof heading, "Values of the parameter %.200s", name);
    free(name);
    fm_terminal_heading(report->terminal, heading);
    fprintf(stream, "%-*s%*s%9s%*s%9s", VALUE_COLUMNS, "value", NUMBER_COLUMNS, "time", "% of all",
            NUMBER_COLUMNS, "waiting", "% of it");
    for (unsigned i = 0; i < report->options->definition_count; i++)
        fprintf(stream, "  %*s", NUMBER_COLUMNS, report->options->definitions[i]->name);
    putc('\n', stream);
}

static void print_row(const struct fm_report *report, const struct fm_parameter_table *table,
                      uint32_t row)
{
    const struct fm_cube *cube = report->diagnosis.cube;
    FILE *stream = report->terminal->stream;
    char time[FM_FORMAT_SIZE], share[FM_FORMAT_SIZE], waiting[FM_FORMAT_SIZE], part[FM_FORMAT_SIZE];
    char *value = fm_terminal_name(report->terminal, fm_parameter_table_value(table, row));
    size_t columns = fm_text_columns(value);
    fprintf(stream, "%s%*s", value, columns < VALUE_COLUMNS ? (int)(VALUE_COLUMNS - columns) : 1,
            "");
    fprintf(stream, "%*s%9s%*s%9s", NUMBER_COLUMNS, fm_format_ticks(time, cube, table->time[row]),
            fm_format_percent(share, table->time[row], report->diagnosis.metrics[FM_METRIC_TIME]),
            NUMBER_COLUMNS, fm_format_ticks(waiting, cube, table->waiting[row]),
            fm_format_percent(part, table->waiting[row], table->time[row]));
    for (uint32_t i = 0; i < table->definitions; i++)
        fprintf(stream, "  %*.6g", NUMBER_COLUMNS,
                table->derived[(size_t)row * table->definitions + i]);
    putc('\n', stream);
    free(value);
}

fm_status_t fm_report_parameter(const struct fm_report *report, struct fm_error *error)
{
    const struct fm_report_options *options = report->options;
    struct fm_parameter_table table;
    fm_status_t status =
        fm_parameter_table_make(report->diagnosis.cube, &options->selection, options->parameter,
                                options->definitions, options->definition_count, &table, error);
    if (status != FM_OK)
        return status;
    print_header(report);
    for (uint32_t row = 0; row < table.rows; row++)
        print_row(report, &table, row);
    fm_parameter_table_free(&table);
    return FM_OK;
}
