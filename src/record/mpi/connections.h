/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Connections with processes of another MPI_COMM_WORLD: spawned, connected and joined ones.
 */
#ifndef FERMATA_RECORD_MPI_CONNECTIONS_H
#define FERMATA_RECORD_MPI_CONNECTIONS_H

#include "record/mpi/objects/comm.h"

/** Whether another world has spawned this one; to be called after PMPI_Init. */
bool fm_connect_is_spawned(void);

/** Defines the inter-communicator with the world that has spawned this one, within MPI_Init.
 * @param enter  of MPI_Init, clock ticks
 * @return NULL: none has, or it cannot be recorded */
struct fm_comm *fm_connect_parent(uint64_t enter);

#endif
