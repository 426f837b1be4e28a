/* SPDX-License-Identifier: BSD-3-Clause */
/* The matrices as JSON. */
#include "diagnosis/uncertainty.h"
#include "export/json/json_fields.h"

static void put_amount(struct fm_json *json, const struct fm_cube *cube,
                       enum fm_cube_matrix_kind kind, uint64_t amount)
{
    if (fm_cube_matrix_is_time(kind)) {
        fm_json_seconds(json, "seconds", cube, amount);
    } else {
        fm_json_unsigned(json, "bytes", amount);
    }
}

static void put_matrix(struct fm_json *json, const struct fm_cube *cube,
                       enum fm_cube_matrix_kind kind)
{
    const struct fm_cube_matrix *matrix = &cube->matrices[kind];
    fm_json_line(json, 2);
    fm_json_object(json, fm_cube_matrix_name(kind));
    fm_json_array(json, "links");
    for (size_t i = 0; i < matrix->link_count; i++) {
        const struct fm_cube_link *link = &matrix->links[i];
        fm_json_line(json, 3);
        fm_json_object(json, NULL);
        fm_json_unsigned(json, "from", link->from);
        fm_json_unsigned(json, "to", link->to);
        fm_json_string(json, "metric", fm_metric_info((fm_metric_t)link->metric)->id);
        fm_json_unsigned(json, "count", link->count);
        put_amount(json, cube, kind, link->amount);
        if (fm_cube_matrix_is_time(kind)) {
            fm_json_error(json, "error", cube, (uint64_t)fm_error_of_link(cube, kind, link));
        }
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_line(json, 3);
    fm_json_object(json, "omitted");
    fm_json_unsigned(json, "links", matrix->omitted_links);
    fm_json_unsigned(json, "count", matrix->omitted_count);
    put_amount(json, cube, kind, matrix->omitted_amount);
    fm_json_end(json);
    fm_json_end(json);
}

void fm_json_put_matrices(struct fm_json *json, const struct fm_cube *cube)
{
    fm_json_object(json, "matrices");
    for (int kind = 0; kind < FM_MATRIX_COUNT; kind++) {
        put_matrix(json, cube, (enum fm_cube_matrix_kind)kind);
    }
    fm_json_end(json);
}
