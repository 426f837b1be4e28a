/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The tables of a run (access_tables.def) in memory, and their making.
 */
#ifndef FERMATA_ACCESS_TABLES_H
#define FERMATA_ACCESS_TABLES_H

#include "analysis/detail.h"
#include "cube/model/cube.h"

#include <fermata/trace.h>

#include <stddef.h>
#include <stdint.h>

/** FM_TABLE_OF_<table> */
enum fm_access_table {
#define FM_ACCESS_TABLE(table, description) FM_TABLE_OF_##table,
#define FM_ACCESS_COLUMN(table, column, type, refers_to, description)
#include "access/access_tables.def"
#undef FM_ACCESS_TABLE
#undef FM_ACCESS_COLUMN
    FM_ACCESS_TABLES
};

/** FM_COLUMN_<table>_<column> */
enum fm_access_column {
#define FM_ACCESS_TABLE(table, description)
#define FM_ACCESS_COLUMN(table, column, type, refers_to, description) FM_COLUMN_##table##_##column,
#include "access/access_tables.def"
#undef FM_ACCESS_TABLE
#undef FM_ACCESS_COLUMN
    FM_ACCESS_COLUMNS
};

/** The sends to a process, in the order in which they began (queues.c). */
struct fm_access_queue {
    int64_t *sends; /**< rows of `sends` */
    size_t count;
    int64_t
        *received_at; /**< segment tree of the latest ends of receives (INT64_MAX: never):
                           node i has the children 2i and 2i + 1, the leaves begin at `leaves` */
    size_t leaves;    /**< a power of two, at least `count` */
};

/** The public part of a run: fermata_trace_t. */
struct fermata_trace {
    double ticks_per_second;
    char **warnings;
    size_t warning_count;
    size_t rows[FM_ACCESS_TABLES];
    fermata_column_t columns[FM_ACCESS_COLUMNS];
    void *data[FM_ACCESS_COLUMNS];  /**< of the columns, writable */
    FM_VECTOR(char *) texts;        /**< that columns point to */
    size_t *first_function;         /**< [location + 1]: its rows of `functions` */
    size_t *first_call;             /**< [location + 1]: its rows of `calls` */
    uint32_t *process_of;           /**< [location] */
    struct fm_access_queue *queues; /**< [process] */
    size_t queue_count;
};

/** What the tables are made from, and where the rows of each location begin. */
struct fm_access_source {
    struct fermata_trace *tables;
    const struct fm_detail *detail;
    const struct fm_trace *trace;
    const struct fm_cube *cube;
    uint64_t begin;      /**< of the run */
    int64_t *first_call; /**< [location] */
    int64_t *first_wait; /**< [location] */
};

/** What is known of a table without a run. */
struct fm_access_table_info {
    const char *name, *description;
};

extern const struct fm_access_table_info fm_access_tables_known[FM_ACCESS_TABLES];

/** @return the first column of a table; of FM_ACCESS_TABLES: the end of all. */
size_t fm_access_first_column(size_t table);

/** Names and types of all columns, which have no rows yet. */
void fm_access_begin(struct fermata_trace *tables);

/** Makes room for all rows of a table, once. Elements that refer to rows are -1, others 0. */
void fm_access_size(struct fermata_trace *tables, enum fm_access_table table, size_t rows);

/** Leaves out rows at the end of a table. */
void fm_access_shorten(struct fermata_trace *tables, enum fm_access_table table, size_t rows);

/** @return the elements of a column of this type, writable. */
int32_t *fm_access_int32(struct fermata_trace *tables, enum fm_access_column column);
int64_t *fm_access_int64(struct fermata_trace *tables, enum fm_access_column column);
double *fm_access_float64(struct fermata_trace *tables, enum fm_access_column column);
const char **fm_access_text(struct fermata_trace *tables, enum fm_access_column column);

/** @return a copy of a text that lives as long as the tables; NULL of NULL. */
const char *fm_access_keep(struct fermata_trace *tables, const char *text);

/** @return the row of a call; -1 of FM_NONE and FM_UNRECORDED. */
int64_t fm_access_call(const struct fm_access_source *source, uint32_t location, uint32_t activity);

/** @return the row of a number; -1 of FM_NONE. */
static inline int32_t fm_access_row(uint32_t number)
{
    return number == FM_NONE ? -1 : (int32_t)number;
}

/** @return ticks since the begin of the run. */
static inline int64_t fm_access_ticks(const struct fm_access_source *source, uint64_t time)
{
    return (int64_t)(time - source->begin);
}

/** The tables, in this order: each needs those before. */
void fm_access_definitions(struct fm_access_source *source);
void fm_access_calls(struct fm_access_source *source);
void fm_access_functions(struct fm_access_source *source);
void fm_access_communication(struct fm_access_source *source);
void fm_access_sends(struct fm_access_source *source);
void fm_access_holds(struct fm_access_source *source);
void fm_access_waits(struct fm_access_source *source);
void fm_access_results(struct fm_access_source *source);

/** fermata_trace_stack() and fermata_trace_queue(). */
size_t fm_access_stack(const struct fermata_trace *trace, size_t location, int64_t time,
                       fermata_frame_t *frames, size_t room);
size_t fm_access_queue(const struct fermata_trace *trace, size_t location, int64_t time,
                       int64_t *rows, size_t room);

/** Frees the queues of the sends. */
void fm_access_free_queues(struct fermata_trace *tables);

#endif
