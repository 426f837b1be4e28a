/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of Nsight Compute (ncu --csv): a row for each launch and metric, the same for means of
 * several launches (--print-summary), or a row for each launch (--page raw). Versions differ in the
 * columns between the kernel's name and the metric. */
#include "imbalance/input/table_reader.h"

#include <stdio.h>
#include <string.h>

#define MOST_LAUNCHES (UINT64_C(1) << 40)
#define MOST_PROCESS  UINT32_MAX

/* The columns that say what a row is about. */
static bool find_columns(struct fm_reading *reading, const struct fm_csv_row *header)
{
    reading->id = fm_find_column(header, "ID");
    reading->pid = fm_find_column(header, "Process ID");
    reading->host = fm_find_column(header, "Host Name");
    reading->name = fm_find_column(header, "Kernel Name");
    reading->device = fm_find_column(header, "Device");
    reading->launches = fm_find_column(header, "Invocations");
    return reading->name != FM_NO_COLUMN &&
           (reading->id != FM_NO_COLUMN || reading->launches != FM_NO_COLUMN ||
            reading->pid != FM_NO_COLUMN);
}

static fm_status_t read_kernel(struct fm_reading *reading, const struct fm_csv_row *row,
                               struct fm_kernel *kernel, struct fm_error *error)
{
    *kernel = fm_kernel_of(fm_cell(row, reading->name), row->line);
    kernel->device = fm_cell(row, reading->device);
    kernel->host = fm_cell(row, reading->host);
    kernel->is_replayed = true;
    fm_status_t status = FM_OK;
    if (reading->pid != FM_NO_COLUMN) {
        status = fm_read_count(reading, row, reading->pid, "process", MOST_PROCESS,
                               &kernel->process, error);
    }
    if (status == FM_OK && reading->launches != FM_NO_COLUMN) {
        status = fm_read_count(reading, row, reading->launches, "number of invocations",
                               MOST_LAUNCHES, &kernel->launches, error);
        if (status == FM_OK && kernel->launches == 0) {
            return fm_reading_fail(reading, row->line, error, "the number of invocations is 0");
        }
    }
    return status;
}

/* ---- a row for each metric ---- */

static bool begin_rows(struct fm_reading *reading, const struct fm_csv_row *header)
{
    reading->metric = fm_find_column(header, "Metric Name");
    reading->unit = fm_find_column(header, "Metric Unit");
    reading->value = fm_find_column(header, "Metric Value");
    if (reading->value == FM_NO_COLUMN) {
        reading->value = fm_find_column(header, "Average");
    }
    return find_columns(reading, header) && reading->metric != FM_NO_COLUMN &&
           reading->unit != FM_NO_COLUMN && reading->value != FM_NO_COLUMN;
}

/* What is equal for all rows of one launch, or of one mean of launches. */
static const char *const parts[] = {"ID",      "Process ID", "Host Name",  "Kernel Name", "Device",
                                    "Context", "Stream",     "Block Size", "Grid Size"};
enum { PARTS = sizeof parts / sizeof parts[0] };

static bool begin_rows_of_metrics(struct fm_reading *reading, const struct fm_csv_row *header)
{
    if (!begin_rows(reading, header)) {
        return false;
    }
    for (size_t i = 0; i < PARTS; i++) {
        reading->own[i] = fm_find_column(header, parts[i]);
    }
    return true;
}

static fm_status_t read_row(struct fm_reading *reading, const struct fm_csv_row *row,
                            struct fm_error *error)
{
    const struct fm_gpu_metric_name *name = fm_gpu_metric_find(fm_cell(row, reading->metric));
    if (row->count <= reading->metric || (name != NULL && row->count <= reading->value)) {
        return fm_reading_fail(
            reading, row->line, error,
            "the row ends before the value of its metric: the file is cut off or "
            "damaged");
    }
    if (name == NULL) {
        return FM_OK;
    }
    struct fm_kernel kernel;
    fm_status_t status = read_kernel(reading, row, &kernel, error);
    if (status != FM_OK) {
        return status;
    }
    char table[24];
    snprintf(table, sizeof table, "%u", reading->table);
    const char *key[PARTS + 1] = {table};
    for (size_t i = 0; i < PARTS; i++) {
        key[1 + i] = fm_cell(row, reading->own[i]);
    }
    size_t index = fm_kernel_table_find(&reading->file->table, key, PARTS + 1, &kernel);
    fm_note_value(reading, index, name, row->cells[reading->value], fm_cell(row, reading->unit),
                  row->line);
    return FM_OK;
}

const struct fm_table_kind fm_nsight_rows = {"a profile of Nsight Compute", begin_rows_of_metrics,
                                             read_row};

/* ---- a column for each metric ---- */

static bool begin_columns(struct fm_reading *reading, const struct fm_csv_row *header)
{
    return find_columns(reading, header) && reading->id != FM_NO_COLUMN &&
           fm_find_column(header, "Metric Name") == FM_NO_COLUMN &&
           fm_find_metric_columns(reading, header);
}

static fm_status_t read_columns(struct fm_reading *reading, const struct fm_csv_row *row,
                                struct fm_error *error)
{
    if (row->count != reading->columns) {
        return fm_reading_fail(reading, row->line, error,
                               "the row has %zu cells, its table %zu: the file is cut off or "
                               "damaged",
                               row->count, reading->columns);
    }
    if (reading->at_first_row && row->cells[reading->id][0] == '\0') { /* units */
        for (size_t i = 0; i < reading->metric_count; i++) {
            reading->metrics[i].unit = row->cells[reading->metrics[i].column];
        }
        return FM_OK;
    }
    struct fm_kernel kernel;
    fm_status_t status = read_kernel(reading, row, &kernel, error);
    if (status != FM_OK) {
        return status;
    }
    size_t index = fm_kernel_table_add(&reading->file->table, &kernel);
    for (size_t i = 0; i < reading->metric_count; i++) {
        const struct fm_metric_column *metric = &reading->metrics[i];
        fm_note_value(reading, index, metric->name, row->cells[metric->column], metric->unit,
                      row->line);
    }
    return FM_OK;
}

const struct fm_table_kind fm_nsight_columns = {"a profile of Nsight Compute", begin_columns,
                                                read_columns};
