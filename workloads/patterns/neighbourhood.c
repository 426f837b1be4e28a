/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbourhood collectives: only the neighbours of the late rank wait. */
#include "pattern.h"

static void alltoall(const context *c)
{
    /* A line of ranks: the last one has one neighbour. */
    const int dimensions[1] = {c->size}, periodic[1] = {0};
    const double out[2] = {1.0, 2.0};
    double in[2];
    MPI_Comm line;
    MPI_Cart_create(MPI_COMM_WORLD, 1, dimensions, periodic, 0, &line);
    MPI_Barrier(MPI_COMM_WORLD);
    if (c->rank == last_rank(c))
        delay(c);
    MPI_Neighbor_alltoall(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, line);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&line);
}

const pattern neighbourhood_patterns[] = {
    {"neighbourhood", "mpi_wait_nxn", 2, alltoall,
     "the last but one of a line of ranks waits in MPI_Neighbor_alltoall for the last"},
    {0}};
