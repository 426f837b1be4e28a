/* SPDX-License-Identifier: BSD-3-Clause */
/* The matrices in the report file: section MATX. */
#include "cube/file/cube_format.h"
#include "cube/file/cube_reader.h"
#include "cube/file/cube_writer.h"

#include <stdlib.h>

void fm_cube_put_matrices(struct fm_sink *sink, const struct fm_cube *cube)
{
    fm_sink_u32(sink, FM_CUBE_MATRICES_VERSION);
    for (int m = 0; m < FM_MATRIX_COUNT; m++) {
        const struct fm_cube_matrix *matrix = &cube->matrices[m];
        fm_sink_u64(sink, matrix->omitted_links);
        fm_sink_u64(sink, matrix->omitted_count);
        fm_sink_u64(sink, matrix->omitted_amount);
        fm_sink_u32(sink, (uint32_t)matrix->link_count);
        for (size_t i = 0; i < matrix->link_count; i++) {
            fm_sink_u32(sink, matrix->links[i].from);
            fm_sink_u32(sink, matrix->links[i].to);
            fm_sink_u32(sink, matrix->links[i].metric);
            fm_sink_u64(sink, matrix->links[i].count);
            fm_sink_u64(sink, matrix->links[i].amount);
        }
    }
}

/** The order of metrics in the file may differ from that of enum fm_metric. */
static int compare_links(const void *left, const void *right)
{
    const struct fm_cube_link *a = left;
    const struct fm_cube_link *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->metric > b->metric) - (a->metric < b->metric);
}

static fm_status_t read_matrix(struct fm_cube_reader *reader, enum fm_cube_matrix_kind kind)
{
    struct fm_source *source = &reader->sections[FM_SECTION_MATX];
    struct fm_cube_matrix matrix = {.omitted_links = fm_source_u64(source)};
    matrix.omitted_count = fm_source_u64(source);
    matrix.omitted_amount = fm_source_u64(source);
    uint32_t count = fm_source_count(source, 3 * 4 + 2 * 8);
    matrix.links = calloc(count + (size_t)1, sizeof *matrix.links);
    if (matrix.links == NULL)
        return fm_fail(reader->error, FM_ERR_SYSTEM, "%s: out of memory for the report",
                       reader->path);
    for (uint32_t i = 0; i < count; i++) {
        struct fm_cube_link *link = &matrix.links[matrix.link_count];
        link->from = fm_source_u32(source);
        link->to = fm_source_u32(source);
        uint32_t metric = fm_source_u32(source);
        link->count = fm_source_u64(source);
        link->amount = fm_source_u64(source);
        link->metric = metric < reader->metric_count ? reader->metrics[metric] : FM_METRIC_NONE;
        /* Links of unknown kinds are left out. */
        matrix.link_count += metric >= reader->metric_count || reader->metric_exact[metric];
    }
    qsort(matrix.links, matrix.link_count, sizeof *matrix.links, compare_links);
    fm_status_t status = source->failed
                             ? FM_ERR_FAILED
                             : fm_cube_set_matrix(reader->cube, kind, &matrix, reader->error);
    if (status == FM_ERR_FAILED)
        status =
            fm_cube_damaged(reader, "the matrix of %s is malformed", fm_cube_matrix_name(kind));
    free(matrix.links);
    return status;
}

fm_status_t fm_cube_read_matrices(struct fm_cube_reader *reader)
{
    bool readable;
    fm_status_t status = fm_cube_begin_optional(reader, FM_SECTION_MATX, FM_CUBE_MATRICES_VERSION,
                                                "The matrices are", &readable);
    if (status != FM_OK || !readable)
        return status;
    for (int m = 0; m < FM_MATRIX_COUNT && status == FM_OK; m++)
        status = read_matrix(reader, (enum fm_cube_matrix_kind)m);
    return status == FM_OK ? fm_cube_check_used_up(reader, FM_SECTION_MATX) : status;
}
