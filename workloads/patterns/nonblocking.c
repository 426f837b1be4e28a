/* SPDX-License-Identifier: BSD-3-Clause */
/* Non-blocking collectives: the early ranks wait in MPI_Wait for the rank that starts late. */
#include "pattern.h"

static double out[4], in[4];

static void ibarrier(const context *c)
{
    MPI_Request request;
    if (c->rank == last_rank(c))
        delay(c);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void iallreduce(const context *c)
{
    MPI_Request request;
    if (c->rank == last_rank(c))
        delay(c);
    MPI_Iallreduce(out, in, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void ibcast(const context *c)
{
    MPI_Request request;
    if (c->rank == 0)
        delay(c);
    MPI_Ibcast(in, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

const pattern nonblocking_patterns[] = {
    {"nonblocking_barrier", "mpi_barrier_wait", 2, ibarrier,
     "all wait in MPI_Wait of an MPI_Ibarrier for the last rank"},
    {"nonblocking_allreduce", "mpi_wait_nxn", 2, iallreduce,
     "all wait in MPI_Wait of an MPI_Iallreduce for the last rank"},
    {"nonblocking_bcast", "mpi_latebroadcast", 2, ibcast,
     "all wait in MPI_Wait of an MPI_Ibcast for the root, rank 0"},
    {0}};
