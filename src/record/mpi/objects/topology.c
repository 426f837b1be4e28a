/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/mpi/objects/topology.h"

enum { DIMENSIONS_MOST = 32 };

void fm_topology_cartesian(struct fm_comm *c, MPI_Comm comm)
{
    int count = 0, sizes[DIMENSIONS_MOST], periods[DIMENSIONS_MOST], own[DIMENSIONS_MOST];
    uint32_t words[3 + 2 * DIMENSIONS_MOST] = {c->number, FM_DEFINE_NONE};
    if (PMPI_Cartdim_get(comm, &count) != MPI_SUCCESS || count < 0 || count > DIMENSIONS_MOST ||
        PMPI_Cart_get(comm, count, sizes, periods, own) != MPI_SUCCESS) {
        return;
    }
    words[2] = (uint32_t)count;
    for (int i = 0; i < count; i++) {
        words[3 + 2 * i] = (uint32_t)sizes[i];
        words[4 + 2 * i] = periods[i] != 0;
        /* Each dimension has two neighbours, down and up. At the borders of a non-periodic
         * dimension one of them is MPI_PROC_NULL. */
        if (!periods[i] && own[i] == 0) {
            c->missing |= (uint64_t)1 << 2 * i;
        }
        if (!periods[i] && own[i] + 1 == sizes[i]) {
            c->missing |= (uint64_t)2 << 2 * i;
        }
    }
    c->sources = 2 * count;
    c->targets = 2 * count;
    if (count > 0) {
        fm_session_define(FM_DEFINE_TOPOLOGY, words, 3 + 2 * (size_t)count);
    }
}

void fm_topology_graph(struct fm_comm *c, MPI_Comm comm)
{
    int neighbours = 0;
    PMPI_Graph_neighbors_count(comm, c->rank, &neighbours);
    c->sources = neighbours;
    c->targets = neighbours;
}

void fm_topology_distributed(struct fm_comm *c, MPI_Comm comm)
{
    int weighted;
    PMPI_Dist_graph_neighbors_count(comm, &c->sources, &c->targets, &weighted);
}
