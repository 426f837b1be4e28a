/* Many live requests, groups and types that are never freed, and many communicators and windows
 * that are created and freed.  usage: many OBJECTS CYCLES */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, objects = argc > 1 ? atoi(argv[1]) : 1000, cycles = argc > 2 ? atoi(argv[2]) : 100;
    static double memory[8];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request *requests = malloc((size_t)objects * sizeof *requests);
    int *values = calloc((size_t)objects, sizeof *values);
    MPI_Group world, group;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 0; i < objects; i++) {
        MPI_Datatype type;
        MPI_Irecv(&values[i], 1, MPI_INT, 0, i % 1000, MPI_COMM_SELF, &requests[i]);
        MPI_Group_incl(world, 1, &rank, &group);
        MPI_Type_contiguous(1 + i % 5, MPI_INT, &type);
        MPI_Type_commit(&type);
    }
    for (int i = 0; i < objects; i++) {
        MPI_Send(&i, 1, MPI_INT, 0, i % 1000, MPI_COMM_SELF);
    }
    MPI_Waitall(objects, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < cycles; i++) {
        MPI_Comm comm;
        MPI_Win win;
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, comm, &win);
        MPI_Win_free(&win);
        MPI_Comm_free(&comm);
    }
    int sum = 0;
    for (int i = 0; i < objects; i++) {
        sum += values[i] % 7;
    }
    printf("rank %d: %d\n", rank, sum);
    free(requests);
    free(values);
    MPI_Finalize();
    return 0;
}
