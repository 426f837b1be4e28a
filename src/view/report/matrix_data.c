/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/report/matrix_data.h"

#include "base/memory.h"
#include "cube/model/cube_matrix.h"
#include "diagnosis/uncertainty.h"
#include "view/columns.h"

#include <stdlib.h>

struct columns {
    fm_column matrix, from, to, metric, count, amount, error;
};

static int compare_amounts(const void *left, const void *right)
{
    const struct fm_cube_link *a = *(const struct fm_cube_link *const *)left;
    const struct fm_cube_link *b = *(const struct fm_cube_link *const *)right;
    if (a->amount != b->amount)
        return a->amount > b->amount ? -1 : 1;
    return (a > b) - (a < b);
}

static int compare_places(const void *left, const void *right)
{
    const struct fm_cube_link *a = *(const struct fm_cube_link *const *)left;
    const struct fm_cube_link *b = *(const struct fm_cube_link *const *)right;
    return (a > b) - (a < b);
}

static void add_link(struct columns *columns, const struct fm_cube *cube,
                     enum fm_cube_matrix_kind kind, const struct fm_cube_link *link)
{
    fm_vector_push(&columns->matrix, (uint64_t)kind);
    fm_vector_push(&columns->from, link->from);
    fm_vector_push(&columns->to, link->to);
    fm_vector_push(&columns->metric, link->metric);
    fm_vector_push(&columns->count, link->count);
    fm_vector_push(&columns->amount, link->amount);
    fm_vector_push(&columns->error, (uint64_t)fm_error_of_link(cube, kind, link));
}

static void add_matrix(struct columns *columns, const struct fm_cube *cube,
                       enum fm_cube_matrix_kind kind, size_t most, struct fm_json *json)
{
    const struct fm_cube_matrix *matrix = &cube->matrices[kind];
    uint64_t links = matrix->omitted_links, count = matrix->omitted_count;
    uint64_t amount = matrix->omitted_amount;
    size_t kept = matrix->link_count < most ? matrix->link_count : most;
    const struct fm_cube_link **order = fm_allocate(matrix->link_count, sizeof *order);
    for (size_t i = 0; i < matrix->link_count; i++)
        order[i] = &matrix->links[i];
    if (kept < matrix->link_count) {
        qsort(order, matrix->link_count, sizeof *order, compare_amounts);
        qsort(order, kept, sizeof *order, compare_places);
    }
    for (size_t i = 0; i < kept; i++)
        add_link(columns, cube, kind, order[i]);
    for (size_t i = kept; i < matrix->link_count; i++) {
        links++;
        count += order[i]->count;
        amount += order[i]->amount;
    }
    fm_free(order);
    fm_json_object(json, NULL);
    fm_json_object(json, "omitted");
    fm_json_unsigned(json, "links", links);
    fm_json_unsigned(json, "count", count);
    fm_json_unsigned(json, "amount", amount);
    fm_json_end(json);
    fm_json_end(json);
}

void fm_matrix_data_add(struct fm_bundle *bundle, const struct fm_cube *cube, size_t most)
{
    struct columns columns = {0};
    struct fm_json *json = fm_bundle_json(bundle);
    fm_json_array(json, "matrices");
    for (int kind = 0; kind < FM_MATRIX_COUNT; kind++)
        add_matrix(&columns, cube, (enum fm_cube_matrix_kind)kind, most, json);
    fm_json_end(json);
    fm_column_move(bundle, "link_matrix", &columns.matrix, true);
    fm_column_move(bundle, "link_from", &columns.from, true);
    fm_column_move(bundle, "link_to", &columns.to, true);
    fm_column_move(bundle, "link_metric", &columns.metric, false);
    fm_column_move(bundle, "link_count", &columns.count, false);
    fm_column_move(bundle, "link_amount", &columns.amount, false);
    fm_column_move(bundle, "link_error", &columns.error, false);
}
