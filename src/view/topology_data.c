#include "view/topology_data.h"

#include "base/text.h"
#include "view/columns.h"

#define MOST_TOPOLOGIES 16U
#define MOST_PLACES     (1U << 20)

struct columns {
    fm_column process, place;
};

/** @return the number of places; 0: too many, or none. */
static uint64_t count_places(const struct fm_topology *topology)
{
    uint64_t places = topology->dimension_count > 0;
    for (unsigned i = 0; i < topology->dimension_count && places > 0; i++)
        places = topology->sizes[i] <= MOST_PLACES / places ? places * topology->sizes[i] : 0;
    return places;
}

/** Finds the place of a member. @return false if it has none */
static bool find_place(const struct fm_topology *topology, uint32_t rank, uint64_t *place)
{
    const uint32_t *coordinates = &topology->coordinates[(size_t)rank * topology->dimension_count];
    *place = 0;
    for (unsigned i = 0; i < topology->dimension_count; i++) {
        if (coordinates[i] >= topology->sizes[i])
            return false; /* also where it is not known, FM_NONE */
        *place = *place * topology->sizes[i] + coordinates[i];
    }
    return true;
}

static uint32_t add_members(struct columns *columns, const struct fm_communicator *communicator)
{
    uint32_t count = 0;
    for (uint32_t rank = 0; rank < communicator->size; rank++) {
        uint64_t place;
        if (!find_place(communicator->topology, rank, &place))
            continue;
        fm_vector_push(&columns->process, communicator->members[rank]);
        fm_vector_push(&columns->place, place);
        count++;
    }
    return count;
}

static void put_json(FILE *json, const struct fm_communicator *communicator, uint32_t ranks)
{
    const struct fm_topology *topology = communicator->topology;
    fputs("{\"name\":", json);
    fm_text_write_json(json, communicator->name == NULL ? "" : communicator->name);
    fputs(",\"sizes\":[", json);
    for (unsigned i = 0; i < topology->dimension_count; i++)
        fprintf(json, "%s%u", i == 0 ? "" : ",", topology->sizes[i]);
    fputs("],\"periodic\":[", json);
    for (unsigned i = 0; i < topology->dimension_count; i++)
        fprintf(json, "%s%s", i == 0 ? "" : ",", topology->periodic[i] ? "true" : "false");
    fprintf(json, "],\"ranks\":%u}", ranks);
}

void fm_topology_data_add(struct fm_bundle *bundle, const struct fm_trace *trace)
{
    struct columns columns = {0};
    FILE *json = fm_bundle_json(bundle);
    unsigned count = 0;
    fputs("\"topologies\":[", json);
    for (uint32_t i = 0; i < trace->communicator_count && count < MOST_TOPOLOGIES; i++) {
        const struct fm_communicator *communicator = &trace->communicators[i];
        if (communicator->topology == NULL || count_places(communicator->topology) == 0)
            continue;
        uint32_t ranks = add_members(&columns, communicator);
        if (ranks == 0)
            continue;
        if (count++ > 0)
            putc(',', json);
        put_json(json, communicator, ranks);
    }
    fputs("],", json);
    fm_column_move(bundle, "topology_process", &columns.process, true);
    fm_column_move(bundle, "topology_place", &columns.place, true);
}
