/* The topologies as JSON. */
#include "export/report/json_fields.h"

static void put_topology(FILE *stream, const struct fm_cube_topology *topology)
{
    fputs("\n  {", stream);
    fm_json_text(stream, "name", topology->name);
    fputs(",\"dimensions\":[", stream);
    for (uint32_t d = 0; d < topology->dimension_count; d++) {
        const struct fm_cube_dimension *dimension = &topology->dimensions[d];
        fputs(d == 0 ? "{" : ",{", stream);
        fm_json_text(stream, "name", dimension->name);
        fprintf(stream, ",\"size\":%u,\"periodic\":%s}", dimension->size,
                dimension->periodic ? "true" : "false");
    }
    fputs("],\"members\":[", stream);
    for (uint32_t m = 0; m < topology->member_count; m++) {
        fprintf(stream, "%s\n   {\"location\":%u,\"coordinates\":[", m == 0 ? "" : ",",
                topology->locations[m]);
        for (uint32_t d = 0; d < topology->dimension_count; d++)
            fprintf(stream, "%s%u", d == 0 ? "" : ",",
                    topology->coordinates[(size_t)m * topology->dimension_count + d]);
        fputs("]}", stream);
    }
    fputs("]}", stream);
}

void fm_json_put_topologies(FILE *stream, const struct fm_cube *cube)
{
    fputs(" \"topologies\":[", stream);
    for (uint32_t i = 0; i < cube->topology_count; i++) {
        if (i > 0)
            putc(',', stream);
        put_topology(stream, &cube->topologies[i]);
    }
    putc(']', stream);
}
