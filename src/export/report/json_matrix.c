/* The matrices as JSON. */
#include "export/report/json_fields.h"

static void put_amount(FILE *stream, const struct fm_cube *cube, enum fm_cube_matrix_kind kind,
                       uint64_t amount)
{
    if (kind == FM_MATRIX_DELAYS)
        fm_json_seconds(stream, "seconds", cube, amount);
    else
        fm_json_integer(stream, "bytes", amount);
}

static void put_matrix(FILE *stream, const struct fm_cube *cube, enum fm_cube_matrix_kind kind)
{
    const struct fm_cube_matrix *matrix = &cube->matrices[kind];
    fprintf(stream, "\n  \"%s\":{\"links\":[", fm_cube_matrix_name(kind));
    for (size_t i = 0; i < matrix->link_count; i++) {
        const struct fm_cube_link *link = &matrix->links[i];
        fprintf(stream, "%s\n   {\"from\":%u,\"to\":%u,", i == 0 ? "" : ",", link->from, link->to);
        fm_json_text(stream, "metric", fm_metric_info((fm_metric_t)link->metric)->id);
        putc(',', stream);
        fm_json_integer(stream, "count", link->count);
        putc(',', stream);
        put_amount(stream, cube, kind, link->amount);
        putc('}', stream);
    }
    fputs("],\n   \"omitted\":{", stream);
    fm_json_integer(stream, "links", matrix->omitted_links);
    putc(',', stream);
    fm_json_integer(stream, "count", matrix->omitted_count);
    putc(',', stream);
    put_amount(stream, cube, kind, matrix->omitted_amount);
    fputs("}}", stream);
}

void fm_json_put_matrices(FILE *stream, const struct fm_cube *cube)
{
    fputs(" \"matrices\":{", stream);
    for (int kind = 0; kind < FM_MATRIX_COUNT; kind++) {
        if (kind > 0)
            putc(',', stream);
        put_matrix(stream, cube, (enum fm_cube_matrix_kind)kind);
    }
    putc('}', stream);
}
