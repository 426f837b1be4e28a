/* SPDX-License-Identifier: BSD-3-Clause */
#include "export/csv/csv_derived.h"

#include "base/text.h"
#include "cube/derived/derived_values.h"
#include "cube/derived/parameter_table.h"
#include "cube/model/callpath_text.h"

#include <stdlib.h>

static fm_status_t finish(FILE *stream, struct fm_error *error)
{
    if (fflush(stream) != 0 || ferror(stream))
        return fm_fail(error, FM_ERR_SYSTEM, "cannot write the report as CSV: %m");
    return FM_OK;
}

static void put_number(FILE *stream, double value)
{
    char number[FM_TEXT_NUMBER];
    fprintf(stream, ",%s", fm_text_shortest(number, value));
}

static void put_callpath(FILE *stream, const struct fm_cube *cube, uint32_t callpath)
{
    char *path = fm_cube_callpath_text(cube, callpath, "/");
    fprintf(stream, ",%u,", callpath);
    fm_text_write_csv(stream, path == NULL ? "" : path);
    fputs(",,,", stream);
    free(path);
}

static void put_values(FILE *stream, const struct fm_cube *cube,
                       const struct fm_expression *expression,
                       const struct fm_derived_values *values)
{
    fprintf(stream, "%s,,,,,", expression->name);
    put_number(stream, values->total);
    fputs("\r\n", stream);
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        if (values->callpaths[i] == 0)
            continue;
        fputs(expression->name, stream);
        put_callpath(stream, cube, i);
        put_number(stream, values->callpaths[i]);
        fputs("\r\n", stream);
    }
    for (uint32_t i = 0; i < cube->location_count; i++) {
        if (values->locations[i] == 0)
            continue;
        fprintf(stream, "%s,,,%u,%u,%u", expression->name, i, cube->locations[i].rank,
                cube->locations[i].thread);
        put_number(stream, values->locations[i]);
        fputs("\r\n", stream);
    }
}

fm_status_t fm_export_derived_csv(const struct fm_cube *cube, const struct fm_selection *selection,
                                  const struct fm_expression *const *definitions, unsigned count,
                                  FILE *stream, struct fm_error *error)
{
    fputs("metric,callpath_id,callpath,location,rank,thread,value\r\n", stream);
    for (unsigned i = 0; i < count; i++) {
        struct fm_derived_values values;
        fm_status_t status =
            fm_derived_values_make(cube, selection, definitions[i], &values, error);
        if (status != FM_OK)
            return status;
        put_values(stream, cube, definitions[i], &values);
        fm_derived_values_free(&values);
    }
    return finish(stream, error);
}

fm_status_t fm_export_parameters_csv(const struct fm_cube *cube,
                                     const struct fm_selection *selection, const char *parameter,
                                     const struct fm_expression *const *definitions, unsigned count,
                                     FILE *stream, struct fm_error *error)
{
    struct fm_parameter_table table;
    fm_status_t status =
        fm_parameter_table_make(cube, selection, parameter, definitions, count, &table, error);
    if (status != FM_OK)
        return status;
    fputs("value,time,waiting", stream);
    for (unsigned i = 0; i < count; i++)
        fprintf(stream, ",%s", definitions[i]->name);
    fputs("\r\n", stream);
    double ticks = (double)cube->experiment.ticks_per_second;
    for (uint32_t row = 0; row < table.rows; row++) {
        fm_text_write_csv(stream, fm_parameter_table_value(&table, row));
        put_number(stream, (double)table.time[row] / ticks);
        put_number(stream, (double)table.waiting[row] / ticks);
        for (unsigned i = 0; i < count; i++)
            put_number(stream, table.derived[(size_t)row * count + i]);
        fputs("\r\n", stream);
    }
    fm_parameter_table_free(&table);
    return finish(stream, error);
}
