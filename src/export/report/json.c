/* The report as JSON (docs/report-json.md). */
#include "export/export.h"
#include "export/report/report_writers.h"

static fm_status_t write_json(const struct fm_export_request *request, FILE *stream,
                              struct fm_error *error)
{
    struct fm_selection all = fm_selection_all();
    struct fm_view view;
    fm_status_t status = fm_view_prepare(&view, request->cube, &all, error);
    if (status == FM_OK) {
        status = fm_export_json(&view, stream, error);
        fm_view_release(&view);
    }
    return status;
}

const struct fm_export_format fm_export_json_report = {
    .name = "json",
    .file = "report.json",
    .summary = "the report as `fermata report --format=json` prints it",
    .write = write_json,
};
