/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls of MPI 4: with large counts, and persistent ones, each started twice. Of a
 * library before MPI 4, Open MPI 4, only the persistent ones, by their names there (MPIX_). */
#include <mpi.h>
#if MPI_VERSION < 4
#include <mpi-ext.h>
#endif
#include <stdio.h>

enum { MOST = 64 };

static int in[MOST * MOST], out[MOST * MOST], counts[MOST], displs[MOST], bytes[MOST];
static int rank, size;
static MPI_Aint offsets[MOST];
static MPI_Datatype types[MOST];
static MPI_Request request;
static int starts = 2;    /* of each persistent operation */
static unsigned checksum; /* of what they receive */

static void start(void)
{
    for (int i = 0; i < starts; i++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    for (int i = 0; i < MOST * MOST; i++) {
        checksum = checksum * 31 + (unsigned)out[i];
    }
}

#if MPI_VERSION >= 4
#define INIT(name) MPI_##name##_init

static MPI_Count large_counts[MOST];
static MPI_Aint large_displs[MOST];

/* The large forms: blocking, non-blocking and persistent. */
#define LARGE(blocking, nonblocking, ...)                                                          \
    do {                                                                                           \
        MPI_##blocking##_c(__VA_ARGS__);                                                           \
        MPI_##nonblocking##_c(__VA_ARGS__, &request);                                              \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                                     \
        MPI_##blocking##_init_c(__VA_ARGS__, MPI_INFO_NULL, &request);                             \
        start();                                                                                   \
    } while (0)

static void large(MPI_Comm comm, int root)
{
    LARGE(Bcast, Ibcast, out, 2, MPI_INT, root, comm);
    LARGE(Gather, Igather, in, 2, MPI_INT, out, 2, MPI_INT, root, comm);
    LARGE(Gatherv, Igatherv, in, 2, MPI_INT, out, large_counts, large_displs, MPI_INT, root, comm);
    starts = 1; /* the second start fails in MPICH 4.0.2 */
    LARGE(Scatter, Iscatter, in, 2, MPI_INT, out, 2, MPI_INT, root, comm);
    starts = 2;
    LARGE(Scatterv, Iscatterv, in, large_counts, large_displs, MPI_INT, out, 2, MPI_INT, root,
          comm);
    LARGE(Reduce, Ireduce, in, out, 2, MPI_INT, MPI_SUM, root, comm);
    LARGE(Allreduce, Iallreduce, in, out, 2, MPI_INT, MPI_SUM, comm);
    LARGE(Allgather, Iallgather, in, 2, MPI_INT, out, 2, MPI_INT, comm);
    LARGE(Allgatherv, Iallgatherv, in, 2, MPI_INT, out, large_counts, large_displs, MPI_INT, comm);
    LARGE(Alltoall, Ialltoall, in, 2, MPI_INT, out, 2, MPI_INT, comm);
    LARGE(Alltoallv, Ialltoallv, in, large_counts, large_displs, MPI_INT, out, large_counts,
          large_displs, MPI_INT, comm);
    LARGE(Alltoallw, Ialltoallw, in, large_counts, offsets, types, out, large_counts, offsets,
          types, comm);
    LARGE(Reduce_scatter, Ireduce_scatter, in, out, large_counts, MPI_INT, MPI_SUM, comm);
    LARGE(Reduce_scatter_block, Ireduce_scatter_block, in, out, 2, MPI_INT, MPI_SUM, comm);
    LARGE(Scan, Iscan, in, out, 2, MPI_INT, MPI_SUM, comm);
    LARGE(Exscan, Iexscan, in, out, 2, MPI_INT, MPI_SUM, comm);
}

static void large_on_neighbourhoods(MPI_Comm ring)
{
    LARGE(Neighbor_allgather, Ineighbor_allgather, in, 2, MPI_INT, out, 2, MPI_INT, ring);
    LARGE(Neighbor_allgatherv, Ineighbor_allgatherv, in, 2, MPI_INT, out, large_counts,
          large_displs, MPI_INT, ring);
    LARGE(Neighbor_alltoall, Ineighbor_alltoall, in, 2, MPI_INT, out, 2, MPI_INT, ring);
    LARGE(Neighbor_alltoallv, Ineighbor_alltoallv, in, large_counts, large_displs, MPI_INT, out,
          large_counts, large_displs, MPI_INT, ring);
    LARGE(Neighbor_alltoallw, Ineighbor_alltoallw, in, large_counts, offsets, types, out,
          large_counts, offsets, types, ring);
}

static void duplicate(void)
{
    MPI_Comm copy;
    MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Bcast(out, 2, MPI_INT, 0, copy);
    MPI_Comm_free(&copy);
}

static void of_mpi_4_only(MPI_Comm ring)
{
    for (int i = 0; i < MOST; i++) {
        large_counts[i] = 2;
        large_displs[i] = 2 * i;
    }
    large(MPI_COMM_WORLD, 0);
    large_on_neighbourhoods(ring);
    duplicate();
}
#else
#define INIT(name) MPIX_##name##_init

static void of_mpi_4_only(MPI_Comm ring)
{
    (void)ring;
}
#endif

#define PERSISTENT(name, ...)                                                                      \
    do {                                                                                           \
        INIT(name)(__VA_ARGS__, MPI_INFO_NULL, &request);                                          \
        start();                                                                                   \
    } while (0)

static void persistent(MPI_Comm comm, int root)
{
    PERSISTENT(Barrier, comm);
    PERSISTENT(Bcast, out, 2, MPI_INT, root, comm);
    PERSISTENT(Gather, in, 2, MPI_INT, out, 2, MPI_INT, root, comm);
    PERSISTENT(Gatherv, in, 2, MPI_INT, out, counts, displs, MPI_INT, root, comm);
    starts = 1; /* the second start fails in MPICH 4.0.2 */
    PERSISTENT(Scatter, in, 2, MPI_INT, out, 2, MPI_INT, root, comm);
    starts = 2;
    PERSISTENT(Scatterv, in, counts, displs, MPI_INT, out, 2, MPI_INT, root, comm);
    PERSISTENT(Reduce, in, out, 2, MPI_INT, MPI_SUM, root, comm);
    PERSISTENT(Allreduce, in, out, 2, MPI_INT, MPI_SUM, comm);
    PERSISTENT(Allgather, in, 2, MPI_INT, out, 2, MPI_INT, comm);
    PERSISTENT(Allgatherv, in, 2, MPI_INT, out, counts, displs, MPI_INT, comm);
    PERSISTENT(Alltoall, in, 2, MPI_INT, out, 2, MPI_INT, comm);
    PERSISTENT(Alltoallv, in, counts, displs, MPI_INT, out, counts, displs, MPI_INT, comm);
    PERSISTENT(Alltoallw, in, counts, bytes, types, out, counts, bytes, types, comm);
    PERSISTENT(Reduce_scatter, in, out, counts, MPI_INT, MPI_SUM, comm);
    PERSISTENT(Reduce_scatter_block, in, out, 2, MPI_INT, MPI_SUM, comm);
    PERSISTENT(Scan, in, out, 2, MPI_INT, MPI_SUM, comm);
    PERSISTENT(Exscan, in, out, 2, MPI_INT, MPI_SUM, comm);
}

static void on_neighbourhoods(MPI_Comm ring)
{
    PERSISTENT(Neighbor_allgather, in, 2, MPI_INT, out, 2, MPI_INT, ring);
    PERSISTENT(Neighbor_allgatherv, in, 2, MPI_INT, out, counts, displs, MPI_INT, ring);
    PERSISTENT(Neighbor_alltoall, in, 2, MPI_INT, out, 2, MPI_INT, ring);
    PERSISTENT(Neighbor_alltoallv, in, counts, displs, MPI_INT, out, counts, displs, MPI_INT, ring);
    PERSISTENT(Neighbor_alltoallw, in, counts, offsets, types, out, counts, offsets, types, ring);
}

/* An inactive persistent collective is tested and freed without a start. */
static void unused(void)
{
    int flag;
    INIT(Bcast)(out, 2, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

int main(int argc, char **argv)
{
    MPI_Comm ring;
    int periodic = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < MOST; i++) {
        counts[i] = 2;
        displs[i] = 2 * i;
        bytes[i] = 8 * i;
        offsets[i] = 8 * i;
        types[i] = MPI_INT;
    }
    for (int i = 0; i < MOST * MOST; i++) {
        in[i] = rank + i;
    }
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    of_mpi_4_only(ring);
    persistent(MPI_COMM_WORLD, 0);
    on_neighbourhoods(ring);
    unused();
    MPI_Comm_free(&ring);
    MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("rank %d: sum %d, persistent collectives %u\n", rank, out[0], checksum);
    MPI_Finalize();
    return 0;
}
