/* SPDX-License-Identifier: BSD-3-Clause */
#include "sor_definitions.h"

#include <stdio.h>
#include <stdlib.h>

#define RANKS_PER_NODE 16
#define MACHINE_NODE   0

enum group { GROUP_LOCATIONS, GROUP_WORLD, GROUP_FIRST_NEIGHBORS };

struct definitions {
    const struct sor_simulation *simulation;
    OTF2_GlobalDefWriter *writer;
    OTF2_StringRef next_string;
    OTF2_StringRef empty;
    OTF2_ErrorCode code; /* the first failure */
};

OTF2_GroupRef sor_neighbor_group(uint32_t rank)
{
    return GROUP_FIRST_NEIGHBORS + rank;
}

static void keep(struct definitions *definitions, OTF2_ErrorCode code)
{
    if (definitions->code == OTF2_SUCCESS) {
        definitions->code = code;
    }
}

static OTF2_StringRef string(struct definitions *definitions, const char *text)
{
    keep(definitions,
         OTF2_GlobalDefWriter_WriteString(definitions->writer, definitions->next_string, text));
    return definitions->next_string++;
}

static void write_nodes(struct definitions *definitions)
{
    OTF2_GlobalDefWriter *writer = definitions->writer;
    keep(definitions, OTF2_GlobalDefWriter_WriteSystemTreeNode(
                          writer, MACHINE_NODE, string(definitions, "simulation"),
                          string(definitions, "machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    keep(definitions, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
                          writer, MACHINE_NODE, OTF2_SYSTEM_TREE_DOMAIN_MACHINE));
    OTF2_StringRef class = string(definitions, "node");
    uint32_t nodes = (definitions->simulation->problem.ranks - 1) / RANKS_PER_NODE + 1;
    for (uint32_t node = 0; node < nodes; ++node) {
        char name[32];
        snprintf(name, sizeof name, "node%05u", node);
        keep(definitions, OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, MACHINE_NODE + 1 + node,
                                                                   string(definitions, name), class,
                                                                   MACHINE_NODE));
        keep(definitions,
             OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(writer, MACHINE_NODE + 1 + node,
                                                            OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
    }
}

static void write_locations(struct definitions *definitions, const uint64_t *event_counts)
{
    OTF2_StringRef thread = string(definitions, "Master thread");
    for (uint32_t rank = 0; rank < definitions->simulation->problem.ranks; ++rank) {
        char name[32];
        snprintf(name, sizeof name, "MPI Rank %u", rank);
        keep(definitions,
             OTF2_GlobalDefWriter_WriteLocationGroup(
                 definitions->writer, rank, string(definitions, name),
                 OTF2_LOCATION_GROUP_TYPE_PROCESS, MACHINE_NODE + 1 + rank / RANKS_PER_NODE,
                 OTF2_UNDEFINED_LOCATION_GROUP));
        keep(definitions, OTF2_GlobalDefWriter_WriteLocation(definitions->writer, rank, thread,
                                                             OTF2_LOCATION_TYPE_CPU_THREAD,
                                                             event_counts[rank], rank));
    }
}

static void write_regions(struct definitions *definitions)
{
    static const struct {
        const char *name;
        OTF2_RegionRole role;
        OTF2_Paradigm paradigm;
    } regions[] = {
#define REGION(identifier, name, role, paradigm)                                                   \
    {name, OTF2_REGION_ROLE_##role, OTF2_PARADIGM_##paradigm},
#include "sor_regions.def"
#undef REGION
    };
    for (uint32_t i = 0; i < SOR_REGION_COUNT; ++i) {
        OTF2_StringRef name = string(definitions, regions[i].name);
        keep(definitions,
             OTF2_GlobalDefWriter_WriteRegion(
                 definitions->writer, i, name, name, definitions->empty, regions[i].role,
                 regions[i].paradigm, OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0, 0));
    }
}

static void write_group(struct definitions *definitions, OTF2_GroupRef group, OTF2_GroupType type,
                        uint32_t count, const uint64_t *members)
{
    keep(definitions,
         OTF2_GlobalDefWriter_WriteGroup(definitions->writer, group, definitions->empty, type,
                                         OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, count, members));
}

static void write_world(struct definitions *definitions)
{
    uint32_t ranks = definitions->simulation->problem.ranks;
    uint64_t *members = malloc(ranks * sizeof *members);
    if (members == NULL) {
        keep(definitions, OTF2_ERROR_MEM_ALLOC_FAILED);
        return;
    }
    for (uint32_t rank = 0; rank < ranks; ++rank) {
        members[rank] = rank;
    }
    write_group(definitions, GROUP_LOCATIONS, OTF2_GROUP_TYPE_COMM_LOCATIONS, ranks, members);
    write_group(definitions, GROUP_WORLD, OTF2_GROUP_TYPE_COMM_GROUP, ranks, members);
    free(members);
    keep(definitions,
         OTF2_GlobalDefWriter_WriteComm(definitions->writer, SOR_WORLD_COMM,
                                        string(definitions, "MPI_COMM_WORLD"), GROUP_WORLD,
                                        OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

static void write_window(struct definitions *definitions)
{
    const struct sor_problem *problem = &definitions->simulation->problem;
    keep(definitions, OTF2_GlobalDefWriter_WriteRmaWin(
                          definitions->writer, SOR_WINDOW, string(definitions, "borders"),
                          SOR_WORLD_COMM, OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS));
    for (uint32_t rank = 0; problem->variant == SOR_GATS && rank < problem->ranks; ++rank) {
        uint32_t neighbors[SOR_MAX_NEIGHBORS];
        uint64_t members[SOR_MAX_NEIGHBORS];
        uint32_t count = sor_neighbors(problem, rank, 0, neighbors);
        for (uint32_t i = 0; i < count; ++i) {
            members[i] = neighbors[i];
        }
        write_group(definitions, sor_neighbor_group(rank), OTF2_GROUP_TYPE_COMM_GROUP, count,
                    members);
    }
}

OTF2_ErrorCode sor_definitions_write(const struct sor_simulation *simulation,
                                     const uint64_t *event_counts, OTF2_GlobalDefWriter *writer)
{
    struct definitions definitions = {.simulation = simulation, .writer = writer};
    definitions.empty = string(&definitions, "");
    keep(&definitions, OTF2_GlobalDefWriter_WriteClockProperties(writer, 1000000000, 0,
                                                                 simulation->finalized, 0));
    keep(&definitions,
         OTF2_GlobalDefWriter_WriteParadigm(writer, OTF2_PARADIGM_MPI, string(&definitions, "MPI"),
                                            OTF2_PARADIGM_CLASS_PROCESS));
    write_nodes(&definitions);
    write_locations(&definitions, event_counts);
    write_regions(&definitions);
    write_world(&definitions);
    if (!sor_sends_messages(&simulation->problem)) {
        write_window(&definitions);
    }
    return definitions.code;
}
