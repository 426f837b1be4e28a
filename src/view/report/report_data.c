/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/report/report_data.h"

#include "base/memory.h"
#include "export/json/json_report.h"
#include "view/bundle.h"
#include "view/report/matrix_data.h"
#include "view/report/phase_data.h"
#include "view/report/severities.h"
#include "view/report/source_data.h"
#include "view/report/summary_data.h"
#include "view/report/topology_data.h"

/** Bytes reserved for a link of a matrix; a compressed link takes about a tenth. */
#define BYTES_OF_LINK 40U

static void put_metrics(struct fm_json *json)
{
    fm_json_array(json, "metrics");
    for (unsigned i = 0; i < fm_metric_end(); i++) {
        const struct fm_metric_info *info = fm_metric_info((fm_metric_t)i);
        fm_json_object(json, NULL);
        fm_json_string(json, "formula", info->formula);
        fm_json_string(json, "advice", info->advice);
        fm_json_bool(json, "wait_state", info->is_wait_state);
        fm_json_bool(json, "cost", info->unit == FM_UNIT_COST);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void add_critical_path(struct fm_bundle *bundle, const struct fm_cube *cube)
{
    uint64_t *location = fm_allocate(cube->segment_count, sizeof *location);
    uint64_t *edge = fm_allocate(cube->segment_count + (size_t)1, sizeof *edge);
    for (uint32_t i = 0; i < cube->segment_count; i++) {
        location[i] = cube->segments[i].location;
        edge[i] = cube->segments[i].begin;
        edge[i + 1] = cube->segments[i].end;
    }
    fm_bundle_add(bundle, "path_location", location, cube->segment_count, false);
    fm_bundle_add(bundle, "path_edge", edge,
                  cube->segment_count == 0 ? 0 : cube->segment_count + (size_t)1, true);
    fm_free(location);
    fm_free(edge);
}

static fm_status_t make(const struct fm_cube *cube, const struct fm_page_extras *extras,
                        unsigned bits, size_t links, unsigned char **bytes, size_t *size,
                        struct fm_error *error)
{
    struct fm_selection all = fm_selection_all();
    struct fm_view view;
    fm_status_t status = fm_view_prepare(&view, cube, &all, error);
    if (status != FM_OK)
        return status;
    struct fm_bundle *bundle = fm_bundle_create();
    struct fm_json *json = fm_bundle_json(bundle);
    fm_json_unsigned(json, "version", 1);
    fm_json_string(json, "name", extras->name);
    fm_json_string(json, "generator", "fermata " FERMATA_VERSION);
    fm_json_unsigned(json, "cost_shift", cube->experiment.cost_shift);
    if (bits == FM_SEVERITIES_EXACT) {
        fm_json_null(json, "precision");
    } else {
        fm_json_unsigned(json, "precision", bits);
    }
    fm_source_data_put(cube, extras->sources, json);
    fm_json_raw(json, "environment", extras->environment == NULL ? "null" : extras->environment);
    fm_export_json_parts(&view, FM_EXPORT_EFFICIENCY, "report", json);
    put_metrics(json);
    status = fm_summary_data_put(cube, json, error);
    if (status == FM_OK) {
        fm_severities_add(bundle, cube, bits);
        add_critical_path(bundle, cube);
        fm_matrix_data_add(bundle, cube, links);
        fm_phase_data_add(bundle, cube);
        fm_topology_data_add(bundle, cube);
        status = fm_bundle_finish(bundle, bytes, size, error);
    }
    fm_bundle_free(bundle);
    fm_view_release(&view);
    return status;
}

fm_status_t fm_report_data_make(const struct fm_cube *cube, const struct fm_page_extras *extras,
                                size_t limit, unsigned char **bytes, size_t *size,
                                struct fm_error *error)
{
    static const unsigned precisions[] = {FM_SEVERITIES_EXACT, 32, 24, 20, 16, 13, 11};
    const size_t count = sizeof precisions / sizeof precisions[0];
    fm_status_t status = FM_OK;
    for (size_t i = 0; i < count; i++) {
        status = make(cube, extras, precisions[i], limit / BYTES_OF_LINK, bytes, size, error);
        if (status != FM_OK || *size <= limit || i + 1 == count)
            break;
        fm_free(*bytes);
    }
    return status;
}
