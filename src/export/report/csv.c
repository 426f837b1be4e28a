/* All severities as a table. */
#include "export/export.h"
#include "export/report/report_writers.h"

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
