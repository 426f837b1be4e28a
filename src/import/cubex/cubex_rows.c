/* SPDX-License-Identifier: BSD-3-Clause */
#include "import/cubex/cubex_rows.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

static const char index_magic[] = "CUBEX.INDEX", data_magic[] = "CUBEX.DATA",
                  packed_magic[] = "ZCUBEX.DATA";

enum { INDEX_HEAD = 18, SPARSE = 1, DENSE = 3, PIECE_BYTES = 24 };

static const struct {
    const char *name;
    enum fm_cubex_value value;
    uint32_t bytes;
    bool is_signed;
} types[] = {
    {"DOUBLE", FM_CUBEX_REAL, 8, true},           {"FLOAT", FM_CUBEX_REAL, 8, true},
    {"INTEGER", FM_CUBEX_INTEGER, 8, true},       {"INT64", FM_CUBEX_INTEGER, 8, true},
    {"UINT64", FM_CUBEX_INTEGER, 8, false},       {"INT32", FM_CUBEX_INTEGER, 4, true},
    {"INT", FM_CUBEX_INTEGER, 4, true},           {"UINT32", FM_CUBEX_INTEGER, 4, false},
    {"UNSIGNED INT", FM_CUBEX_INTEGER, 4, false}, {"INT16", FM_CUBEX_INTEGER, 2, true},
    {"UINT16", FM_CUBEX_INTEGER, 2, false},       {"INT8", FM_CUBEX_INTEGER, 1, true},
    {"UINT8", FM_CUBEX_INTEGER, 1, false},
};

static size_t find_type(const char *data_type)
{
    size_t i = 0;
    while (i < sizeof types / sizeof *types && strcmp(types[i].name, data_type) != 0) {
        i++;
    }
    return i;
}

enum fm_cubex_value fm_cubex_value_of(const char *data_type)
{
    const size_t type = find_type(data_type);
    return type < sizeof types / sizeof *types ? types[type].value : FM_CUBEX_OTHER_VALUE;
}

/* @return an unsigned number of 1 to 8 bytes */
static uint64_t number_at(const unsigned char *bytes, uint32_t size, bool is_swapped)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < size; i++) {
        /* The first byte is the lowest one, if the order is that of x86-64 and 64-bit Arm. */
        value |= (uint64_t)bytes[is_swapped ? size - 1 - i : i] << (8 * i);
    }
    return value;
}

static fm_status_t read_index(const struct fm_cubex_member *index, uint32_t metric,
                              uint32_t row_count, struct fm_cubex_rows *rows,
                              struct fm_error *error)
{
    if (index->size < INDEX_HEAD ||
        memcmp(index->bytes, index_magic, sizeof index_magic - 1) != 0) {
        return fm_fail(error, FM_ERR_DATA, "%u.index is damaged", metric);
    }
    const uint64_t order = number_at(index->bytes + 11, 4, false);
    const unsigned char kind = index->bytes[17];
    if ((order != 1 && order != 0x01000000) || (kind != SPARSE && kind != DENSE)) {
        return fm_fail(error, FM_ERR_DATA, "%u.index has a form that is not known", metric);
    }
    rows->is_swapped = order != 1;
    rows->count = row_count;
    if (kind == SPARSE) {
        const uint64_t count = index->size >= INDEX_HEAD + 4
                                   ? number_at(index->bytes + 18, 4, rows->is_swapped)
                                   : UINT64_MAX;
        if (count > row_count || index->size - INDEX_HEAD - 4 < 4 * count) {
            return fm_fail(error, FM_ERR_DATA, "%u.index is damaged", metric);
        }
        rows->count = (uint32_t)count;
        rows->index = index->bytes + INDEX_HEAD + 4;
    }
    for (uint32_t i = 0; i < rows->count; i++) {
        const uint32_t number = fm_cubex_rows_number(rows, i);
        if (number >= row_count || (i != 0 && number <= fm_cubex_rows_number(rows, i - 1))) {
            return fm_fail(error, FM_ERR_DATA, "%u.index is damaged", metric);
        }
    }
    return FM_OK;
}

static fm_status_t read_data(const struct fm_cubex_member *data, uint32_t metric,
                             struct fm_cubex_rows *rows, struct fm_error *error)
{
    const size_t plain = sizeof data_magic - 1, packed = sizeof packed_magic - 1;
    const size_t row = (size_t)rows->width * rows->bytes;
    if (data->size >= packed + 8 && memcmp(data->bytes, packed_magic, packed) == 0) {
        const uint64_t count = number_at(data->bytes + packed, 8, rows->is_swapped);
        const size_t rest = data->size - packed - 8;
        if (count != rows->count || rest / PIECE_BYTES < count) {
            return fm_fail(error, FM_ERR_DATA, "%u.data is damaged", metric);
        }
        rows->pieces = data->bytes + packed + 8;
        rows->data = rows->pieces + PIECE_BYTES * count;
        rows->data_size = rest - PIECE_BYTES * count;
        rows->row = fm_allocate(row + 1, 1);
        return FM_OK;
    }
    if (data->size < plain || memcmp(data->bytes, data_magic, plain) != 0 ||
        (row != 0 && (data->size - plain) / row < rows->count)) {
        return fm_fail(error, FM_ERR_DATA, "%u.data is damaged", metric);
    }
    rows->data = data->bytes + plain;
    rows->data_size = data->size - plain;
    return FM_OK;
}

fm_status_t fm_cubex_rows_open(const struct fm_cubex_archive *archive, uint32_t metric,
                               const char *data_type, uint32_t row_count, uint32_t width,
                               struct fm_cubex_rows *rows, struct fm_error *error)
{
    char name[32];
    const size_t type = find_type(data_type);
    *rows = (struct fm_cubex_rows){.width = width,
                                   .bytes = types[type].bytes,
                                   .value = types[type].value,
                                   .is_signed = types[type].is_signed};
    snprintf(name, sizeof name, "%u.index", metric);
    const struct fm_cubex_member *index = fm_cubex_archive_find(archive, name);
    snprintf(name, sizeof name, "%u.data", metric);
    const struct fm_cubex_member *data = fm_cubex_archive_find(archive, name);
    if (index == NULL || data == NULL) {
        return index == data
                   ? FM_OK
                   : fm_fail(error, FM_ERR_DATA, "%u.index or %u.data is missing", metric, metric);
    }
    fm_status_t status = read_index(index, metric, row_count, rows, error);
    return status == FM_OK ? read_data(data, metric, rows, error) : status;
}

uint32_t fm_cubex_rows_number(const struct fm_cubex_rows *rows, uint32_t i)
{
    return rows->index == NULL
               ? i
               : (uint32_t)number_at(rows->index + 4 * (size_t)i, 4, rows->is_swapped);
}

/* @return where the bytes of a row are; NULL: it is damaged */
static const unsigned char *bytes_of(struct fm_cubex_rows *rows, uint32_t i)
{
    const size_t size = (size_t)rows->width * rows->bytes;
    if (rows->pieces == NULL) {
        return rows->data + i * size;
    }
    const unsigned char *piece = rows->pieces + PIECE_BYTES * (size_t)i;
    for (uint32_t p = 0; number_at(piece, 8, rows->is_swapped) != i * size; p++) {
        if (p == rows->count) {
            return NULL;
        }
        piece = rows->pieces + PIECE_BYTES * (size_t)p; /* rows lie in any order */
    }
    const uint64_t at = number_at(piece + 8, 8, rows->is_swapped),
                   packed = number_at(piece + 16, 8, rows->is_swapped);
    uLongf done = size;
    const bool good = at <= rows->data_size && packed <= rows->data_size - at &&
                      uncompress(rows->row, &done, rows->data + at, packed) == Z_OK && done == size;
    return good ? rows->row : NULL;
}

fm_status_t fm_cubex_rows_read(struct fm_cubex_rows *rows, uint32_t i, double *values,
                               struct fm_error *error)
{
    const unsigned char *bytes = bytes_of(rows, i);
    if (bytes == NULL) {
        return fm_fail(error, FM_ERR_DATA, "compressed values are damaged");
    }
    for (uint32_t v = 0; v < rows->width; v++) {
        const uint64_t bits =
            number_at(bytes + (size_t)v * rows->bytes, rows->bytes, rows->is_swapped);
        if (rows->value == FM_CUBEX_REAL) {
            memcpy(&values[v], &bits, sizeof values[v]);
        } else if (rows->is_signed) {
            const unsigned unused = 64 - 8 * rows->bytes;
            values[v] = (double)((int64_t)(bits << unused) >> unused);
        } else {
            values[v] = (double)bits;
        }
    }
    return FM_OK;
}

void fm_cubex_rows_close(struct fm_cubex_rows *rows)
{
    fm_free(rows->row);
    rows->row = NULL;
}
