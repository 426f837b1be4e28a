/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls of every kind, blocking and non-blocking, with and without MPI_IN_PLACE, on
 * neighbourhoods and on an inter-communicator. */
#include <mpi.h>
#include <stdio.h>

enum { MOST = 64 };

static int in[MOST * MOST], out[MOST * MOST], counts[MOST], displs[MOST], rank, size;
static MPI_Aint offsets[MOST];
static MPI_Datatype types[MOST];
static MPI_Request request;

#define BOTH(blocking, nonblocking, ...)                                                           \
    do {                                                                                           \
        MPI_##blocking(__VA_ARGS__);                                                               \
        MPI_##nonblocking(__VA_ARGS__, &request);                                                  \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                                     \
    } while (0)

static void on(MPI_Comm comm, int root)
{
    BOTH(Barrier, Ibarrier, comm);
    BOTH(Bcast, Ibcast, out, 2, MPI_INT, root, comm);
    BOTH(Gather, Igather, in, 2, MPI_INT, out, 2, MPI_INT, root, comm);
    BOTH(Gatherv, Igatherv, in, 2, MPI_INT, out, counts, displs, MPI_INT, root, comm);
    BOTH(Scatter, Iscatter, in, 2, MPI_INT, out, 2, MPI_INT, root, comm);
    BOTH(Scatterv, Iscatterv, in, counts, displs, MPI_INT, out, 2, MPI_INT, root, comm);
    BOTH(Reduce, Ireduce, in, out, 2, MPI_INT, MPI_SUM, root, comm);
    BOTH(Allreduce, Iallreduce, in, out, 2, MPI_INT, MPI_SUM, comm);
    BOTH(Allgather, Iallgather, in, 2, MPI_INT, out, 2, MPI_INT, comm);
    BOTH(Allgatherv, Iallgatherv, in, 2, MPI_INT, out, counts, displs, MPI_INT, comm);
    BOTH(Alltoall, Ialltoall, in, 2, MPI_INT, out, 2, MPI_INT, comm);
    BOTH(Alltoallv, Ialltoallv, in, counts, displs, MPI_INT, out, counts, displs, MPI_INT, comm);
    BOTH(Reduce_scatter_block, Ireduce_scatter_block, in, out, 2, MPI_INT, MPI_SUM, comm);
}

static void intra_only(void)
{
    BOTH(Alltoallw, Ialltoallw, in, counts, displs, types, out, counts, displs, types,
         MPI_COMM_WORLD);
    BOTH(Reduce_scatter, Ireduce_scatter, in, out, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    BOTH(Scan, Iscan, in, out, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    BOTH(Exscan, Iexscan, in, out, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void in_place(void)
{
    MPI_Allreduce(MPI_IN_PLACE, out, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 2, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 2, MPI_INT, MPI_COMM_WORLD);
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : in, out, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Gather(rank == 0 ? MPI_IN_PLACE : in, 2, MPI_INT, out, 2, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatter(in, 2, MPI_INT, rank == 0 ? MPI_IN_PLACE : out, 2, MPI_INT, 0, MPI_COMM_WORLD);
}

static void on_neighbourhoods(void)
{
    MPI_Comm ring, line;
    int periodic = 1, open_ended = 0;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    BOTH(Neighbor_allgather, Ineighbor_allgather, in, 2, MPI_INT, out, 2, MPI_INT, ring);
    BOTH(Neighbor_allgatherv, Ineighbor_allgatherv, in, 2, MPI_INT, out, counts, displs, MPI_INT,
         ring);
    BOTH(Neighbor_alltoall, Ineighbor_alltoall, in, 2, MPI_INT, out, 2, MPI_INT, ring);
    BOTH(Neighbor_alltoallv, Ineighbor_alltoallv, in, counts, displs, MPI_INT, out, counts, displs,
         MPI_INT, ring);
    BOTH(Neighbor_alltoallw, Ineighbor_alltoallw, in, counts, offsets, types, out, counts, offsets,
         types, ring);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open_ended, 0, &line);
    MPI_Neighbor_alltoallv(in, counts, displs, MPI_INT, out, counts, displs, MPI_INT, line);
    MPI_Comm_free(&line);
    MPI_Comm_free(&ring);
}

static void on_halves(void)
{
    MPI_Comm half, inter;
    int side = rank < size / 2 ? 0 : 1;
    MPI_Comm_split(MPI_COMM_WORLD, side, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, side == 0 ? size / 2 : 0, 3, &inter);
    on(inter, side == 1 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < MOST; i++) {
        counts[i] = 2;
        displs[i] = 2 * i;
        offsets[i] = 8 * i;
        types[i] = MPI_INT;
    }
    for (int i = 0; i < MOST * MOST; i++) {
        in[i] = rank + i;
    }
    on(MPI_COMM_WORLD, 0);
    intra_only();
    in_place();
    on_neighbourhoods();
    on_halves();
    MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("rank %d: sum %d\n", rank, out[0]);
    MPI_Finalize();
    return 0;
}
