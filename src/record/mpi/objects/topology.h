/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Topologies of communicators: how many neighbours this rank has, and the definitions of Cartesian
 * ones.
 */
#ifndef FERMATA_RECORD_MPI_OBJECTS_TOPOLOGY_H
#define FERMATA_RECORD_MPI_OBJECTS_TOPOLOGY_H

#include "record/mpi/objects/comm.h"

/** Stores the neighbours of a new Cartesian communicator, and defines its topology. */
void fm_topology_cartesian(struct fm_comm *c, MPI_Comm comm);

/** Stores the neighbours of a new communicator of MPI_Graph_create. */
void fm_topology_graph(struct fm_comm *c, MPI_Comm comm);

/** Stores the neighbours of a new communicator of MPI_Dist_graph_create(_adjacent). */
void fm_topology_distributed(struct fm_comm *c, MPI_Comm comm);

#endif
