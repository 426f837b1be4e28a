/* SPDX-License-Identifier: BSD-3-Clause */
/* One family of functions of MPI 4 for each name: in every round one rank is late by DELAY in the
 * function `be_late`, while the others wait for it. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { PARTITIONS = 4, LENGTH = 100, ROUNDS = 3, DELAY = 200 /* ms */ };
#include "late.h"

static int rank, size, in[LENGTH], out[LENGTH];
static MPI_Request requests[1];
static MPI_Comm world;
static const char *path = "late.dat"; /* of the file */

static void late(int who)
{
    if (rank == who) {
        be_late();
    }
}

static void large_messages(void)
{
    late(0);
    if (rank == 0) {
        MPI_Send_c(out, LENGTH, MPI_INT, 1, 1, world);
        MPI_Send(out, LENGTH, MPI_INT, 1, 1, world);
    } else if (rank == 1) {
        MPI_Recv(in, LENGTH, MPI_INT, 0, 1, world, MPI_STATUS_IGNORE);
        MPI_Recv_c(in, LENGTH, MPI_INT, 0, 1, world, MPI_STATUS_IGNORE);
    }
}

static void send_receives(void)
{
    late(1);
    if (rank < 2) {
        MPI_Isendrecv(out, LENGTH, MPI_INT, 1 - rank, 1, in, LENGTH, MPI_INT, 1 - rank, 1, world,
                      requests);
        MPI_Wait(requests, MPI_STATUS_IGNORE);
    }
}

static void large_collective(void)
{
    late(2);
    MPI_Allreduce_c(out, in, LENGTH, MPI_INT, MPI_SUM, world);
}

/* In a session. */
static void session(void)
{
    late(1);
    MPI_Allreduce(out, in, LENGTH, MPI_INT, MPI_SUM, world);
}

static void start(void)
{
    MPI_Start(requests);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
}

static void persistent_barrier(void)
{
    late(1);
    start();
}

static void persistent_bcast(void)
{
    late(3);
    start();
}

static void persistent_reduce(void)
{
    late(2);
    start();
}

static void persistent_neighbours(void)
{
    late(2);
    start();
}

/* Opening and closing of a file; only opening is waited for. */
static void file(void)
{
    MPI_File opened;
    late(2);
    MPI_File_open(world, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &opened);
    MPI_File_set_view(opened, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_set_size(opened, 4 * LENGTH);
    MPI_File_close(&opened);
}

static void *fill(void *partition)
{
    const int number = (int)(long)partition;
    if (number == 2) {
        be_late();
    }
    MPI_Pready(number, requests[0]);
    return NULL;
}

/* The threads of rank 0 fill a partition each; one of them is late. */
static void partitioned(void)
{
    pthread_t threads[PARTITIONS];
    if (rank > 1) {
        return;
    }
    MPI_Start(requests);
    for (long i = 1; rank == 0 && i < PARTITIONS; i++) {
        pthread_create(&threads[i], NULL, fill, (void *)i);
    }
    if (rank == 0) {
        fill(NULL);
    }
    for (int i = 1; rank == 0 && i < PARTITIONS; i++) {
        pthread_join(threads[i], NULL);
    }
    MPI_Wait(requests, MPI_STATUS_IGNORE);
}

static MPI_Comm make(const char *family)
{
    MPI_Comm comm = world;
    int periodic = 1;
    requests[0] = MPI_REQUEST_NULL;
    if (strcmp(family, "persistent_barrier") == 0) {
        MPI_Barrier_init(comm, MPI_INFO_NULL, requests);
    } else if (strcmp(family, "persistent_bcast") == 0) {
        MPI_Bcast_init(in, LENGTH, MPI_INT, 3, comm, MPI_INFO_NULL, requests);
    } else if (strcmp(family, "partitioned") == 0 && rank == 0) {
        MPI_Psend_init(out, PARTITIONS, LENGTH / PARTITIONS, MPI_INT, 1, 1, comm, MPI_INFO_NULL,
                       requests);
    } else if (strcmp(family, "partitioned") == 0 && rank == 1) {
        MPI_Precv_init(in, 1, LENGTH, MPI_INT, 0, 1, comm, MPI_INFO_NULL, requests);
    } else if (strcmp(family, "persistent_reduce") == 0) {
        MPI_Reduce_init_c(out, in, LENGTH, MPI_INT, MPI_SUM, 0, comm, MPI_INFO_NULL, requests);
    } else if (strcmp(family, "persistent_neighbours") == 0) {
        MPI_Cart_create(world, 1, &size, &periodic, 0, &comm);
        MPI_Neighbor_allgather_init(out, 2, MPI_INT, in, 2, MPI_INT, comm, MPI_INFO_NULL, requests);
    }
    return comm;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } families[] = {
        {"large_messages", large_messages},
        {"send_receives", send_receives},
        {"large_collective", large_collective},
        {"session", session},
        {"persistent_barrier", persistent_barrier},
        {"persistent_bcast", persistent_bcast},
        {"persistent_reduce", persistent_reduce},
        {"persistent_neighbours", persistent_neighbours},
        {"partitioned", partitioned},
        {"file", file},
    };
    const int in_session = argc > 1 && strcmp(argv[1], "session") == 0;
    MPI_Session own = MPI_SESSION_NULL;
    if (in_session) {
        MPI_Group all;
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &own);
        MPI_Group_from_session_pset(own, "mpi://WORLD", &all);
        MPI_Comm_create_from_group(all, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &world);
        MPI_Group_free(&all);
    } else {
        int provided;
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
        world = MPI_COMM_WORLD;
    }
    path = argc > 2 ? argv[2] : path;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    for (size_t i = 0; argc > 1 && i < sizeof families / sizeof families[0]; i++) {
        if (strcmp(families[i].name, argv[1]) == 0) {
            MPI_Comm comm = make(argv[1]);
            for (int round = 0; round < ROUNDS; round++) {
                MPI_Barrier(world);
                families[i].run();
            }
            if (requests[0] != MPI_REQUEST_NULL) {
                MPI_Request_free(requests);
            }
            if (comm != world) {
                MPI_Comm_free(&comm);
            }
        }
    }
    if (in_session) {
        MPI_Comm_free(&world);
        MPI_Session_finalize(&own);
    } else {
        MPI_Finalize();
    }
    return 0;
}
