/* SPDX-License-Identifier: BSD-3-Clause */
/* A stub of an ARMCI library that is not ARMCI-MPI: a wait concerns its handle. It moves no data.
 */
#include <mpi.h>
#include <stdlib.h>

typedef struct {
    int words[2];
} handle_t;

void ARMCI_INIT_HANDLE(handle_t *handle)
{
    *handle = (handle_t){{-1, 1}}; /* as ARMCI-MPI: only the library tells the difference */
}

void ARMCI_Group_get_world(void *group)
{
    *(int *)group = 0;
}

int ARMCI_Group_rank(void *group, int *rank)
{
    (void)group;
    return MPI_Comm_rank(MPI_COMM_WORLD, rank);
}

void ARMCI_Group_size(void *group, int *size)
{
    (void)group;
    MPI_Comm_size(MPI_COMM_WORLD, size);
}

int ARMCI_Absolute_id(void *group, int rank)
{
    (void)group;
    return rank;
}

int ARMCI_Init(void)
{
    return 0;
}

int ARMCI_Malloc(void **pointers, long bytes)
{
    int me, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    pointers[me] = malloc((size_t)bytes);
    return MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, pointers, sizeof *pointers, MPI_BYTE,
                         MPI_COMM_WORLD);
}

int ARMCI_NbPut(void *src, void *dst, int size, int proc, handle_t *handle)
{
    (void)src, (void)dst, (void)size, (void)proc, (void)handle;
    return 0;
}

int ARMCI_Wait(handle_t *handle)
{
    (void)handle;
    return 0;
}

void ARMCI_Barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

int ARMCI_Free(void *pointer)
{
    free(pointer);
    return 0;
}

int ARMCI_Finalize(void)
{
    return 0;
}
