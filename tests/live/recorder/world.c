/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks at what a recorder may do to the communicators of a program:
 *
 *   world [exhaust | wildcard]
 *
 * The program defines the functions of the MPI library that make communicators under their second
 * names and counts their calls, so that it sees those of a recorder. It attaches an attribute with
 * a copy function to MPI_COMM_WORLD, and creates a distributed graph (one: Open MPI 4.1 hangs in
 * the second on the same communicator). exhaust: duplicates
 * MPI_COMM_WORLD until the library has no communicator left, or 2,200 times, and keeps them.
 * wildcard: receives of any message are pending in MPI_Finalize. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DUPLICATES = 2200, PENDING = 8 };

static int made;   /* communicators made under second names */
static int copied; /* calls of the attribute's copy function */

#define NEXT(name, type) ((type)dlsym(RTLD_NEXT, name))

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
    made++;
    return NEXT("PMPI_Comm_dup", int (*)(MPI_Comm, MPI_Comm *))(comm, newcomm);
}

int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
    made++;
    return NEXT("PMPI_Comm_idup", int (*)(MPI_Comm, MPI_Comm *, MPI_Request *))(comm, newcomm,
                                                                                request);
}

int PMPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
    made++;
    return NEXT("PMPI_Comm_dup_with_info", int (*)(MPI_Comm, MPI_Info, MPI_Comm *))(comm, info,
                                                                                    newcomm);
}

int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm)
{
    made++;
    return NEXT("PMPI_Comm_create", int (*)(MPI_Comm, MPI_Group, MPI_Comm *))(comm, group, newcomm);
}

int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm)
{
    made++;
    return NEXT("PMPI_Comm_create_group",
                int (*)(MPI_Comm, MPI_Group, int, MPI_Comm *))(comm, group, tag, newcomm);
}

int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
{
    made++;
    return NEXT("PMPI_Comm_split", int (*)(MPI_Comm, int, int, MPI_Comm *))(comm, color, key,
                                                                            newcomm);
}

int PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *newcomm)
{
    made++;
    return NEXT("PMPI_Comm_split_type",
                int (*)(MPI_Comm, int, int, MPI_Info, MPI_Comm *))(comm, type, key, info, newcomm);
}

static int copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)keyval, (void)extra, (void)in, (void)out;
    copied++;
    *flag = 0;
    return MPI_SUCCESS;
}

/* A ring of all ranks, made from the edges that each rank knows. @return the rank before */
static int graph(int rank, int size)
{
    MPI_Comm ring;
    int degree = 1, next = (rank + 1) % size, from = -1;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &next, MPI_UNWEIGHTED, MPI_INFO_NULL,
                          0, &ring);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, &from, 1, MPI_INT, ring);
    MPI_Comm_free(&ring);
    return from;
}

static int exhaust(void)
{
    static MPI_Comm kept[MOST_DUPLICATES];
    int count = 0;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    while (count < MOST_DUPLICATES && MPI_Comm_dup(MPI_COMM_WORLD, &kept[count]) == MPI_SUCCESS) {
        count++;
    }
    return count;
}

static void leave_receives(void)
{
    static int values[PENDING];
    static MPI_Request requests[PENDING];
    for (int i = 0; i < PENDING; i++) {
        MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                  &requests[i]);
    }
}

int main(int argc, char **argv)
{
    int rank, size, key, at_init;
    const char *way = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    at_init = made;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    printf("rank %d: ring behind %d\n", rank, graph(rank, size));
    if (strcmp(way, "exhaust") == 0) {
        printf("rank %d: duplicates %d\n", rank, exhaust());
    }
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key);
    if (strcmp(way, "wildcard") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        leave_receives();
    }
    printf("rank %d: recorder's communicators before MPI_Finalize %d\n", rank, at_init);
    int before = made;
    MPI_Finalize();
    printf("rank %d: in it %d, copies of attributes %d\n", rank, made - before, copied);
    return 0;
}
