/* SPDX-License-Identifier: BSD-3-Clause */
/* Stretches of MPI calls that are recorded in turn (in_turn.h), from MPI_Init to MPI_Finalize. */
#include "in_turn.h"

#include <mpi.h>

#define MPI_IN_TURN(type, name, parameters, arguments)                                             \
    IN_TURN(type, MPI_##name, PMPI_##name, parameters, arguments)

MPI_IN_TURN(double, Wtime, (void), ())
MPI_IN_TURN(int, Isend,
            (const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
             MPI_Request *request),
            (data, count, type, to, tag, comm, request))
MPI_IN_TURN(int, Irecv,
            (void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Request *request),
            (data, count, type, from, tag, comm, request))
MPI_IN_TURN(int, Send,
            (const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm),
            (data, count, type, to, tag, comm))
MPI_IN_TURN(int, Recv,
            (void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status *status),
            (data, count, type, from, tag, comm, status))
MPI_IN_TURN(int, Sendrecv,
            (const void *data, int count, MPI_Datatype type, int to, int tag, void *in,
             int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
             MPI_Status *status),
            (data, count, type, to, tag, in, in_count, in_type, from, in_tag, comm, status))
MPI_IN_TURN(int, Wait, (MPI_Request * request, MPI_Status *status), (request, status))
MPI_IN_TURN(int, Waitall, (int count, MPI_Request *requests, MPI_Status *statuses),
            (count, requests, statuses))
MPI_IN_TURN(int, Barrier, (MPI_Comm comm), (comm))
MPI_IN_TURN(int, Bcast, (void *data, int count, MPI_Datatype type, int root, MPI_Comm comm),
            (data, count, type, root, comm))
MPI_IN_TURN(int, Allreduce,
            (const void *data, void *result, int count, MPI_Datatype type, MPI_Op op,
             MPI_Comm comm),
            (data, result, count, type, op, comm))
MPI_IN_TURN(int, Put,
            (const void *data, int count, MPI_Datatype type, int target, MPI_Aint place,
             int target_count, MPI_Datatype target_type, MPI_Win window),
            (data, count, type, target, place, target_count, target_type, window))
MPI_IN_TURN(int, Win_fence, (int assertion, MPI_Win window), (assertion, window))
MPI_IN_TURN(int, Win_post, (MPI_Group group, int assertion, MPI_Win window),
            (group, assertion, window))
MPI_IN_TURN(int, Win_start, (MPI_Group group, int assertion, MPI_Win window),
            (group, assertion, window))
MPI_IN_TURN(int, Win_complete, (MPI_Win window), (window))
MPI_IN_TURN(int, Win_wait, (MPI_Win window), (window))
MPI_IN_TURN(int, Win_lock, (int type, int target, int assertion, MPI_Win window),
            (type, target, assertion, window))
MPI_IN_TURN(int, Win_unlock, (int target, MPI_Win window), (target, window))

static void separate(void)
{
    static int (*recorded)(int *, int *);
    if (recorded == NULL) {
        recorded = (int (*)(int *, int *))(uintptr_t)dlsym(RTLD_NEXT, "MPI_Get_version");
    }
    int version, part;
    recorded(&version, &part);
}

int MPI_Init(int *count, char ***values)
{
    WAYS_OF(int, MPI_Init, PMPI_Init, (int *, char ***))
    int result = ways[RECORDED](count, values);
    begin();
    return result;
}

int MPI_Init_thread(int *count, char ***values, int required, int *provided)
{
    WAYS_OF(int, MPI_Init_thread, PMPI_Init_thread, (int *, char ***, int, int *))
    int result = ways[RECORDED](count, values, required, provided);
    begin();
    return result;
}

int MPI_Finalize(void)
{
    WAYS_OF(int, MPI_Finalize, PMPI_Finalize, (void))
    end();
    return ways[RECORDED]();
}
