/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of Nsight Systems, `nsys stats --format csv`: times of kernels (cuda_gpu_kern_sum, a row
 * for each kernel) and traces (cuda_gpu_trace, a row for each launch). Each column of times has its
 * unit in its name: "Avg (ns)". Its other tables have nothing about kernels. */
#include "imbalance/input/table_reader.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char what[] = "a table of Nsight Systems";

/* Finds a column of times by the name in front of its unit.
 * @param unit  out: in the text of the header */
static size_t find_time(const struct fm_csv_row *header, const char *name, const char **unit)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < header->count; i++) {
        char *cell = header->cells[i];
        if (strncasecmp(cell, name, length) != 0 || strncmp(cell + length, " (", 2) != 0) {
            continue;
        }
        char *end = strchr(cell + length, ')');
        if (end == NULL || end[1] != '\0') {
            continue;
        }
        *end = '\0';
        *unit = cell + length + 2;
        if (fm_unit_of_time(*unit) > 0) {
            return i;
        }
        *end = ')';
    }
    return FM_NO_COLUMN;
}

static fm_status_t add(struct fm_reading *reading, const struct fm_csv_row *row, uint64_t launches,
                       struct fm_error *error)
{
    const char *name = fm_cell(row, reading->name);
    if (row->count <= reading->name || row->count <= reading->value) {
        return fm_reading_fail(reading, row->line, error,
                               "the row ends before the name: the file is cut off or damaged");
    }
    if (!fm_names_kernel(name)) {
        return FM_OK;
    }
    struct fm_kernel kernel = fm_kernel_of(name, row->line);
    kernel.device = fm_cell(row, reading->device);
    kernel.process = reading->process;
    kernel.launches = launches;
    const size_t index = fm_kernel_table_add(&reading->file->table, &kernel);
    fm_note_value(reading, index, fm_gpu_metric_find("Duration"), row->cells[reading->value],
                  reading->metrics[0].unit, row->line);
    return FM_OK;
}

/* ---- times ---- */

static bool begin_summary(struct fm_reading *reading, const struct fm_csv_row *header)
{
    reading->name = fm_find_column(header, "Name");
    reading->launches = fm_find_column(header, "Instances");
    reading->device = FM_NO_COLUMN;
    if (reading->name == FM_NO_COLUMN || reading->launches == FM_NO_COLUMN) {
        return false;
    }
    reading->value = find_time(header, "Avg", &reading->metrics[0].unit);
    if (reading->value == FM_NO_COLUMN) {
        reading->value = find_time(header, "Average", &reading->metrics[0].unit);
    }
    return reading->value != FM_NO_COLUMN;
}

static fm_status_t read_summary(struct fm_reading *reading, const struct fm_csv_row *row,
                                struct fm_error *error)
{
    uint64_t launches;
    fm_status_t status = fm_read_count(reading, row, reading->launches, "number of instances",
                                       FM_MOST_LAUNCHES, &launches, error);
    if (status == FM_OK && launches == 0) {
        status = fm_reading_fail(reading, row->line, error, "the number of instances is 0");
    }
    return status == FM_OK ? add(reading, row, launches, error) : status;
}

const struct fm_table_kind fm_nsys_summary = {what, begin_summary, read_summary};

/* ---- traces ---- */

static bool begin_trace(struct fm_reading *reading, const struct fm_csv_row *header)
{
    reading->name = fm_find_column(header, "Name");
    reading->device = fm_find_column(header, "Device");
    if (reading->name == FM_NO_COLUMN || reading->device == FM_NO_COLUMN ||
        fm_find_column(header, "Strm") == FM_NO_COLUMN) {
        return false;
    }
    reading->value = find_time(header, "Duration", &reading->metrics[0].unit);
    return reading->value != FM_NO_COLUMN;
}

static fm_status_t read_launch(struct fm_reading *reading, const struct fm_csv_row *row,
                               struct fm_error *error)
{
    return add(reading, row, 1, error);
}

const struct fm_table_kind fm_nsys_trace = {what, begin_trace, read_launch};

/* ---- calls, copies, ranges: not used ---- */

static bool begin_others(struct fm_reading *reading, const struct fm_csv_row *header)
{
    (void)reading;
    const char *unit;
    return find_time(header, "Total Time", &unit) != FM_NO_COLUMN;
}

const struct fm_table_kind fm_nsys_others = {what, begin_others, fm_skip_row};
