/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Filters of functions: which of those that the compiler has instrumented are recorded. The format
 * is that of Score-P's filter files (docs/instrumentation.md).
 */
#ifndef FERMATA_FILTER_FILTER_H
#define FERMATA_FILTER_FILTER_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** Rules in the order of the file. */
struct fm_filter;

/** Reads a filter from a text, which may hold any bytes.
 * @param name  of the file, for messages
 * @param filter  out: to be freed with fm_filter_free(); set only on success
 * @return FM_ERR_DATA: what is wrong, with its line; FM_ERR_SYSTEM: no memory */
fm_status_t fm_filter_parse(const char *text, size_t length, const char *name,
                            struct fm_filter **filter, struct fm_error *error);

/** Reads a file, of 16 MiB at most. @return as fm_filter_parse(), FM_ERR_USAGE: it cannot be read
 */
fm_status_t fm_filter_read(const char *path, struct fm_filter **filter, struct fm_error *error);

/** Whether a function is left out: the last rule that matches its file says so, or the last one
 * that matches its name. Thread-safe.
 * @param name    source-level name (symbols/symbol_name.h)
 * @param symbol  the compiler's name; NULL: unknown
 * @param file    where it is defined; NULL: unknown */
bool fm_filter_excludes(const struct fm_filter *filter, const char *name, const char *symbol,
                        const char *file);

/** Whether there are rules for files. */
bool fm_filter_has_files(const struct fm_filter *filter);

/** Writes a name so that it matches itself as a pattern; characters that lines cannot have become
 * `?`. */
void fm_filter_write_name(FILE *file, const char *name);

/** NULL is allowed. */
void fm_filter_free(struct fm_filter *filter);

#endif
