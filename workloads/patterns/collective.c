/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocking collectives in which the early ranks wait for the late rank. */
#include "pattern.h"

static double out[MOST_RANKS], in[MOST_RANKS];

static void late_last_rank(const context *c)
{
    if (c->rank == last_rank(c))
        delay(c);
}

static void late_first_rank(const context *c)
{
    if (c->rank == 0)
        delay(c);
}

static void barrier(const context *c)
{
    late_last_rank(c);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void allreduce(const context *c)
{
    late_last_rank(c);
    MPI_Allreduce(out, in, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void allgather(const context *c)
{
    late_last_rank(c);
    MPI_Allgather(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void alltoall(const context *c)
{
    late_last_rank(c);
    MPI_Alltoall(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void reduce_scatter(const context *c)
{
    late_last_rank(c);
    MPI_Reduce_scatter_block(out, in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void bcast(const context *c)
{
    late_first_rank(c);
    MPI_Bcast(in, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void scatter(const context *c)
{
    late_first_rank(c);
    MPI_Scatter(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void reduce(const context *c)
{
    late_last_rank(c);
    MPI_Reduce(out, in, 4, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void gather(const context *c)
{
    late_last_rank(c);
    MPI_Gather(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void scan(const context *c)
{
    late_first_rank(c);
    MPI_Scan(out, in, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void exscan(const context *c)
{
    late_first_rank(c);
    MPI_Exscan(out, in, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

const pattern collective_patterns[] = {
    {"barrier", "mpi_barrier_wait", 2, barrier, "all wait in MPI_Barrier for the last rank"},
    {"nxn_allreduce", "mpi_wait_nxn", 2, allreduce, "all wait in MPI_Allreduce for the last rank"},
    {"nxn_allgather", "mpi_wait_nxn", 2, allgather, "all wait in MPI_Allgather for the last rank"},
    {"nxn_alltoall", "mpi_wait_nxn", 2, alltoall, "all wait in MPI_Alltoall for the last rank"},
    {"nxn_reduce_scatter", "mpi_wait_nxn", 2, reduce_scatter,
     "all wait in MPI_Reduce_scatter_block for the last rank"},
    {"latebroadcast", "mpi_latebroadcast", 2, bcast, "all wait in MPI_Bcast for the root, rank 0"},
    {"latebroadcast_scatter", "mpi_latebroadcast", 2, scatter,
     "all wait in MPI_Scatter for the root, rank 0"},
    {"earlyreduce", "mpi_earlyreduce", 2, reduce,
     "the root, rank 0, waits in MPI_Reduce for the last rank"},
    {"earlyreduce_gather", "mpi_earlyreduce", 2, gather,
     "the root, rank 0, waits in MPI_Gather for the last rank"},
    {"earlyscan", "mpi_earlyscan", 2, scan, "all others wait in MPI_Scan for rank 0"},
    {"earlyscan_exscan", "mpi_earlyscan", 2, exscan, "all others wait in MPI_Exscan for rank 0"},
    {0}};
