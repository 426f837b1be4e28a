/* SPDX-License-Identifier: BSD-3-Clause */
/* The topologies as JSON. */
#include "export/json/json_fields.h"

static void put_topology(struct fm_json *json, const struct fm_cube_topology *topology)
{
    fm_json_line(json, 2);
    fm_json_object(json, NULL);
    fm_json_string(json, "name", topology->name);
    fm_json_array(json, "dimensions");
    for (uint32_t d = 0; d < topology->dimension_count; d++) {
        const struct fm_cube_dimension *dimension = &topology->dimensions[d];
        fm_json_object(json, NULL);
        fm_json_string(json, "name", dimension->name);
        fm_json_unsigned(json, "size", dimension->size);
        fm_json_bool(json, "periodic", dimension->periodic);
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_array(json, "members");
    for (uint32_t m = 0; m < topology->member_count; m++) {
        fm_json_line(json, 3);
        fm_json_object(json, NULL);
        fm_json_unsigned(json, "location", topology->locations[m]);
        fm_json_array(json, "coordinates");
        for (uint32_t d = 0; d < topology->dimension_count; d++) {
            fm_json_unsigned(json, NULL,
                             topology->coordinates[(size_t)m * topology->dimension_count + d]);
        }
        fm_json_end(json);
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_end(json);
}

void fm_json_put_topologies(struct fm_json *json, const struct fm_cube *cube)
{
    fm_json_array(json, "topologies");
    for (uint32_t i = 0; i < cube->topology_count; i++) {
        put_topology(json, &cube->topologies[i]);
    }
    fm_json_end(json);
}
