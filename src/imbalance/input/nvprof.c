/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of nvprof --csv: metrics of kernels (a row for each kernel and metric), times of kernels
 * (a row for each kernel), and traces of both (a row for each launch). */
#include "imbalance/input/table_reader.h"

#include <stdio.h>
#include <string.h>

/* Removes the number of a launch behind a kernel's name in traces: "kernel(int*) [123]". */
static const char *without_number(const char *name)
{
    char *open = strrchr(name, '[');
    if (open == NULL || open - name < 2 || open[-1] != ' ') {
        return name;
    }
    const size_t digits = strspn(open + 1, "0123456789");
    if (digits > 0 && strcmp(open + 1 + digits, "]") == 0) {
        open[-1] = '\0'; /* cells lie in the reader's own text */
    }
    return name;
}

/* ---- metrics ---- */

static bool begin_metrics(struct fm_reading *reading, const struct fm_csv_row *header)
{
    reading->device = fm_find_column(header, "Device");
    reading->name = fm_find_column(header, "Kernel");
    reading->launches = fm_find_column(header, "Invocations");
    reading->metric = fm_find_column(header, "Metric Name");
    reading->value = fm_find_column(header, "Avg");
    return reading->name != FM_NO_COLUMN && reading->launches != FM_NO_COLUMN &&
           reading->metric != FM_NO_COLUMN && reading->value != FM_NO_COLUMN;
}

static fm_status_t read_metric(struct fm_reading *reading, const struct fm_csv_row *row,
                               struct fm_error *error)
{
    const struct fm_gpu_metric_name *name = fm_gpu_metric_find(fm_cell(row, reading->metric));
    if (name == NULL) {
        return FM_OK;
    }
    if (row->count <= reading->value) {
        return fm_reading_fail(
            reading, row->line, error,
            "the row ends before the value of %s: the file is cut off or damaged", name->name);
    }
    struct fm_kernel kernel = fm_kernel_of(fm_cell(row, reading->name), row->line);
    kernel.device = fm_cell(row, reading->device);
    kernel.process = reading->process;
    kernel.is_replayed = true;
    fm_status_t status = fm_read_count(reading, row, reading->launches, "number of invocations",
                                       FM_MOST_LAUNCHES, &kernel.launches, error);
    if (status != FM_OK) {
        return status;
    }
    if (kernel.launches == 0) {
        return fm_reading_fail(reading, row->line, error, "the number of invocations is 0");
    }
    char table[24];
    snprintf(table, sizeof table, "%u", reading->table);
    const char *key[] = {table, kernel.device, kernel.name, fm_cell(row, reading->launches)};
    size_t index = fm_kernel_table_find(&reading->file->table, key, 4, &kernel);
    fm_note_value(reading, index, name, row->cells[reading->value], "", row->line);
    return FM_OK;
}

const struct fm_table_kind fm_nvprof_metrics = {"a profile of nvprof", begin_metrics, read_metric};

/* ---- events, calls of the library: not used ---- */

static bool begin_events(struct fm_reading *reading, const struct fm_csv_row *header)
{
    (void)reading;
    return (fm_find_column(header, "Event Name") != FM_NO_COLUMN &&
            fm_find_column(header, "Invocations") != FM_NO_COLUMN) ||
           (header->count <= 4 && fm_find_column(header, "Start") != FM_NO_COLUMN &&
            fm_find_column(header, "Duration") != FM_NO_COLUMN &&
            fm_find_column(header, "Name") != FM_NO_COLUMN);
}

const struct fm_table_kind fm_nvprof_events = {"a profile of nvprof", begin_events, fm_skip_row};

/* ---- times ---- */

static const struct fm_gpu_metric_name *time_name(void)
{
    return fm_gpu_metric_find("Duration");
}

static bool begin_activities(struct fm_reading *reading, const struct fm_csv_row *header)
{
    reading->type = fm_find_column(header, "Type");
    reading->name = fm_find_column(header, "Name");
    reading->launches = fm_find_column(header, "Calls");
    reading->value = fm_find_column(header, "Avg");
    reading->metrics[0].unit = "";
    return reading->name != FM_NO_COLUMN && reading->launches != FM_NO_COLUMN &&
           reading->value != FM_NO_COLUMN && fm_find_column(header, "Time(%)") != FM_NO_COLUMN;
}

static fm_status_t read_activity(struct fm_reading *reading, const struct fm_csv_row *row,
                                 struct fm_error *error)
{
    const char *average = fm_cell(row, reading->value);
    if (reading->at_first_row && fm_unit_of_time(average) > 0) {
        reading->metrics[0].unit = average;
        return FM_OK;
    }
    if (row->count <= reading->name) {
        return fm_reading_fail(reading, row->line, error,
                               "the row ends before the name: the file is cut off or damaged");
    }
    const char *type = fm_cell(row, reading->type), *name = fm_cell(row, reading->name);
    if ((reading->type != FM_NO_COLUMN && strcmp(type, "GPU activities") != 0) ||
        !fm_names_kernel(name)) {
        return FM_OK;
    }
    struct fm_kernel kernel = fm_kernel_of(name, row->line);
    kernel.process = reading->process;
    fm_status_t status = fm_read_count(reading, row, reading->launches, "number of calls",
                                       FM_MOST_LAUNCHES, &kernel.launches, error);
    if (status != FM_OK) {
        return status;
    }
    if (kernel.launches == 0) {
        return fm_reading_fail(reading, row->line, error, "the number of calls is 0");
    }
    size_t index = fm_kernel_table_add(&reading->file->table, &kernel);
    fm_note_value(reading, index, time_name(), average, reading->metrics[0].unit, row->line);
    return FM_OK;
}

const struct fm_table_kind fm_nvprof_activities = {"a profile of nvprof", begin_activities,
                                                   read_activity};

/* ---- traces ---- */

static bool begin_trace(struct fm_reading *reading, const struct fm_csv_row *header)
{
    reading->device = fm_find_column(header, "Device");
    reading->name = fm_find_column(header, "Kernel");
    if (reading->name == FM_NO_COLUMN) {
        reading->name = fm_find_column(header, "Name");
    }
    return reading->device != FM_NO_COLUMN && reading->name != FM_NO_COLUMN &&
           fm_find_column(header, "Context") != FM_NO_COLUMN &&
           fm_find_column(header, "Stream") != FM_NO_COLUMN &&
           fm_find_metric_columns(reading, header);
}

static bool is_unit(const char *cell)
{
    return cell[0] == '\0' || strcmp(cell, "%") == 0 || fm_unit_of_time(cell) > 0;
}

/* Whether the first row below the header has the units of the columns. */
static bool take_units(struct fm_reading *reading, const struct fm_csv_row *row)
{
    if (fm_cell(row, reading->name)[0] != '\0' || fm_cell(row, reading->device)[0] != '\0') {
        return false;
    }
    for (size_t i = 0; i < reading->metric_count; i++) {
        if (!is_unit(fm_cell(row, reading->metrics[i].column))) {
            return false;
        }
    }
    for (size_t i = 0; i < reading->metric_count; i++) {
        reading->metrics[i].unit = fm_cell(row, reading->metrics[i].column);
    }
    return true;
}

static fm_status_t read_launch(struct fm_reading *reading, const struct fm_csv_row *row,
                               struct fm_error *error)
{
    if (reading->at_first_row && take_units(reading, row)) {
        return FM_OK;
    }
    size_t needed = reading->name;
    for (size_t i = 0; i < reading->metric_count; i++) {
        needed = needed < reading->metrics[i].column ? reading->metrics[i].column : needed;
    }
    if (row->count <= needed) {
        return fm_reading_fail(reading, row->line, error,
                               "the row has %zu cells, its table %zu: the file is cut off or "
                               "damaged",
                               row->count, reading->columns);
    }
    const char *name = without_number(row->cells[reading->name]);
    if (!fm_names_kernel(name)) {
        return FM_OK;
    }
    struct fm_kernel kernel = fm_kernel_of(name, row->line);
    kernel.device = fm_cell(row, reading->device);
    kernel.process = reading->process;
    size_t index = fm_kernel_table_add(&reading->file->table, &kernel);
    for (size_t i = 0; i < reading->metric_count; i++) {
        const struct fm_metric_column *metric = &reading->metrics[i];
        if (metric->name->metric != FM_GPU_TIME) {
            reading->file->table.kernels.items[index].is_replayed = true;
        }
        fm_note_value(reading, index, metric->name, row->cells[metric->column], metric->unit,
                      row->line);
    }
    return FM_OK;
}

const struct fm_table_kind fm_nvprof_trace = {"a trace of nvprof", begin_trace, read_launch};
