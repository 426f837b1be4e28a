/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fermata/trace.h - a recorded and analysed run as tables of columns.
 *
 * Part of fermata, under the BSD-3-Clause license (see LICENSE). Link with -lfermata-trace.
 *
 * fermata_trace_open() reads an archive, analyses it as `fermata analyze` does, and keeps the run
 * as tables: calls, messages, collective operations, locks, wait states, blame, the report. A
 * column is an array with one element for each row of its table; an element that refers to a row
 * of a table is its number, -1 for none. docs/trace-as-data.md has all tables.
 *
 *     fermata_trace_t *trace = fermata_trace_open("exp", 0, why, sizeof why);
 *     const int64_t *enter = fermata_trace_int64(trace, "calls", "enter");
 *     size_t count = fermata_trace_rows(trace, fermata_trace_find_table(trace, "calls"));
 *     for (size_t i = 0; i < count; i++) { use(enter[i]); }
 *     fermata_trace_close(trace);
 *
 * Times are whole ticks since the begin of the run. The numbers do not depend on the number of
 * threads. All memory belongs to the trace and is valid until fermata_trace_close(); nothing in it
 * changes, so that several threads may read one trace. Distinct archives may be opened by several
 * threads at the same time.
 *
 * Compatibility: programs that were linked with version 1 of the library work with each later
 * release of libfermata-trace.so.1. Later releases may add functions, tables and columns, and types
 * of columns in new columns only; they leave names, types and meanings as they are.
 *
 * Two failures are not returned: a lack of memory ends the process with a message, and so may an
 * archive that is damaged inside of its event files; `fermata check` finds such damage.
 */
#ifndef FERMATA_TRACE_H
#define FERMATA_TRACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define FERMATA_TRACE_API __attribute__((visibility("default")))
#else
#define FERMATA_TRACE_API
#endif

/** Grows with each release that adds something: 2 with the tables functions and sends,
 * fermata_trace_stack() and fermata_trace_queue(). */
#define FERMATA_TRACE_VERSION 2

/** Types of columns. */
enum {
    FERMATA_INT32 = 1,   /**< int32_t */
    FERMATA_INT64 = 2,   /**< int64_t */
    FERMATA_FLOAT64 = 3, /**< double */
    FERMATA_TEXT = 4     /**< const char *; NULL: not known */
};

/** A run. */
typedef struct fermata_trace fermata_trace_t;

/** A column. */
typedef struct fermata_column {
    const char *name;
    const char *description;
    const char *refers_to; /**< table whose row numbers the elements are; NULL: none */
    int type;              /**< FERMATA_INT32, ... */
    const void *data;      /**< one element for each row of the table; NULL: no rows */
} fermata_column_t;

/** @return FERMATA_TRACE_VERSION of the library */
FERMATA_TRACE_API int fermata_trace_version(void);

/** Reads and analyses an archive.
 * @param archive  experiment directory (with traces.otf2) or path of an anchor file
 * @param threads  0: one for each processor
 * @param why      receives the reason of a failure, if size > 0
 * @return to be closed with fermata_trace_close(); NULL: not possible */
FERMATA_TRACE_API fermata_trace_t *fermata_trace_open(const char *archive, unsigned threads,
                                                      char *why, size_t size);

/** The same with options of `fermata analyze`: "clock=clc" (linear, clc, none), "progress=async"
 * (target, async; as noted by the last analysis of the experiment if it is left out), separated by
 * commas. NULL: none. */
FERMATA_TRACE_API fermata_trace_t *fermata_trace_open_with(const char *archive, unsigned threads,
                                                           const char *options, char *why,
                                                           size_t size);

/** NULL is allowed. */
FERMATA_TRACE_API void fermata_trace_close(fermata_trace_t *trace);

/** Ticks in a second. */
FERMATA_TRACE_API double fermata_trace_ticks_per_second(const fermata_trace_t *trace);

/** Warnings of the analysis: what is missing in the archive or left out. */
FERMATA_TRACE_API size_t fermata_trace_warnings(const fermata_trace_t *trace);
FERMATA_TRACE_API const char *fermata_trace_warning(const fermata_trace_t *trace, size_t number);

/** Tables. */
FERMATA_TRACE_API size_t fermata_trace_tables(const fermata_trace_t *trace);
FERMATA_TRACE_API const char *fermata_trace_table_name(const fermata_trace_t *trace, size_t table);
FERMATA_TRACE_API const char *fermata_trace_table_description(const fermata_trace_t *trace,
                                                              size_t table);
FERMATA_TRACE_API size_t fermata_trace_rows(const fermata_trace_t *trace, size_t table);

/** @return the number of a table; fermata_trace_tables(): there is none with this name */
FERMATA_TRACE_API size_t fermata_trace_find_table(const fermata_trace_t *trace, const char *name);

/** Columns of a table. */
FERMATA_TRACE_API size_t fermata_trace_columns(const fermata_trace_t *trace, size_t table);
FERMATA_TRACE_API const fermata_column_t *fermata_trace_column(const fermata_trace_t *trace,
                                                               size_t table, size_t column);

/** @return the elements of a column of this type; NULL: there is none with these names and this
 *          type, or the table has no rows */
FERMATA_TRACE_API const int32_t *fermata_trace_int32(const fermata_trace_t *trace,
                                                     const char *table, const char *column);
FERMATA_TRACE_API const int64_t *fermata_trace_int64(const fermata_trace_t *trace,
                                                     const char *table, const char *column);
FERMATA_TRACE_API const double *fermata_trace_float64(const fermata_trace_t *trace,
                                                      const char *table, const char *column);
FERMATA_TRACE_API const char *const *fermata_trace_text(const fermata_trace_t *trace,
                                                        const char *table, const char *column);

/** A frame of a region stack. */
typedef struct fermata_frame {
    const char *table; /**< "functions" or "calls" */
    int64_t row;       /**< of this table */
} fermata_frame_t;

/** The region stack of a location: what it is in at a time, after everything that happens then. A
 * region that is entered at this tick is on the stack, one that is left at it is not.
 * @param location  row of `locations`
 * @param time      ticks
 * @param frames    receives the first `room` frames, from the outermost one on; may be NULL without
 *                  room
 * @return number of frames of the stack; 0: outside of all regions. O(depth + log rows) */
FERMATA_TRACE_API size_t fermata_trace_stack(const fermata_trace_t *trace, size_t location,
                                             int64_t time, fermata_frame_t *frames, size_t room);

/** The messages under way to the process of a location: those whose sending call began at this time
 * or before, and whose receiving call ends later or never.
 * @param location  row of `locations`
 * @param time      ticks
 * @param rows      receives the first `room` rows of `sends`, in the order in which the sends
 * began; may be NULL without room
 * @return number of these messages. O(log rows) for each */
FERMATA_TRACE_API size_t fermata_trace_queue(const fermata_trace_t *trace, size_t location,
                                             int64_t time, int64_t *rows, size_t room);

#ifdef __cplusplus
}
#endif

#endif
