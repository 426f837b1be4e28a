/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata's own tables: kernels, ranks, sweeps, ranks of processes, threads of a kernel. */
#include "imbalance/input/table_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const rank_columns[] = {
#define FM_RANK_COLUMN(symbol, column, meaning) column,
    FM_RANK_COLUMNS(FM_RANK_COLUMN)
#undef FM_RANK_COLUMN
};

static const char *const sweep_columns[] = {
#define FM_SWEEP_COLUMN(symbol, column) column,
    FM_SWEEP_COLUMNS(FM_SWEEP_COLUMN)
#undef FM_SWEEP_COLUMN
};

const char *fm_rank_column_name(fm_rank_column_t column)
{
    return rank_columns[column];
}

const char *fm_sweep_column_name(fm_sweep_column_t column)
{
    return sweep_columns[column];
}

/* A number in C's notation. An empty cell is NAN. */
static fm_status_t read_number(const struct fm_reading *reading, const struct fm_csv_row *row,
                               size_t column, const char *what, double *number,
                               struct fm_error *error)
{
    const char *text = fm_cell(row, column);
    *number = NAN;
    if (text[0] == '\0') {
        return FM_OK;
    }
    char *end;
    *number = strtod(text, &end);
    if (*end != '\0' || !isfinite(*number) || strspn(text, "+-.0123456789eE") != strlen(text)) {
        return fm_reading_fail(reading, row->line, error, "'%.60s' is no number for %s", text,
                               what);
    }
    return FM_OK;
}

/* Refuses a row whose number of cells is not that of the header. */
static fm_status_t check_cells(const struct fm_reading *reading, const struct fm_csv_row *row,
                               struct fm_error *error)
{
    if (row->count == reading->columns) {
        return FM_OK;
    }
    return fm_reading_fail(reading, row->line, error, "the row has %zu cells, its header %zu",
                           row->count, reading->columns);
}

/* Whether all columns of a header are of a table: each is one of `names` or of `more`. */
static bool has_only(const struct fm_csv_row *header, const char *const *names, size_t count,
                     const char *const *more, size_t more_count)
{
    for (size_t c = 0; c < header->count; c++) {
        bool known = false;
        for (size_t i = 0; i < count + more_count && !known; i++) {
            known = strcasecmp(header->cells[c], i < count ? names[i] : more[i - count]) == 0;
        }
        if (!known) {
            return false;
        }
    }
    return true;
}

/* ---- kernels ---- */

static bool begin_kernels(struct fm_reading *reading, const struct fm_csv_row *header)
{
    static const char *const others[] = {"rank",   "device",   "kernel",
                                         "launch", "launches", "start_ns"};
    const char *columns[FM_GPU_METRIC_COUNT];
    for (size_t i = 0; i < FM_GPU_METRIC_COUNT; i++) {
        columns[i] = fm_gpu_metric_info((fm_gpu_metric_t)i)->column;
        reading->own[i] = fm_find_column(header, columns[i]);
    }
    reading->id = fm_find_column(header, "rank");
    reading->device = fm_find_column(header, "device");
    reading->name = fm_find_column(header, "kernel");
    reading->launches = fm_find_column(header, "launches");
    return reading->id != FM_NO_COLUMN && reading->name != FM_NO_COLUMN &&
           has_only(header, others, sizeof others / sizeof others[0], columns, FM_GPU_METRIC_COUNT);
}

static fm_status_t read_kernel_values(struct fm_reading *reading, const struct fm_csv_row *row,
                                      struct fm_kernel *kernel, struct fm_error *error)
{
    for (size_t i = 0; i < FM_GPU_METRIC_COUNT; i++) {
        const struct fm_gpu_metric *metric = fm_gpu_metric_info((fm_gpu_metric_t)i);
        double *value = &kernel->values[i];
        fm_status_t status =
            read_number(reading, row, reading->own[i], metric->column, value, error);
        if (status != FM_OK) {
            return status;
        }
        if (*value < 0) {
            return fm_reading_fail(reading, row->line, error, "%s is negative", metric->column);
        }
        if (metric->kind == FM_GPU_SECONDS) {
            *value *= 1e-9;
        }
    }
    return FM_OK;
}

static fm_status_t read_own_kernel(struct fm_reading *reading, const struct fm_csv_row *row,
                                   struct fm_error *error)
{
    struct fm_kernel kernel = fm_kernel_of(fm_cell(row, reading->name), row->line);
    uint64_t rank = 0;
    fm_status_t status = check_cells(reading, row, error);
    if (status == FM_OK) {
        status = fm_read_count(reading, row, reading->id, "rank", FM_RANK_NONE - 1, &rank, error);
    }
    if (status == FM_OK && reading->launches != FM_NO_COLUMN) {
        status = fm_read_count(reading, row, reading->launches, "number of launches",
                               UINT64_C(1) << 40, &kernel.launches, error);
    }
    if (status == FM_OK) {
        status = read_kernel_values(reading, row, &kernel, error);
    }
    if (status == FM_OK && kernel.launches == 0) {
        status = fm_reading_fail(reading, row->line, error, "the number of launches is 0");
    }
    if (status == FM_OK) {
        kernel.rank = (uint32_t)rank;
        kernel.device = fm_cell(row, reading->device);
        fm_kernel_table_add(&reading->file->table, &kernel);
    }
    return status;
}

const struct fm_table_kind fm_own_kernels = {"a table of kernels", begin_kernels, read_own_kernel};

/* ---- ranks ---- */

static bool begin_ranks(struct fm_reading *reading, const struct fm_csv_row *header)
{
    static const char *const others[] = {"rank"};
    for (size_t i = 0; i < FM_RANK_COLUMN_COUNT; i++) {
        reading->own[i] = fm_find_column(header, rank_columns[i]);
    }
    reading->id = fm_find_column(header, "rank");
    return reading->id != FM_NO_COLUMN && header->count > 1 &&
           has_only(header, others, 1, rank_columns, FM_RANK_COLUMN_COUNT);
}

static fm_status_t read_rank(struct fm_reading *reading, const struct fm_csv_row *row,
                             struct fm_error *error)
{
    struct fm_rank_row read = {.line = row->line};
    uint64_t rank = 0;
    fm_status_t status = check_cells(reading, row, error);
    if (status == FM_OK) {
        status = fm_read_count(reading, row, reading->id, "rank", FM_RANK_NONE - 1, &rank, error);
    }
    for (size_t i = 0; i < FM_RANK_COLUMN_COUNT && status == FM_OK; i++) {
        status =
            read_number(reading, row, reading->own[i], rank_columns[i], &read.values[i], error);
        if (status == FM_OK && read.values[i] < 0) {
            status = fm_reading_fail(reading, row->line, error, "%s is negative", rank_columns[i]);
        }
    }
    if (status == FM_OK) {
        read.rank = (uint32_t)rank;
        fm_vector_push(&reading->file->ranks, read);
    }
    return status;
}

const struct fm_table_kind fm_own_ranks = {"a table of ranks", begin_ranks, read_rank};

/* ---- sweeps ---- */

static bool begin_sweep(struct fm_reading *reading, const struct fm_csv_row *header)
{
    static const char *const others[] = {"set", "problem"};
    for (size_t i = 0; i < FM_SWEEP_COLUMN_COUNT; i++) {
        reading->own[i] = fm_find_column(header, sweep_columns[i]);
    }
    reading->id = fm_find_column(header, "problem");
    reading->type = fm_find_column(header, "set");
    return reading->id != FM_NO_COLUMN && header->count > 1 &&
           has_only(header, others, 2, sweep_columns, FM_SWEEP_COLUMN_COUNT);
}

static fm_status_t read_sweep(struct fm_reading *reading, const struct fm_csv_row *row,
                              struct fm_error *error)
{
    struct fm_sweep_row read = {0};
    fm_status_t status = check_cells(reading, row, error);
    for (size_t i = 0; i < FM_SWEEP_COLUMN_COUNT && status == FM_OK; i++) {
        status =
            read_number(reading, row, reading->own[i], sweep_columns[i], &read.values[i], error);
    }
    if (status == FM_OK) {
        read.set = fm_copy_string(fm_cell(row, reading->type));
        read.problem = fm_copy_string(fm_cell(row, reading->id));
        fm_vector_push(&reading->file->sweep, read);
    }
    return status;
}

const struct fm_table_kind fm_own_sweep = {"a table of a sweep", begin_sweep, read_sweep};

/* ---- ranks of processes ---- */

static bool begin_map(struct fm_reading *reading, const struct fm_csv_row *header)
{
    static const char *const names[] = {"host", "process", "rank"};
    reading->host = fm_find_column(header, "host");
    reading->pid = fm_find_column(header, "process");
    reading->id = fm_find_column(header, "rank");
    return reading->pid != FM_NO_COLUMN && reading->id != FM_NO_COLUMN &&
           has_only(header, names, 3, NULL, 0);
}

static fm_status_t read_map(struct fm_reading *reading, const struct fm_csv_row *row,
                            struct fm_error *error)
{
    uint64_t process = 0, rank = 0;
    fm_status_t status = check_cells(reading, row, error);
    if (status == FM_OK) {
        status = fm_read_count(reading, row, reading->pid, "process", UINT32_MAX, &process, error);
    }
    if (status == FM_OK) {
        status = fm_read_count(reading, row, reading->id, "rank", FM_RANK_NONE - 1, &rank, error);
    }
    if (status == FM_OK) {
        fm_vector_push(&reading->file->map,
                       (struct fm_process_rank){.host = fm_cell(row, reading->host),
                                                .process = process,
                                                .rank = (uint32_t)rank});
    }
    return status;
}

const struct fm_table_kind fm_own_map = {"a table of processes", begin_map, read_map};

/* ---- threads of a kernel ---- */

static bool begin_threads(struct fm_reading *reading, const struct fm_csv_row *header)
{
    reading->id = fm_find_column(header, "thread");
    reading->value = fm_find_column(header, "work");
    return header->count == 2 && reading->id != FM_NO_COLUMN && reading->value != FM_NO_COLUMN;
}

static fm_status_t read_thread(struct fm_reading *reading, const struct fm_csv_row *row,
                               struct fm_error *error)
{
    uint64_t thread = 0;
    double work = 0;
    fm_status_t status = check_cells(reading, row, error);
    if (status == FM_OK) {
        status = fm_read_count(reading, row, reading->id, "thread", UINT32_MAX, &thread, error);
    }
    if (status == FM_OK) {
        status = read_number(reading, row, reading->value, "work", &work, error);
    }
    if (status == FM_OK && thread != reading->file->threads.count) {
        status =
            fm_reading_fail(reading, row->line, error, "thread %llu stands where thread %zu is due",
                            (unsigned long long)thread, reading->file->threads.count);
    }
    if (status == FM_OK && !(work >= 0)) {
        status = fm_reading_fail(reading, row->line, error, "the work is missing or negative");
    }
    if (status == FM_OK) {
        fm_vector_push(&reading->file->threads, work);
    }
    return status;
}

const struct fm_table_kind fm_own_threads = {"a table of threads", begin_threads, read_thread};
