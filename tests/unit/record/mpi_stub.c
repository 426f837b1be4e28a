#include "mpi_stub.h"

#include "record/mpi/wrap.h"

#include <stdlib.h>
#include <string.h>

struct MPI_ABI_Request {
    bool persistent, shared;
    int tests; /* that find it incomplete */
    int source, tag;
    MPI_Count bytes;
};
struct MPI_ABI_Comm {
    int size;
};
struct MPI_ABI_Win {
    char object;
};
struct MPI_ABI_Message {
    int source, tag;
};
struct MPI_ABI_Group {
    int size;
};

static struct MPI_ABI_Group all = {STUB_SIZE}, alone = {1};
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

static int request_new(MPI_Request *request, bool persistent, int source, int tag, MPI_Count bytes)
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
        return request_new(request, persistent, source, tag, bytes);                               \
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

int PMPI_Isend_c(const void *b, MPI_Count count, MPI_Datatype t, int dest, int tag, MPI_Comm comm,
                 MPI_Request *request)
{
    if (tag == STUB_SHARED_TAG) {
        *request = &complete;
        return MPI_SUCCESS;
    }
    return request_new(request, false, 0, tag, 0);
}

int PMPI_Parrived(MPI_Request request, int partition, int *flag)
{
    *flag = true;
    return MPI_SUCCESS;
}

/* ---- messages ---- */

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

/* ---- communicators, groups, windows ---- */

static int comm_new(MPI_Comm *comm, int size)
{
    *comm = malloc(sizeof **comm);
    (*comm)->size = size;
    return MPI_SUCCESS;
}

#define STUB_COMM(name, size, parameters)                                                          \
    int PMPI_##name parameters                                                                     \
    {                                                                                              \
        return comm_new(made, size);                                                               \
    }

STUB_COMM(Comm_dup, STUB_SIZE, (MPI_Comm comm, MPI_Comm *made))
STUB_COMM(Comm_split, 1, (MPI_Comm comm, int color, int key, MPI_Comm *made))
STUB_COMM(Cart_create, STUB_SIZE,
          (MPI_Comm comm, int dimensions, const int sizes[], const int periods[], int reorder,
           MPI_Comm *made))
STUB_COMM(Comm_create_from_group, STUB_SIZE,
          (MPI_Group group, const char *tag, MPI_Info info, MPI_Errhandler handler, MPI_Comm *made))

int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm *made, MPI_Request *request)
{
    comm_new(made, STUB_SIZE);
    return request_new(request, false, 0, 0, 0);
}

int PMPI_Comm_free(MPI_Comm *comm)
{
    free(*comm);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int PMPI_Initialized(int *flag)
{
    *flag = true;
    return MPI_SUCCESS;
}

int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    *rank = 0;
    return MPI_SUCCESS;
}

int PMPI_Comm_size(MPI_Comm comm, int *size)
{
    const bool predefined = comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF;
    *size = !predefined ? comm->size : comm == MPI_COMM_SELF ? 1 : STUB_SIZE;
    return MPI_SUCCESS;
}

int PMPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
    *flag = false;
    return MPI_SUCCESS;
}

int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    int size;
    PMPI_Comm_size(comm, &size);
    *group = size == 1 ? &alone : &all;
    return MPI_SUCCESS;
}

int PMPI_Group_free(MPI_Group *group)
{
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}

int PMPI_Group_size(MPI_Group group, int *size)
{
    *size = group->size;
    return MPI_SUCCESS;
}

int PMPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2,
                               int ranks2[])
{
    memcpy(ranks2, ranks1, (size_t)n * sizeof *ranks2);
    return MPI_SUCCESS;
}

int PMPI_Cartdim_get(MPI_Comm comm, int *dimensions)
{
    *dimensions = 1;
    return MPI_SUCCESS;
}

int PMPI_Cart_get(MPI_Comm comm, int most, int sizes[], int periods[], int own[])
{
    sizes[0] = STUB_SIZE;
    periods[0] = own[0] = 0;
    return MPI_SUCCESS;
}

int PMPI_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    *win = malloc(sizeof **win);
    return MPI_SUCCESS;
}

int PMPI_Win_free(MPI_Win *win)
{
    free(*win);
    *win = MPI_WIN_NULL;
    return MPI_SUCCESS;
}
