/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Rows of CSV files as profilers write them: RFC 4180 with one of several delimiters, between lines
 * of other text. The reader works inside of the text: cells are unescaped in place.
 */
#ifndef FERMATA_IMBALANCE_INPUT_CSV_READER_H
#define FERMATA_IMBALANCE_INPUT_CSV_READER_H

#include "base/containers/vector.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/** A file that is being read. */
struct fm_csv {
    const char *name;   /**< of the file, for messages */
    char *next, *end;   /**< the part that is not read yet; *end is 0 */
    unsigned long line; /**< number of the line at `next`, from 1 */
    char delimiter;     /**< of the cells: ',', ';' or a tab */
    FM_VECTOR(char *) cells;
};

/** A row, valid until the next one is read; its cells are valid as long as the text. */
struct fm_csv_row {
    unsigned long line;
    char *const *cells; /**< without quotes and blanks around them */
    size_t count;       /**< 0: the file has ended */
};

/** Begins to read a text.
 * @param text    `length` bytes and a 0 behind them; will be modified; must outlive the cells
 * @param name    for messages; must outlive the reader
 * @return FM_ERR_DATA: it is no text (a 0 in it, UTF-16) */
fm_status_t fm_csv_begin(struct fm_csv *csv, char *text, size_t length, const char *name,
                         struct fm_error *error);

/** Whether the next line is other text: it begins with "==", as the notes of profilers do. */
bool fm_csv_is_note(const struct fm_csv *csv);

/** @return the next line without its end, and goes behind it; NULL: the file has ended. */
char *fm_csv_line(struct fm_csv *csv);

/** @return how many cells the next line would have with this delimiter. */
size_t fm_csv_count(const struct fm_csv *csv, char delimiter);

/** Reads the next row; empty lines are skipped. A quoted cell may extend over several lines.
 * @return FM_ERR_DATA: quotes are not closed, or text follows behind closed quotes */
fm_status_t fm_csv_next(struct fm_csv *csv, struct fm_csv_row *row, struct fm_error *error);

/** Frees what the reader owns, not the text. */
void fm_csv_end(struct fm_csv *csv);

#endif
