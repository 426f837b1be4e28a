/* SPDX-License-Identifier: BSD-3-Clause */
#include "access/access_tables.h"

#include "base/memory.h"

#include <string.h>

static const enum fm_access_table table_of[FM_ACCESS_COLUMNS] = {
#define FM_ACCESS_TABLE(table, description)
#define FM_ACCESS_COLUMN(table, column, type, refers_to, description) FM_TABLE_OF_##table,
#include "access/access_tables.def"
#undef FM_ACCESS_TABLE
#undef FM_ACCESS_COLUMN
};

const struct fm_access_table_info fm_access_tables_known[FM_ACCESS_TABLES] = {
#define FM_ACCESS_TABLE(table, description) {#table, description},
#define FM_ACCESS_COLUMN(table, column, type, refers_to, description)
#include "access/access_tables.def"
#undef FM_ACCESS_TABLE
#undef FM_ACCESS_COLUMN
};

static const fermata_column_t columns[FM_ACCESS_COLUMNS] = {
#define FM_ACCESS_TABLE(table, description)
#define FM_ACCESS_COLUMN(table, column, type, refers_to, description)                              \
    {#column, description, refers_to, FERMATA_##type, NULL},
#include "access/access_tables.def"
#undef FM_ACCESS_TABLE
#undef FM_ACCESS_COLUMN
};

static size_t size_of(int type)
{
    return type == FERMATA_INT32 ? sizeof(int32_t) : sizeof(int64_t);
}

size_t fm_access_first_column(size_t table)
{
    size_t first = 0;
    while (first < FM_ACCESS_COLUMNS && (size_t)table_of[first] < table) {
        first++;
    }
    return first;
}

void fm_access_begin(struct fermata_trace *tables)
{
    for (int i = 0; i < FM_ACCESS_COLUMNS; i++) {
        fermata_column_t *column = &tables->columns[i];
        *column = columns[i];
        column->refers_to = *column->refers_to == '\0' ? NULL : column->refers_to;
    }
}

void fm_access_size(struct fermata_trace *tables, enum fm_access_table table, size_t rows)
{
    tables->rows[table] = rows;
    for (int i = 0; rows > 0 && i < FM_ACCESS_COLUMNS; i++) {
        fermata_column_t *column = &tables->columns[i];
        if (table_of[i] == table) {
            tables->data[i] = fm_allocate(rows, size_of(column->type));
            if (column->refers_to != NULL) {
                memset(tables->data[i], -1, rows * size_of(column->type));
            }
            column->data = tables->data[i];
        }
    }
}

void fm_access_shorten(struct fermata_trace *tables, enum fm_access_table table, size_t rows)
{
    tables->rows[table] = rows;
}

int32_t *fm_access_int32(struct fermata_trace *tables, enum fm_access_column column)
{
    return tables->data[column];
}

int64_t *fm_access_int64(struct fermata_trace *tables, enum fm_access_column column)
{
    return tables->data[column];
}

double *fm_access_float64(struct fermata_trace *tables, enum fm_access_column column)
{
    return tables->data[column];
}

const char **fm_access_text(struct fermata_trace *tables, enum fm_access_column column)
{
    return tables->data[column];
}

const char *fm_access_keep(struct fermata_trace *tables, const char *text)
{
    char *copy = fm_copy_string(text);
    if (copy != NULL) {
        fm_vector_push(&tables->texts, copy);
    }
    return copy;
}

int64_t fm_access_call(const struct fm_access_source *source, uint32_t location, uint32_t activity)
{
    return location >= source->trace->location_count ||
                   activity >= source->trace->locations[location].enter.count
               ? -1
               : source->first_call[location] + activity;
}
