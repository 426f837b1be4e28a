/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi_stub.h"

#include "record/user/pcontrol.h"

#include <stdlib.h>
#include <string.h>

struct MPI_ABI_Request {
    bool persistent, shared;
    int tests; /* that find it incomplete */
    int source, tag;
    MPI_Count bytes;
};
struct MPI_ABI_Message {
    int source, tag;
};

static struct MPI_ABI_Request complete = {.shared = true, .source = 0, .tag = STUB_SHARED_TAG};

/* ---- types and statuses ---- */

int PMPI_Type_size_x(MPI_Datatype type, MPI_Count *size)
{
    *size = type == MPI_INT ? (MPI_Count)sizeof(int) : 1;
    return MPI_SUCCESS;
}

int PMPI_Get_elements_x(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count)
{
    (void)datatype;
    memcpy(count, status->reserved, sizeof *count);
    return MPI_SUCCESS;
}

int PMPI_Test_cancelled(const MPI_Status *status, int *flag)
{
    (void)status;
    *flag = 0;
    return MPI_SUCCESS;
}

static int state(MPI_Status *status, int source, int tag, MPI_Count bytes)
{
    if (status != MPI_STATUS_IGNORE) {
        *status = (MPI_Status){.MPI_SOURCE = source, .MPI_TAG = tag};
        memcpy(status->reserved, &bytes, sizeof bytes);
    }
    return MPI_SUCCESS;
}

/* ---- requests ---- */

int stub_request(MPI_Request *request, bool persistent, int source, int tag, MPI_Count bytes)
{
    *request = malloc(sizeof **request);
    **request = (struct MPI_ABI_Request){persistent, false, 1, source, tag, bytes};
    return MPI_SUCCESS;
}

int PMPI_Request_free(MPI_Request *request)
{
    if (!(*request)->shared) {
        free(*request);
    }
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

int PMPI_Start(MPI_Request *request)
{
    (*request)->tests = 1;
    return MPI_SUCCESS;
}

int PMPI_Startall(int count, MPI_Request array_of_requests[])
{
    for (int i = 0; i < count; i++) {
        PMPI_Start(&array_of_requests[i]);
    }
    return MPI_SUCCESS;
}

int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
    if (*request == MPI_REQUEST_NULL) {
        return state(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
    }
    state(status, (*request)->source, (*request)->tag, (*request)->bytes);
    return (*request)->persistent ? MPI_SUCCESS : PMPI_Request_free(request);
}

/* Whether a test finds it complete. */
static bool is_complete(MPI_Request request)
{
    return request == MPI_REQUEST_NULL || request->shared || request->tests-- <= 0;
}

int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    *flag = is_complete(*request);
    return *flag ? PMPI_Wait(request, status) : MPI_SUCCESS;
}

int PMPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses)
{
    for (int i = 0; i < count; i++) {
        PMPI_Wait(&array_of_requests[i], &array_of_statuses[i]);
    }
    return MPI_SUCCESS;
}

int PMPI_Testall(int count, MPI_Request array_of_requests[], int *flag,
                 MPI_Status array_of_statuses[])
{
    *flag = true;
    for (int i = 0; i < count; i++) {
        *flag &= is_complete(array_of_requests[i]);
    }
    return *flag ? PMPI_Waitall(count, array_of_requests, array_of_statuses) : MPI_SUCCESS;
}

int PMPI_Waitany(int count, MPI_Request array_of_requests[], int *index, MPI_Status *status)
{
    for (*index = 0; *index < count; ++*index) {
        if (array_of_requests[*index] != MPI_REQUEST_NULL) {
            return PMPI_Wait(&array_of_requests[*index], status);
        }
    }
    *index = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

int PMPI_Testsome(int incount, MPI_Request array_of_requests[], int *outcount,
                  int array_of_indices[], MPI_Status array_of_statuses[])
{
    int live = 0;
    *outcount = 0;
    for (int i = 0; i < incount; i++) {
        live += array_of_requests[i] != MPI_REQUEST_NULL;
        if (array_of_requests[i] != MPI_REQUEST_NULL && is_complete(array_of_requests[i])) {
            PMPI_Wait(&array_of_requests[i], &array_of_statuses[*outcount]);
            array_of_indices[(*outcount)++] = i;
        }
    }
    *outcount = live != 0 ? *outcount : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

/* ---- functions that only succeed, or make a request ---- */

#define STUB(name, parameters)                                                                     \
    int PMPI_##name parameters                                                                     \
    {                                                                                              \
        return MPI_SUCCESS;                                                                        \
    }
#define STUB_REQUEST(name, parameters, persistent, source, tag, bytes)                             \
    int PMPI_##name parameters                                                                     \
    {                                                                                              \
        return stub_request(request, persistent, source, tag, bytes);                              \
    }
#define BUFFER const void *b, int count, MPI_Datatype t
#define TARGET int rank, MPI_Aint d, int c, MPI_Datatype u

#pragma GCC diagnostic ignored "-Wunused-parameter"

STUB(Send_c, (const void *b, MPI_Count count, MPI_Datatype t, int dest, int tag, MPI_Comm comm))
STUB(Barrier, (MPI_Comm comm))
STUB(Bcast, (void *b, int count, MPI_Datatype t, int root, MPI_Comm comm))
STUB(Allreduce_c,
     (const void *b, void *r, MPI_Count count, MPI_Datatype t, MPI_Op op, MPI_Comm comm))
STUB(Put, (BUFFER, TARGET, MPI_Win win))
STUB(Get, (void *b, int count, MPI_Datatype t, TARGET, MPI_Win win))
STUB(Accumulate, (BUFFER, TARGET, MPI_Op op, MPI_Win win))
STUB(Fetch_and_op,
     (const void *b, void *r, MPI_Datatype t, int rank, MPI_Aint d, MPI_Op op, MPI_Win win))
STUB(Win_lock, (int type, int rank, int assert, MPI_Win win))
STUB(Win_unlock, (int rank, MPI_Win win))
STUB(Win_lock_all, (int assert, MPI_Win win))
STUB(Win_unlock_all, (MPI_Win win))
STUB(Win_flush, (int rank, MPI_Win win))
STUB(Win_flush_all, (MPI_Win win))
STUB(Win_flush_local, (int rank, MPI_Win win))
STUB(Win_fence, (int assert, MPI_Win win))
STUB(Win_start, (MPI_Group group, int assert, MPI_Win win))
STUB(Win_complete, (MPI_Win win))
STUB(Win_post, (MPI_Group group, int assert, MPI_Win win))
STUB(Win_wait, (MPI_Win win))
STUB(Win_set_name, (MPI_Win win, const char *name))
STUB(Comm_set_name, (MPI_Comm comm, const char *name))
STUB(Pready, (int partition, MPI_Request request))
STUB(Neighbor_allgather, (BUFFER, void *r, int recvcount, MPI_Datatype u, MPI_Comm comm))
STUB(File_set_size, (MPI_File fh, MPI_Offset size))
STUB(File_write_at_all_begin, (MPI_File fh, MPI_Offset offset, BUFFER))

STUB_REQUEST(Isend, (BUFFER, int dest, int tag, MPI_Comm comm, MPI_Request *request), false, 0, tag,
             0)
STUB_REQUEST(Irecv,
             (void *b, int count, MPI_Datatype t, int source, int tag, MPI_Comm comm,
              MPI_Request *request),
             false, source, tag, (MPI_Count)sizeof(int) * count)
STUB_REQUEST(Iallreduce,
             (const void *b, void *r, int count, MPI_Datatype t, MPI_Op op, MPI_Comm comm,
              MPI_Request *request),
             false, 0, 0, 0)
STUB_REQUEST(Allreduce_init,
             (const void *b, void *r, int count, MPI_Datatype t, MPI_Op op, MPI_Comm comm,
              MPI_Info info, MPI_Request *request),
             true, 0, 0, 0)
STUB_REQUEST(Send_init, (BUFFER, int dest, int tag, MPI_Comm comm, MPI_Request *request), true, 0,
             tag, 0)
STUB_REQUEST(Recv_init,
             (void *b, int count, MPI_Datatype t, int source, int tag, MPI_Comm comm,
              MPI_Request *request),
             true, source, tag, (MPI_Count)sizeof(int) * count)
STUB_REQUEST(Psend_init,
             (const void *b, int partitions, MPI_Count count, MPI_Datatype t, int dest, int tag,
              MPI_Comm comm, MPI_Info info, MPI_Request *request),
             true, 0, tag, 0)
STUB_REQUEST(Precv_init,
             (void *b, int partitions, MPI_Count count, MPI_Datatype t, int source, int tag,
              MPI_Comm comm, MPI_Info info, MPI_Request *request),
             true, source, tag, partitions *count)
STUB_REQUEST(Rput, (BUFFER, TARGET, MPI_Win win, MPI_Request *request), false, 0, 0, 0)
STUB_REQUEST(Isendrecv,
             (BUFFER, int dest, int sendtag, void *r, int recvcount, MPI_Datatype u, int source,
              int tag, MPI_Comm comm, MPI_Request *request),
             false, source, tag, (MPI_Count)sizeof(int) * recvcount)
STUB_REQUEST(File_iwrite_at, (MPI_File fh, MPI_Offset offset, BUFFER, MPI_Request *request), false,
             0, 0, (MPI_Count)sizeof(int) * count)
STUB_REQUEST(File_iwrite_all, (MPI_File fh, BUFFER, MPI_Request *request), false, 0, 0,
             (MPI_Count)sizeof(int) * count)

int PMPI_Isend_c(const void *b, MPI_Count count, MPI_Datatype t, int dest, int tag, MPI_Comm comm,
                 MPI_Request *request)
{
    if (tag == STUB_SHARED_TAG) {
        *request = &complete;
        return MPI_SUCCESS;
    }
    return stub_request(request, false, 0, tag, 0);
}

int PMPI_Parrived(MPI_Request request, int partition, int *flag)
{
    *flag = true;
    return MPI_SUCCESS;
}

/* ---- messages and files ---- */

int PMPI_Recv(void *b, int count, MPI_Datatype t, int source, int tag, MPI_Comm comm,
              MPI_Status *status)
{
    return state(status, source, tag, (MPI_Count)sizeof(int) * count);
}

int PMPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    *message = malloc(sizeof **message);
    **message = (struct MPI_ABI_Message){source, tag};
    return state(status, source, tag, 0);
}

int PMPI_Mrecv(void *b, int count, MPI_Datatype t, MPI_Message *message, MPI_Status *status)
{
    state(status, (*message)->source, (*message)->tag, (MPI_Count)sizeof(int) * count);
    free(*message);
    *message = MPI_MESSAGE_NULL;
    return MPI_SUCCESS;
}

int PMPI_File_write_at_all_c(MPI_File fh, MPI_Offset offset, const void *b, MPI_Count count,
                             MPI_Datatype t, MPI_Status *status)
{
    return state(status, 0, 0, (MPI_Count)sizeof(int) * count);
}

int PMPI_File_write_at_all_end(MPI_File fh, const void *b, MPI_Status *status)
{
    return state(status, 0, 0, 0);
}

/* Of the recorder: no regions here. */
bool fm_pcontrol_has_names(void)
{
    return false;
}

void fm_pcontrol(int level, const char *name)
{
    (void)level, (void)name;
}
