/* SPDX-License-Identifier: BSD-3-Clause */
/* All severities as a table. */
#include "export/csv/csv_report.h"

#include "base/text.h"
#include "cube/model/callpath_text.h"
#include "export/export.h"

#include <stdlib.h>

static void put_value(FILE *stream, const struct fm_cube *cube, const struct fm_cube_cell *cell)
{
    fm_metric_t metric = (fm_metric_t)cell->metric;
    char number[FM_TEXT_NUMBER];
    if (fm_unit_is_time(fm_metric_info(metric)->unit))
        fputs(fm_text_shortest(number, fm_cube_scaled(cube, metric, cell->value)), stream);
    else
        fprintf(stream, "%lld", (long long)cell->value);
}

fm_status_t fm_export_csv(const struct fm_view *view, FILE *stream, struct fm_error *error)
{
    const struct fm_cube *cube = view->cube;
    fputs("metric,unit,callpath_id,callpath,location,rank,thread,node,value\r\n", stream);
    uint32_t path_of = FM_CUBE_NONE;
    char *path = NULL;
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        if (!fm_view_contains(view, cell))
            continue;
        if (cell->callpath != path_of) { /* the cells of a call path are consecutive */
            free(path);
            path = fm_cube_callpath_text(cube, cell->callpath, "/");
            if (path == NULL)
                return fm_fail(error, FM_ERR_SYSTEM, "out of memory for a call path");
            path_of = cell->callpath;
        }
        const struct fm_metric_info *info = fm_metric_info((fm_metric_t)cell->metric);
        const struct fm_cube_location *location = &cube->locations[cell->location];
        fprintf(stream, "%s,%s,%u,", info->id, fm_unit_name(info->unit), cell->callpath);
        fm_text_write_csv(stream, path);
        fprintf(stream, ",%u,%u,%u,", cell->location, location->rank, location->thread);
        fm_text_write_csv(stream, location->node);
        putc(',', stream);
        put_value(stream, cube, cell);
        fputs("\r\n", stream);
    }
    free(path);
    if (fflush(stream) != 0 || ferror(stream))
        return fm_fail(error, FM_ERR_SYSTEM, "cannot write the report as CSV: %m");
    return FM_OK;
}

static fm_status_t write_csv(const struct fm_export_request *request, FILE *stream,
                             struct fm_error *error)
{
    struct fm_selection all = fm_selection_all();
    struct fm_view view;
    fm_status_t status = fm_view_prepare(&view, request->cube, &all, error);
    if (status == FM_OK) {
        status = fm_export_csv(&view, stream, error);
        fm_view_release(&view);
    }
    return status;
}

const struct fm_export_format fm_export_csv_table = {
    .name = "csv",
    .file = "report.csv",
    .summary = "all severities, a line for each metric, call path and location",
    .write = write_csv,
};
