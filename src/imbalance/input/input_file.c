/* SPDX-License-Identifier: BSD-3-Clause */
#include "imbalance/input/input_file.h"

#include "imbalance/input/nsys_database.h"
#include "imbalance/input/table_reader.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LARGEST (UINT64_C(1) << 30)

/* What the first rows that were recognized decide: special kinds before general ones. */
static const struct fm_table_kind *const kinds[] = {
    &fm_nsys_summary,   &fm_nsys_trace,     &fm_nsys_others,   &fm_nsight_rows,
    &fm_nsight_columns, &fm_nvprof_metrics, &fm_nvprof_events, &fm_nvprof_activities,
    &fm_nvprof_trace,   &fm_own_kernels,    &fm_own_ranks,     &fm_own_sweep,
    &fm_own_map,        &fm_own_threads};

size_t fm_find_column(const struct fm_csv_row *header, const char *name)
{
    for (size_t i = 0; i < header->count; i++) {
        if (strcasecmp(header->cells[i], name) == 0) {
            return i;
        }
    }
    return FM_NO_COLUMN;
}

const char *fm_cell(const struct fm_csv_row *row, size_t column)
{
    return column < row->count ? row->cells[column] : "";
}

fm_status_t fm_reading_fail(const struct fm_reading *reading, unsigned long line,
                            struct fm_error *error, const char *format, ...)
{
    char reason[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return fm_fail(error, FM_ERR_DATA, "%.400s:%lu: %s", reading->csv.name, line, reason);
}

fm_status_t fm_skip_row(struct fm_reading *reading, const struct fm_csv_row *row,
                        struct fm_error *error)
{
    (void)reading;
    (void)row;
    (void)error;
    return FM_OK;
}

/* More warnings about one file help nobody. */
enum { MOST_WARNINGS = 20 };

void fm_reading_warn(struct fm_reading *reading, unsigned long line, const char *format, ...)
{
    char reason[512];
    struct fm_error text;
    if (reading->file->warnings.count >= MOST_WARNINGS) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    fm_fail(&text, FM_OK, "%.400s:%lu: %s", reading->csv.name, line, reason);
    fm_vector_push(&reading->file->warnings, fm_copy_string(text.message));
}

bool fm_find_metric_columns(struct fm_reading *reading, const struct fm_csv_row *header)
{
    reading->metric_count = 0;
    for (size_t i = 0; i < header->count && reading->metric_count < FM_MOST_METRIC_COLUMNS; i++) {
        const struct fm_gpu_metric_name *name = fm_gpu_metric_find(header->cells[i]);
        if (name != NULL) {
            reading->metrics[reading->metric_count++] =
                (struct fm_metric_column){.column = i, .name = name, .unit = ""};
        }
    }
    return reading->metric_count > 0;
}

fm_status_t fm_read_count(const struct fm_reading *reading, const struct fm_csv_row *row,
                          size_t column, const char *what, uint64_t most, uint64_t *number,
                          struct fm_error *error)
{
    const char *text = fm_cell(row, column);
    char digits[24];
    size_t length = 0;
    bool valid = *text >= '0' && *text <= '9';
    for (const char *c = text; *c != '\0' && valid; c++) { /* Nsight groups digits: "12,345" */
        const bool grouped = strchr(",.' ", *c) != NULL && strspn(c + 1, "0123456789") == 3;
        valid = ((*c >= '0' && *c <= '9') || (grouped && strlen(text) > 4)) &&
                length < sizeof digits - 1;
        if (valid && !grouped) {
            digits[length++] = *c;
        }
    }
    digits[length] = '\0';
    errno = 0;
    *number = strtoull(digits, NULL, 10);
    if (!valid || errno != 0 || *number > most) {
        return fm_reading_fail(reading, row->line, error, "'%.60s' is no %s", text, what);
    }
    return FM_OK;
}

/* The process in a note such as "==12345== Profiling application: ./app". */
static void take_note(struct fm_reading *reading)
{
    const char *digits = fm_csv_line(&reading->csv) + 2;
    const size_t length = strspn(digits, "0123456789");
    if (length > 0 && length < 11 && strncmp(digits + length, "==", 2) == 0) {
        reading->process = strtoull(digits, NULL, 10);
    }
}

/* Whether a row begins a table. */
static bool begin_table(struct fm_reading *reading, const struct fm_csv_row *row)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i]->begin(reading, row)) {
            reading->kind = kinds[i];
            reading->columns = row->count;
            reading->at_first_row = true;
            reading->table++;
            return true;
        }
    }
    return false;
}

/* Looks for the header of a table in the next line, which may be any text: it is read as if the
 * file ended behind it. */
static void try_header(struct fm_reading *reading)
{
    struct fm_csv *csv = &reading->csv;
    char *const end = csv->end;
    char *line_end = memchr(csv->next, '\n', (size_t)(end - csv->next));
    const unsigned long line = csv->line;
    csv->delimiter = ',';
    for (const char *delimiter = ";\t"; *delimiter != '\0'; delimiter++) {
        if (fm_csv_count(csv, *delimiter) > fm_csv_count(csv, csv->delimiter)) {
            csv->delimiter = *delimiter;
        }
    }
    if (line_end != NULL) {
        *line_end = '\0';
        csv->end = line_end;
    }
    struct fm_csv_row row;
    if (fm_csv_next(csv, &row, NULL) == FM_OK && row.count > 1) {
        begin_table(reading, &row);
    }
    csv->end = end;
    csv->next = line_end == NULL ? end : line_end + 1;
    csv->line = line + (line_end != NULL);
}

/* Whether a row inside of a table is the header of the next one: all of its cells are words. */
static bool may_be_header(const struct fm_csv_row *row)
{
    static const char *const first[] = {
        "ID",         "Device",     "Type",       "Time(%)",   "Time (%)",   "Start",
        "Start (ns)", "Start (us)", "Start (ms)", "Start (s)", "Process ID", "rank",
        "thread",     "set",        "problem",    "process",   "host"};
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++) {
        if (row->count > 1 && strcasecmp(row->cells[0], first[i]) == 0) {
            return true;
        }
    }
    return false;
}

static fm_status_t read_row(struct fm_reading *reading, struct fm_error *error)
{
    struct fm_csv_row row;
    fm_status_t status = fm_csv_next(&reading->csv, &row, error);
    if (status != FM_OK || row.count == 0) {
        return status;
    }
    if (may_be_header(&row)) {
        const struct fm_reading before = *reading;
        if (begin_table(reading, &row)) {
            return FM_OK;
        }
        const struct fm_csv csv = reading->csv;
        *reading = before;
        reading->csv = csv;
    }
    if (row.count > reading->columns) {
        return fm_reading_fail(reading, row.line, error, "the row has %zu cells, its header %zu",
                               row.count, reading->columns);
    }
    if (row.count == 1 && strncmp(row.cells[0], "Processing [", 12) == 0) {
        return FM_OK; /* a note of Nsight Systems between two tables */
    }
    if (row.count == 1 && reading->columns > 1) {
        return fm_reading_fail(reading, row.line, error, "'%.60s' is no row of %s", row.cells[0],
                               reading->kind->what);
    }
    status = reading->kind->row(reading, &row, error);
    reading->at_first_row = false;
    return status;
}

static int compare_ranks(const void *left, const void *right)
{
    const struct fm_rank_row *a = left, *b = right;
    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    return (a->line > b->line) - (a->line < b->line);
}

static fm_status_t order_ranks(struct fm_reading *reading, struct fm_error *error)
{
    struct fm_input_file *file = reading->file;
    if (file->ranks.count > 1) {
        qsort(file->ranks.items, file->ranks.count, sizeof *file->ranks.items, compare_ranks);
    }
    for (size_t i = 1; i < file->ranks.count; i++) {
        if (file->ranks.items[i].rank == file->ranks.items[i - 1].rank) {
            return fm_reading_fail(reading, file->ranks.items[i].line, error,
                                   "rank %u has a second row; the first one is line %lu",
                                   file->ranks.items[i].rank, file->ranks.items[i - 1].line);
        }
    }
    return FM_OK;
}

static fm_status_t read_tables(struct fm_reading *reading, enum fm_decimal_mark decimal,
                               struct fm_error *error)
{
    fm_status_t status = FM_OK;
    while (status == FM_OK && reading->csv.next < reading->csv.end) {
        if (fm_csv_is_note(&reading->csv)) {
            take_note(reading);
        } else if (reading->kind == NULL) {
            try_header(reading);
        } else {
            status = read_row(reading, error);
        }
    }
    if (status == FM_OK && reading->kind == NULL) {
        status =
            fm_fail(error, FM_ERR_DATA,
                    "%.400s: no line is the header of a table that is known: a profile of nvprof "
                    "or Nsight Compute (--csv) or an own table",
                    reading->csv.name);
    }
    if (status == FM_OK) {
        status = fm_convert_values(reading, decimal, error);
    }
    return status == FM_OK ? order_ranks(reading, error) : status;
}

fm_status_t fm_input_parse(const char *text, size_t length, const char *path,
                           enum fm_decimal_mark decimal, struct fm_input_file **file,
                           struct fm_error *error)
{
    struct fm_input_file *made = fm_allocate(1, sizeof *made);
    struct fm_reading reading = {.file = made};
    made->path = fm_copy_string(path);
    made->text = fm_allocate(length + 1, 1);
    if (length > 0) {
        memcpy(made->text, text, length);
    }
    fm_status_t status = fm_csv_begin(&reading.csv, made->text, length, made->path, error);
    if (status == FM_OK) {
        status = read_tables(&reading, decimal, error);
    }
    fm_csv_end(&reading.csv);
    fm_vector_free(&reading.pending);
    if (status == FM_OK) {
        *file = made;
    } else {
        fm_input_file_free(made);
    }
    return status;
}

static fm_status_t read_database(const char *path, struct fm_input_file **file,
                                 struct fm_error *error)
{
    char *text;
    size_t length;
    fm_status_t status = fm_nsys_database_read(path, &text, &length, error);
    if (status == FM_OK) {
        status = fm_input_parse(text, length, path, FM_DECIMAL_POINT, file, error);
        free(text);
    }
    return status;
}

fm_status_t fm_input_read(const char *path, enum fm_decimal_mark decimal,
                          struct fm_input_file **file, struct fm_error *error)
{
    FILE *stream = fopen(path, "re");
    if (stream == NULL) {
        return fm_fail(error, FM_ERR_USAGE, "cannot read %.400s: %m", path);
    }
    FM_VECTOR(char) text = {0};
    size_t count = 1;
    while (count > 0 && text.count <= LARGEST) {
        fm_vector_reserve(&text, 1 << 16);
        count = fread(text.items + text.count, 1, 1 << 16, stream);
        text.count += count;
    }
    fm_status_t status = FM_OK;
    if (ferror(stream)) {
        status = fm_fail(error, FM_ERR_USAGE, "cannot read %.400s: %m", path);
    } else if (text.count > LARGEST) {
        status = fm_fail(error, FM_ERR_DATA, "%.400s: the file has more than 1 GiB", path);
    }
    fclose(stream);
    if (status == FM_OK && fm_is_database(text.items, text.count)) {
        status = read_database(path, file, error);
    } else if (status == FM_OK) {
        status = fm_input_parse(text.items, text.count, path, decimal, file, error);
    }
    fm_vector_free(&text);
    return status;
}

void fm_input_file_free(struct fm_input_file *file)
{
    if (file == NULL) {
        return;
    }
    for (size_t i = 0; i < file->sweep.count; i++) {
        fm_free(file->sweep.items[i].set);
        fm_free(file->sweep.items[i].problem);
    }
    for (size_t i = 0; i < file->warnings.count; i++) {
        fm_free(file->warnings.items[i]);
    }
    fm_kernel_table_free(&file->table);
    fm_vector_free(&file->ranks);
    fm_vector_free(&file->sweep);
    fm_vector_free(&file->map);
    fm_vector_free(&file->threads);
    fm_vector_free(&file->warnings);
    fm_free(file->path);
    fm_free(file->text);
    fm_free(file);
}
