/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/model/cube.h"

#include <stdlib.h>
#include <string.h>

const char *fm_cube_matrix_name(enum fm_cube_matrix_kind kind)
{
    static const char *const names[FM_MATRIX_COUNT] = {"messages", "operations", "delays", "blame"};
    return names[kind];
}

void fm_cube_free_matrices(struct fm_cube *cube)
{
    for (int i = 0; i < FM_MATRIX_COUNT; i++) {
        free(cube->matrices[i].links);
        cube->matrices[i] = (struct fm_cube_matrix){0};
    }
}

static bool is_ascending(const struct fm_cube_link *a, const struct fm_cube_link *b)
{
    if (a->from != b->from)
        return a->from < b->from;
    return a->to != b->to ? a->to < b->to : a->metric < b->metric;
}

fm_status_t fm_cube_set_matrix(struct fm_cube *cube, enum fm_cube_matrix_kind kind,
                               const struct fm_cube_matrix *matrix, struct fm_error *error)
{
    for (size_t i = 0; i < matrix->link_count; i++) {
        const struct fm_cube_link *link = &matrix->links[i];
        if (link->from >= cube->location_count || link->to >= cube->location_count ||
            link->metric >= FM_METRIC_COUNT || (i > 0 && !is_ascending(link - 1, link)))
            return fm_fail(error, FM_ERR_FAILED, "the matrix of %s is malformed",
                           fm_cube_matrix_name(kind));
    }
    struct fm_cube_matrix copy = *matrix;
    copy.links = calloc(matrix->link_count + 1, sizeof *copy.links);
    if (copy.links == NULL)
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for the matrix of %s",
                       fm_cube_matrix_name(kind));
    if (matrix->link_count > 0)
        memcpy(copy.links, matrix->links, matrix->link_count * sizeof *copy.links);
    free(cube->matrices[kind].links);
    cube->matrices[kind] = copy;
    return FM_OK;
}
