/* Blocking and non-blocking point-to-point calls. */
#include "record/mpi/objects/request.h"

#define BLOCKING_SEND(name)                                                                        \
    int fm_##name(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,            \
                  MPI_Comm comm)                                                                   \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter(FM_FUNCTION_##name);                              \
        int result = P##name(buf, count, datatype, dest, tag, comm);                               \
        if (thread != NULL) {                                                                      \
            record_send(thread, result, count, datatype, dest, tag, comm);                         \
        }                                                                                          \
        return result;                                                                             \
    }

#define NONBLOCKING_SEND(name)                                                                     \
    int fm_##name(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,            \
                  MPI_Comm comm, MPI_Request *request)                                             \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter(FM_FUNCTION_##name);                              \
        int result = P##name(buf, count, datatype, dest, tag, comm, request);                      \
        if (thread != NULL) {                                                                      \
            record_isend(thread, result, count, datatype, dest, tag, comm, *request);              \
        }                                                                                          \
        return result;                                                                             \
    }

FM_INLINE void record_send(struct fm_thread *thread, int result, int count, MPI_Datatype datatype,
                           int dest, int tag, MPI_Comm comm)
{
    struct fm_comm *c = NULL;
    if (result == MPI_SUCCESS && dest != MPI_PROC_NULL) {
        c = fm_comm_find(thread, comm);
    }
    if (c != NULL) {
        uint64_t bytes = fm_type_bytes(count, datatype);
        uint64_t *r = fm_thread_leave(thread, FM_WORDS_SEND + fm_words_above(bytes));
        fm_put_message(r, FM_RECORD_SEND, c->number, dest, tag, bytes);
    } else {
        fm_thread_leave(thread, 0);
    }
    fm_thread_done(thread);
}

static void record_isend(struct fm_thread *thread, int result, int count, MPI_Datatype datatype,
                         int dest, int tag, MPI_Comm comm, MPI_Request handle)
{
    struct fm_request request = {.active = true};
    struct fm_comm *c = NULL;
    if (result == MPI_SUCCESS && dest != MPI_PROC_NULL) {
        c = fm_comm_find(thread, comm);
    }
    if (c != NULL) {
        uint64_t bytes = fm_type_bytes(count, datatype);
        uint64_t *r = fm_thread_leave(thread, FM_WORDS_ISEND + fm_words_above(bytes));
        request.kind = FM_REQUEST_SEND;
        request.id = fm_thread_new_id(thread);
        r = fm_put_message(r, FM_RECORD_ISEND, c->number, dest, tag, bytes);
        *r = request.id;
    } else {
        fm_thread_leave(thread, 0);
    }
    if (result == MPI_SUCCESS) {
        fm_request_add(handle, &request);
    }
    fm_thread_done(thread);
}

FM_INLINE void record_irecv(struct fm_thread *thread, int result, int source, uint32_t comm,
                            MPI_Request handle)
{
    struct fm_request request = {.active = true, .ref = comm};
    if (result == MPI_SUCCESS && source != MPI_PROC_NULL && comm != FM_DEFINE_NONE) {
        uint64_t *r = fm_thread_leave(thread, FM_WORDS_IRECV_REQUEST);
        request.kind = FM_REQUEST_RECEIVE;
        request.id = fm_thread_new_id(thread);
        fm_put_id(r, FM_RECORD_IRECV_REQUEST, 0, request.id);
    } else {
        fm_thread_leave(thread, 0);
    }
    if (result == MPI_SUCCESS) {
        fm_request_add(handle, &request);
    }
    fm_thread_done(thread);
}

static void record_recv(struct fm_thread *thread, int result, uint32_t comm,
                        const MPI_Status *status)
{
    if (result == MPI_SUCCESS && comm != FM_DEFINE_NONE && status->MPI_SOURCE != MPI_PROC_NULL) {
        uint64_t bytes = fm_status_bytes(status);
        uint64_t *r = fm_thread_leave(thread, FM_WORDS_RECV + fm_words_above(bytes));
        fm_put_message(r, FM_RECORD_RECV, comm, status->MPI_SOURCE, status->MPI_TAG, bytes);
    } else {
        fm_thread_leave(thread, 0);
    }
    fm_thread_done(thread);
}

static uint32_t number_of(struct fm_thread *thread, MPI_Comm comm)
{
    struct fm_comm *c = fm_comm_find(thread, comm);
    return c != NULL ? c->number : FM_DEFINE_NONE;
}

BLOCKING_SEND(MPI_Send)
BLOCKING_SEND(MPI_Bsend)
BLOCKING_SEND(MPI_Ssend)
BLOCKING_SEND(MPI_Rsend)
NONBLOCKING_SEND(MPI_Isend)
NONBLOCKING_SEND(MPI_Ibsend)
NONBLOCKING_SEND(MPI_Issend)
NONBLOCKING_SEND(MPI_Irsend)

int fm_MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                MPI_Status *status)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Recv);
    if (thread == NULL) {
        return PMPI_Recv(buf, count, datatype, source, tag, comm, status);
    }
    MPI_Status own;
    MPI_Status *used = status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Recv(buf, count, datatype, source, tag, comm, used);
    record_recv(thread, result, number_of(thread, comm), used);
    return result;
}

int fm_MPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                 MPI_Request *request)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Irecv);
    int result = PMPI_Irecv(buf, count, datatype, source, tag, comm, request);
    if (thread != NULL) {
        record_irecv(thread, result, source, number_of(thread, comm), *request);
    }
    return result;
}

/* Send and receive in one call; either may be to or from MPI_PROC_NULL. */
static void record_sendrecv(struct fm_thread *thread, int result, MPI_Comm comm, int dest,
                            int sendtag, int count, MPI_Datatype type, const MPI_Status *status)
{
    struct fm_comm *c = result == MPI_SUCCESS ? fm_comm_find(thread, comm) : NULL;
    fm_thread_leave(thread, 0);
    if (c != NULL && dest != MPI_PROC_NULL) {
        uint64_t bytes = fm_type_bytes(count, type);
        fm_put_message(fm_thread_reserve(thread, FM_WORDS_SEND + fm_words_above(bytes)),
                       FM_RECORD_SEND, c->number, dest, sendtag, bytes);
    }
    if (c != NULL && status->MPI_SOURCE != MPI_PROC_NULL) {
        uint64_t bytes = fm_status_bytes(status);
        fm_put_message(fm_thread_reserve(thread, FM_WORDS_RECV + fm_words_above(bytes)),
                       FM_RECORD_RECV, c->number, status->MPI_SOURCE, status->MPI_TAG, bytes);
    }
    fm_thread_done(thread);
}

int fm_MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
                    int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype, int source,
                    int recvtag, MPI_Comm comm, MPI_Status *status)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Sendrecv);
    MPI_Status own;
    MPI_Status *used = status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,
                               recvtype, source, recvtag, comm, used);
    if (thread != NULL) {
        record_sendrecv(thread, result, comm, dest, sendtag, sendcount, sendtype, used);
    }
    return result;
}

int fm_MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag,
                            int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Sendrecv_replace);
    MPI_Status own;
    MPI_Status *used = status == MPI_STATUS_IGNORE ? &own : status;
    int result =
        PMPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm, used);
    if (thread != NULL) {
        record_sendrecv(thread, result, comm, dest, sendtag, count, datatype, used);
    }
    return result;
}

/* Communicators of matched probes by message handle: MPI has no query for them. */
static struct fm_handle_map messages = FM_HANDLE_MAP(0);

static void remember_message(struct fm_thread *thread, MPI_Message message, MPI_Comm comm)
{
    uint32_t number = number_of(thread, comm);
    if (number != FM_DEFINE_NONE && message != MPI_MESSAGE_NULL && message != MPI_MESSAGE_NO_PROC) {
        fm_handles_insert(&messages, FM_HANDLE(message), (void *)((uintptr_t)number + 1));
    }
}

static uint32_t comm_of_message(MPI_Message message)
{
    uintptr_t number = (uintptr_t)fm_handles_remove(&messages, FM_HANDLE(message));
    return number != 0 ? (uint32_t)(number - 1) : FM_DEFINE_NONE;
}

int fm_MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Mprobe);
    int result = PMPI_Mprobe(source, tag, comm, message, status);
    if (thread != NULL) {
        fm_thread_leave(thread, 0);
        if (result == MPI_SUCCESS) {
            remember_message(thread, *message, comm);
        }
        fm_thread_done(thread);
    }
    return result;
}

int fm_MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                   MPI_Status *status)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Improbe);
    int result = PMPI_Improbe(source, tag, comm, flag, message, status);
    if (thread != NULL) {
        fm_thread_leave(thread, 0);
        if (result == MPI_SUCCESS && *flag) {
            remember_message(thread, *message, comm);
        }
        fm_thread_done(thread);
    }
    return result;
}

int fm_MPI_Mrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Mrecv);
    if (thread == NULL) {
        return PMPI_Mrecv(buf, count, type, message, status);
    }
    MPI_Status own;
    MPI_Status *used = status == MPI_STATUS_IGNORE ? &own : status;
    uint32_t comm = comm_of_message(*message);
    int result = PMPI_Mrecv(buf, count, type, message, used);
    record_recv(thread, result, comm, used);
    return result;
}

int fm_MPI_Imrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message,
                  MPI_Request *request)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Imrecv);
    if (thread == NULL) {
        return PMPI_Imrecv(buf, count, type, message, request);
    }
    uint32_t comm = comm_of_message(*message);
    int result = PMPI_Imrecv(buf, count, type, message, request);
    record_irecv(thread, result, MPI_ANY_SOURCE, comm, *request);
    return result;
}
