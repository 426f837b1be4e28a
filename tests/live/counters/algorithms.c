/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective operations, each so many times: the environment says by which algorithms.
 *
 * usage: algorithms CALLS [switch|place]
 *
 * switch: allreduces of 16 and of 800,000 bytes only, of which the library performs each by another
 * algorithm; place: operations in place only, with the arguments that mean nothing then */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS_MOST = 16, EACH = 64, MOST = 100000 };

static double sent[MOST], received[MOST];
static int counts[RANKS_MOST], places[RANKS_MOST], ranks, rank;

static void each_operation(void)
{
    MPI_Bcast(sent, EACH, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Reduce(sent, received, EACH, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Allreduce(sent, received, EACH, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter(sent, received, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(sent, received, EACH, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Scan(sent, received, EACH, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Exscan(sent, received, EACH, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Scatter(sent, EACH, MPI_DOUBLE, received, EACH, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Alltoallv(sent, counts, places, MPI_DOUBLE, received, counts, places, MPI_DOUBLE,
                  MPI_COMM_WORLD);
    MPI_Allgatherv(sent, EACH, MPI_DOUBLE, received, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void in_place(void)
{
    const void *mine = MPI_IN_PLACE;
    const MPI_Datatype none = MPI_DATATYPE_NULL;
    MPI_Allgather(mine, -1, none, received, EACH, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Allgatherv(mine, -1, none, received, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Alltoall(mine, -1, none, received, EACH, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Alltoallv(mine, NULL, NULL, none, received, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Gather(mine, -1, none, received, EACH, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        MPI_Scatter(sent, EACH, MPI_DOUBLE, MPI_IN_PLACE, -1, none, 0, MPI_COMM_WORLD);
    } else {
        MPI_Gather(sent, EACH, MPI_DOUBLE, NULL, -1, none, 0, MPI_COMM_WORLD);
        MPI_Scatter(NULL, -1, none, received, EACH, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[2] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < ranks && i < RANKS_MOST; i++) {
        counts[i] = EACH;
        places[i] = i * EACH;
    }
    for (int i = 0; argc > 1 && i < atoi(argv[1]); i++) {
        if (strcmp(what, "switch") == 0) {
            MPI_Allreduce(sent, received, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            MPI_Allreduce(sent, received, MOST, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        } else if (strcmp(what, "place") == 0) {
            in_place();
        } else {
            each_operation();
        }
    }
    MPI_Finalize();
    return 0;
}
