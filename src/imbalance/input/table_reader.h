/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Reading the tables of a file: each kind of table has a reader.
 */
#ifndef FERMATA_IMBALANCE_INPUT_TABLE_READER_H
#define FERMATA_IMBALANCE_INPUT_TABLE_READER_H

#include "imbalance/input/csv_reader.h"
#include "imbalance/input/input_file.h"

#define FM_NO_COLUMN SIZE_MAX

/** Launches are counted by 64-bit numbers; sums of them must stay exact in a double. */
#define FM_MOST_LAUNCHES (UINT64_C(1) << 40)

/** Most columns whose values are metrics. */
#define FM_MOST_METRIC_COLUMNS 64

/** A value whose notation is not known before all of the file is read. */
struct fm_pending_value {
    size_t kernel; /**< index */
    const struct fm_gpu_metric_name *name;
    const char *text, *unit; /**< "": no unit */
    unsigned long line;
};

/** A column with the values of a metric. */
struct fm_metric_column {
    size_t column;
    const struct fm_gpu_metric_name *name;
    const char *unit; /**< "": none */
};

struct fm_table_kind;

/** A file while it is read. */
struct fm_reading {
    struct fm_csv csv;
    struct fm_input_file *file;
    const struct fm_table_kind *kind; /**< of the table that the next row belongs to; NULL: none */
    size_t columns;                   /**< of that table */
    bool at_first_row;                /**< the row is the first one below the header */
    uint64_t process;                 /**< of the last note "==PROCESS== ..." */
    unsigned table;                   /**< number of the table in the file */
    FM_VECTOR(struct fm_pending_value) pending;
    /* The columns of the table, by its reader. */
    size_t name, device, host, pid, id, unit, value, metric, launches, time, type;
    struct fm_metric_column metrics[FM_MOST_METRIC_COLUMNS];
    size_t metric_count;
    size_t own[FM_SWEEP_COLUMN_COUNT + FM_GPU_METRIC_COUNT]; /**< of own tables */
};

/** A kind of table. */
struct fm_table_kind {
    const char *what; /**< "a profile of nvprof", for messages */
    /** @return whether a row is the header of such a table; notes the columns then */
    bool (*begin)(struct fm_reading *reading, const struct fm_csv_row *header);
    /** Takes a row below the header, which has at most as many cells. */
    fm_status_t (*row)(struct fm_reading *reading, const struct fm_csv_row *row,
                       struct fm_error *error);
};

extern const struct fm_table_kind fm_nsys_summary, fm_nsys_trace, fm_nsys_others, fm_nvprof_metrics,
    fm_nvprof_events, fm_nvprof_activities, fm_nvprof_trace, fm_nsight_rows, fm_nsight_columns,
    fm_own_kernels, fm_own_ranks, fm_own_sweep, fm_own_map, fm_own_threads;

/** @return the column with this name, upper and lower case being equal; FM_NO_COLUMN: none. */
size_t fm_find_column(const struct fm_csv_row *header, const char *name);

/** @return a cell; "": the table has no such column, or the row ends before it. */
const char *fm_cell(const struct fm_csv_row *row, size_t column);

/** Refuses a file: "FILE:LINE: REASON". @return FM_ERR_DATA */
fm_status_t fm_reading_fail(const struct fm_reading *reading, unsigned long line,
                            struct fm_error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/** The `row` of tables that are not used. @return FM_OK */
fm_status_t fm_skip_row(struct fm_reading *reading, const struct fm_csv_row *row,
                        struct fm_error *error);

/** Adds a warning about a line. */
void fm_reading_warn(struct fm_reading *reading, unsigned long line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Notes the columns whose names are those of metrics. @return whether there are some */
bool fm_find_metric_columns(struct fm_reading *reading, const struct fm_csv_row *header);

/** Notes the value of a metric. The strings must lie in the text of the file. */
void fm_note_value(struct fm_reading *reading, size_t kernel, const struct fm_gpu_metric_name *name,
                   const char *text, const char *unit, unsigned long line);

/** Reads a whole number of own tables and of columns that count.
 * @param what  "rank", for the message */
fm_status_t fm_read_count(const struct fm_reading *reading, const struct fm_csv_row *row,
                          size_t column, const char *what, uint64_t most, uint64_t *number,
                          struct fm_error *error);

/** Converts what fm_note_value() has noted, once the notation of the file's numbers is known. */
fm_status_t fm_convert_values(struct fm_reading *reading, enum fm_decimal_mark decimal,
                              struct fm_error *error);

#endif
