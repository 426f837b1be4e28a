#include "view/report/topology_data.h"

#include "base/text.h"
#include "view/columns.h"

#define MOST_PLACES (1U << 20)

struct columns {
    fm_column rank, place;
};

/** @return the number of places; 0: too many, or none. */
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

static void put_text(FILE *json, const char *text)
{
    fm_text_write_json(json, text == NULL ? "" : text);
}

static void put_json(FILE *json, const struct fm_cube_topology *topology)
{
    fputs("{\"name\":", json);
    put_text(json, topology->name);
    fputs(",\"sizes\":[", json);
    for (uint32_t i = 0; i < topology->dimension_count; i++)
        fprintf(json, "%s%u", i == 0 ? "" : ",", topology->dimensions[i].size);
    fputs("],\"periodic\":[", json);
    for (uint32_t i = 0; i < topology->dimension_count; i++)
        fprintf(json, "%s%s", i == 0 ? "" : ",",
                topology->dimensions[i].periodic ? "true" : "false");
    fputs("],\"dimensions\":[", json);
    for (uint32_t i = 0; i < topology->dimension_count; i++) {
        fputs(i == 0 ? "" : ",", json);
        put_text(json, topology->dimensions[i].name);
    }
    fprintf(json, "],\"ranks\":%u}", topology->member_count);
}

void fm_topology_data_add(struct fm_bundle *bundle, const struct fm_cube *cube)
{
    struct columns columns = {0};
    FILE *json = fm_bundle_json(bundle);
    unsigned count = 0;
    fputs("\"topologies\":[", json);
    for (uint32_t i = 0; i < cube->topology_count; i++) {
        if (count_places(&cube->topologies[i]) == 0)
            continue;
        fputs(count++ == 0 ? "" : ",", json);
        put_json(json, &cube->topologies[i]);
        add_members(&columns, cube, &cube->topologies[i]);
    }
    fputs("],", json);
    fm_column_move(bundle, "topology_rank", &columns.rank, true);
    fm_column_move(bundle, "topology_place", &columns.place, true);
}
