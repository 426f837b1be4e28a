/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent requests: every start is recorded as a new operation. Those of collectives are made in
 * collective.h. */
#include "record/mpi/objects/partitioned.h"
#include "record/mpi/objects/request.h"

static void remember(struct fm_thread *thread, enum fm_request_kind kind, int peer, int tag,
                     uint64_t bytes, MPI_Comm comm, MPI_Request handle)
{
    struct fm_comm *c = fm_comm_find(thread, comm);
    struct fm_request request = {.persistent = true, .peer = peer, .tag = tag, .bytes = bytes};
    request.kind = peer != MPI_PROC_NULL && c != NULL ? kind : FM_REQUEST_SILENT;
    request.ref = c != NULL ? c->number : FM_DEFINE_NONE;
    fm_request_add(handle, &request);
}

/* The form with counts of a type. */
#define SEND_INIT(name, type)                                                                      \
    int fm_##name(const void *buf, type count, MPI_Datatype datatype, int dest, int tag,           \
                  MPI_Comm comm, MPI_Request *request)                                             \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter(FM_FUNCTION_##name);                              \
        int result = P##name(buf, count, datatype, dest, tag, comm, request);                      \
        if (thread != NULL) {                                                                      \
            fm_thread_leave(thread, 0);                                                            \
            if (result == MPI_SUCCESS) {                                                           \
                remember(thread, FM_REQUEST_SEND, dest, tag, fm_type_bytes(count, datatype), comm, \
                         *request);                                                                \
            }                                                                                      \
            fm_thread_done(thread);                                                                \
        }                                                                                          \
        return result;                                                                             \
    }

#define RECV_INIT(name, type)                                                                      \
    int fm_##name(void *buf, type count, MPI_Datatype datatype, int source, int tag,               \
                  MPI_Comm comm, MPI_Request *request)                                             \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter(FM_FUNCTION_##name);                              \
        int result = P##name(buf, count, datatype, source, tag, comm, request);                    \
        if (thread != NULL) {                                                                      \
            fm_thread_leave(thread, 0);                                                            \
            if (result == MPI_SUCCESS) {                                                           \
                remember(thread, FM_REQUEST_RECEIVE, source, tag, 0, comm, *request);              \
            }                                                                                      \
            fm_thread_done(thread);                                                                \
        }                                                                                          \
        return result;                                                                             \
    }

SEND_INIT(MPI_Send_init, int)
SEND_INIT(MPI_Bsend_init, int)
SEND_INIT(MPI_Ssend_init, int)
SEND_INIT(MPI_Rsend_init, int)
RECV_INIT(MPI_Recv_init, int)
SEND_INIT(MPI_Send_init_c, MPI_Count)
SEND_INIT(MPI_Bsend_init_c, MPI_Count)
SEND_INIT(MPI_Ssend_init_c, MPI_Count)
SEND_INIT(MPI_Rsend_init_c, MPI_Count)
RECV_INIT(MPI_Recv_init_c, MPI_Count)

static void record_start(struct fm_thread *thread, MPI_Request handle)
{
    struct fm_request *request = fm_request_claim(handle);
    if (request == NULL) {
        return;
    }
    if (request->persistent) {
        request->active = true;
        request->id = fm_thread_new_id(thread);
        if (request->kind == FM_REQUEST_SEND) {
            size_t words = FM_WORDS_ISEND + fm_words_above(request->bytes);
            uint64_t *r = fm_thread_reserve(thread, words);
            r = fm_put_message(r, FM_RECORD_ISEND, request->ref, request->peer, request->tag,
                               request->bytes);
            *r = request->id;
        } else if (request->kind == FM_REQUEST_RECEIVE) {
            fm_put_id(fm_thread_reserve(thread, FM_WORDS_IRECV_REQUEST), FM_RECORD_IRECV_REQUEST, 0,
                      request->id);
        } else if (request->kind == FM_REQUEST_PARTITIONED) {
            fm_partitioned_start(thread, request->partitioned, request->id);
        } else if (request->kind == FM_REQUEST_COLLECTIVE) {
            fm_put_id(fm_thread_reserve(thread, FM_WORDS_COLLECTIVE_REQUEST),
                      FM_RECORD_COLLECTIVE_REQUEST, 0, request->id);
        }
    }
    fm_request_return(request);
}

int fm_MPI_Start(MPI_Request *request)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Start);
    int result = PMPI_Start(request);
    if (thread != NULL) {
        fm_thread_leave(thread, 0);
        if (result == MPI_SUCCESS) {
            record_start(thread, *request);
        }
        fm_thread_done(thread);
    }
    return result;
}

int fm_MPI_Startall(int count, MPI_Request array_of_requests[])
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Startall);
    int result = PMPI_Startall(count, array_of_requests);
    if (thread != NULL) {
        fm_thread_leave(thread, 0);
        for (int i = 0; result == MPI_SUCCESS && i < count; i++) {
            record_start(thread, array_of_requests[i]);
        }
        fm_thread_done(thread);
    }
    return result;
}
