/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints docs/trace-tables.md. */
#include "access/access_tables.h"

#include <stdio.h>

static void print_column(const fermata_column_t *column)
{
    static const char *const types[] = {
        [FERMATA_INT32] = "int32",
        [FERMATA_INT64] = "int64",
        [FERMATA_FLOAT64] = "float64",
        [FERMATA_TEXT] = "text",
    };
    printf("| `%s` | %s | ", column->name, types[column->type]);
    if (column->refers_to != NULL) {
        printf("row of `%s`. ", column->refers_to);
    }
    printf("%s |\n", column->description);
}

int main(void)
{
    struct fermata_trace tables = {0};
    fm_access_begin(&tables);
    puts("# The tables of a run\n"
         "\n"
         "Made from `src/access/access_tables.def` by `scripts/update-docs`. "
         "[trace-as-data.md](trace-as-data.md) says how they\n"
         "are read. Ticks are those since the begin of the run; a row that there is not is -1.");
    for (size_t t = 0; t < FM_ACCESS_TABLES; t++) {
        printf("\n## %s\n\n%s\n\n| column | type | |\n|---|---|---|\n",
               fm_access_tables_known[t].name, fm_access_tables_known[t].description);
        for (size_t c = fm_access_first_column(t); c < fm_access_first_column(t + 1); c++) {
            print_column(&tables.columns[c]);
        }
    }
    return 0;
}
