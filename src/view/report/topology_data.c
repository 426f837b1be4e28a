/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/report/topology_data.h"

#include "view/columns.h"

#define MOST_PLACES (1U << 20)

struct columns {
    fm_column rank, place;
};

/** @return the number of places; 0: too many, or no places. */
static uint64_t count_places(const struct fm_cube_topology *topology)
{
    uint64_t places = 1;
    for (uint32_t i = 0; i < topology->dimension_count && places > 0; i++) {
        uint32_t size = topology->dimensions[i].size;
        places = size <= MOST_PLACES / places ? places * size : 0;
    }
    return places;
}

static void add_members(struct columns *columns, const struct fm_cube *cube,
                        const struct fm_cube_topology *topology)
{
    for (uint32_t m = 0; m < topology->member_count; m++) {
        const uint32_t *coordinates = &topology->coordinates[(size_t)m * topology->dimension_count];
        uint64_t place = 0;
        for (uint32_t i = 0; i < topology->dimension_count; i++)
            place = place * topology->dimensions[i].size + coordinates[i];
        fm_vector_push(&columns->rank, cube->locations[topology->locations[m]].rank);
        fm_vector_push(&columns->place, place);
    }
}

static void put_json(struct fm_json *json, const struct fm_cube_topology *topology)
{
    fm_json_object(json, NULL);
    fm_json_string(json, "name", topology->name == NULL ? "" : topology->name);
    fm_json_array(json, "sizes");
    for (uint32_t i = 0; i < topology->dimension_count; i++) {
        fm_json_unsigned(json, NULL, topology->dimensions[i].size);
    }
    fm_json_end(json);
    fm_json_array(json, "periodic");
    for (uint32_t i = 0; i < topology->dimension_count; i++) {
        fm_json_bool(json, NULL, topology->dimensions[i].periodic);
    }
    fm_json_end(json);
    fm_json_array(json, "dimensions");
    for (uint32_t i = 0; i < topology->dimension_count; i++) {
        const char *name = topology->dimensions[i].name;
        fm_json_string(json, NULL, name == NULL ? "" : name);
    }
    fm_json_end(json);
    fm_json_unsigned(json, "ranks", topology->member_count);
    fm_json_end(json);
}

void fm_topology_data_add(struct fm_bundle *bundle, const struct fm_cube *cube)
{
    struct columns columns = {0};
    struct fm_json *json = fm_bundle_json(bundle);
    fm_json_array(json, "topologies");
    for (uint32_t i = 0; i < cube->topology_count; i++) {
        if (count_places(&cube->topologies[i]) == 0)
            continue;
        put_json(json, &cube->topologies[i]);
        add_members(&columns, cube, &cube->topologies[i]);
    }
    fm_json_end(json);
    fm_column_move(bundle, "topology_rank", &columns.rank, true);
    fm_column_move(bundle, "topology_place", &columns.place, true);
}
