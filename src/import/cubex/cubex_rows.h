/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The values of a metric in a Cube 4 file: an index of rows and the rows, each with one value for
 * each location.
 */
#ifndef FERMATA_IMPORT_CUBEX_CUBEX_ROWS_H
#define FERMATA_IMPORT_CUBEX_CUBEX_ROWS_H

#include "import/cubex/cubex_archive.h"

#include <stdbool.h>
#include <stdint.h>

/** Types of values. */
enum fm_cubex_value {
    FM_CUBEX_OTHER_VALUE, /**< extremes, distributions, ...: they do not add up */
    FM_CUBEX_REAL,
    FM_CUBEX_INTEGER
};

/** The rows of a metric. */
struct fm_cubex_rows {
    const unsigned char *index; /**< numbers of the rows, ascending; NULL: all rows are there */
    const unsigned char *data;  /**< rows, or compressed rows */
    size_t data_size;
    const unsigned char *pieces; /**< where each row lies; NULL: not compressed */
    uint32_t count;              /**< rows that are there */
    uint32_t width;              /**< values of a row */
    uint32_t bytes;              /**< of a value */
    enum fm_cubex_value value;
    bool is_signed;
    bool is_swapped;    /**< the byte order is not the own one */
    unsigned char *row; /**< decompressed */
};

/** @return what the values of a type, by its name in the anchor, are. */
enum fm_cubex_value fm_cubex_value_of(const char *data_type);

/** Opens the rows of a metric; without members it has none, and all of its values are 0.
 * @param data_type  of the anchor; REAL or INTEGER
 * @param row_count  call paths
 * @param width      locations
 * @return to be closed with fm_cubex_rows_close() after FM_OK */
fm_status_t fm_cubex_rows_open(const struct fm_cubex_archive *archive, uint32_t metric,
                               const char *data_type, uint32_t row_count, uint32_t width,
                               struct fm_cubex_rows *rows, struct fm_error *error);

/** @return the number of the i-th row that is there. */
uint32_t fm_cubex_rows_number(const struct fm_cubex_rows *rows, uint32_t i);

/** Reads the i-th row that is there.
 * @param values  [width]: real ones; integers are exact up to 2^53 */
fm_status_t fm_cubex_rows_read(struct fm_cubex_rows *rows, uint32_t i, double *values,
                               struct fm_error *error);

void fm_cubex_rows_close(struct fm_cubex_rows *rows);

#endif
