/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators, groups and topologies of every origin; many cycles of making and freeing. */
#include <mpi.h>
#include <stdio.h>

enum { CYCLES = 300 };

static int rank, size;

/* One message around, so that the trace shows who is who in the communicator. */
static void ring(MPI_Comm comm)
{
    int r, n, value = 0;
    MPI_Comm_rank(comm, &r);
    MPI_Comm_size(comm, &n);
    MPI_Sendrecv(&r, 1, MPI_INT, (r + 1) % n, 4, &value, 1, MPI_INT, (r + n - 1) % n, 4, comm,
                 MPI_STATUS_IGNORE);
    MPI_Barrier(comm);
}

static void plain(void)
{
    MPI_Comm comm, other;
    MPI_Request request;
    MPI_Group world, some;
    int range[1][3] = {{0, size - 1, 2}};
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "the named one");
    ring(comm);
    MPI_Comm_idup(comm, &other, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    ring(other);
    MPI_Comm_free(&other);
    MPI_Comm_split(comm, rank % 2, -rank, &other);
    ring(other);
    MPI_Comm_free(&other);
    MPI_Comm_split(comm, rank == 0 ? MPI_UNDEFINED : 1, rank, &other);
    if (other != MPI_COMM_NULL) {
        ring(other);
        MPI_Comm_free(&other);
    }
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &other);
    ring(other);
    MPI_Comm_free(&other);
    MPI_Comm_group(comm, &world);
    MPI_Group_range_incl(world, 1, range, &some);
    MPI_Comm_create(comm, some, &other);
    if (other != MPI_COMM_NULL) {
        ring(other);
        MPI_Comm_free(&other);
    }
    if (rank % 2 == 0) {
        MPI_Comm_create_group(comm, some, 7, &other);
        ring(other);
        MPI_Comm_free(&other);
        MPI_Comm_create_group(comm, some, 7, &other);
        ring(other);
        MPI_Comm_free(&other);
    }
    MPI_Group_free(&some);
    MPI_Group_free(&world);
    MPI_Comm_free(&comm);
    ring(MPI_COMM_SELF);
}

static void topologies(void)
{
    int dims[2] = {2, size / 2}, periods[2] = {1, 0}, keep[2] = {0, 1};
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Comm grid, row, graph;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Cart_sub(grid, keep, &row);
    ring(row);
    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    ring(graph);
    MPI_Comm_free(&graph);
}

static void inter(void)
{
    MPI_Comm half, between, merged;
    int side = rank < size / 2 ? 0 : 1, value = rank;
    MPI_Comm_split(MPI_COMM_WORLD, side, rank, &half);
    for (int i = 0; i < 2; i++) {
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, side == 0 ? size / 2 : 0, 3, &between);
        int n, r;
        MPI_Comm_remote_size(between, &n);
        MPI_Comm_rank(between, &r);
        if (r < n) {
            MPI_Sendrecv_replace(&value, 1, MPI_INT, r, 6, r, 6, between, MPI_STATUS_IGNORE);
        }
        MPI_Intercomm_merge(between, side, &merged);
        ring(merged);
        MPI_Comm_free(&merged);
        MPI_Comm_free(&between);
    }
    MPI_Comm_free(&half);
    printf("rank %d: got %d\n", rank, value);
}

static void cycles(void)
{
    for (int i = 0; i < CYCLES; i++) {
        MPI_Comm comm;
        MPI_Group group;
        MPI_Comm_dup(i % 2 ? MPI_COMM_WORLD : MPI_COMM_SELF, &comm);
        MPI_Comm_group(comm, &group);
        MPI_Group_free(&group);
        MPI_Comm_free(&comm);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    plain();
    topologies();
    inter();
    cycles();
    MPI_Finalize();
    return 0;
}
