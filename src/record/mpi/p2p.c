/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocking and non-blocking point-to-point calls. */
#include "record/mpi/objects/awaited.h"
#include "record/mpi/objects/request.h"

/* @param c  NULL: not known */
FM_INLINE void record_send(struct fm_thread *thread, int result, MPI_Count count,
                           MPI_Datatype datatype, int dest, int tag, const struct fm_comm *c)
{
    if (c != NULL && result == MPI_SUCCESS && dest != MPI_PROC_NULL) {
        uint64_t bytes = fm_type_bytes(count, datatype);
        uint64_t *r = fm_thread_leave(thread, FM_WORDS_SEND + fm_words_above(bytes));
        fm_put_message(r, FM_RECORD_SEND, c->number, dest, tag, bytes);
    } else {
        fm_thread_leave(thread, 0);
    }
    fm_thread_done(thread);
}

static void record_isend(struct fm_thread *thread, int result, MPI_Count count,
                         MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                         MPI_Request handle)
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

FM_INLINE void record_irecv(struct fm_thread *thread, int result, int source, int tag,
                            uint32_t comm, MPI_Request handle)
{
    struct fm_request request = {.active = true, .ref = comm};
    if (result == MPI_SUCCESS && source != MPI_PROC_NULL && comm != FM_DEFINE_NONE) {
        uint64_t *r = fm_thread_leave(thread, FM_WORDS_IRECV_REQUEST);
        request.kind = FM_REQUEST_RECEIVE;
        request.peer = source == MPI_ANY_SOURCE ? -1 : source;
        request.tag = tag == MPI_ANY_TAG ? -1 : tag;
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

/* Send and receive in one call; either may be to or from MPI_PROC_NULL. */
static void record_sendrecv(struct fm_thread *thread, int result, const struct fm_comm *c, int dest,
                            int sendtag, MPI_Count count, MPI_Datatype type,
                            const MPI_Status *status)
{
    c = result == MPI_SUCCESS ? c : NULL;
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

/* The send and the receive of one request; either may be to or from MPI_PROC_NULL.
 * @param most  bytes of the receive's buffer */
static void record_isendrecv(struct fm_thread *thread, int result, MPI_Comm comm, int dest,
                             int sendtag, uint64_t bytes, int source, int recvtag, uint64_t most,
                             MPI_Request handle)
{
    struct fm_request request = {.kind = FM_REQUEST_SENDRECV,
                                 .active = true,
                                 .source = source,
                                 .recvtag = recvtag,
                                 .most = most};
    struct fm_comm *c = result == MPI_SUCCESS ? fm_comm_find(thread, comm) : NULL;
    fm_thread_leave(thread, 0);
    if (c != NULL && dest != MPI_PROC_NULL) {
        uint64_t *r = fm_thread_reserve(thread, FM_WORDS_ISEND + fm_words_above(bytes));
        request.send_id = fm_thread_new_id(thread);
        r = fm_put_message(r, FM_RECORD_ISEND, c->number, dest, sendtag, bytes);
        *r = request.send_id;
    }
    if (c != NULL && source != MPI_PROC_NULL) {
        request.ref = c->number;
        request.id = fm_thread_new_id(thread);
        fm_put_id(fm_thread_reserve(thread, FM_WORDS_IRECV_REQUEST), FM_RECORD_IRECV_REQUEST, 0,
                  request.id);
    }
    if (request.id == 0 && request.send_id == 0) {
        request.kind = FM_REQUEST_SILENT;
    }
    if (result == MPI_SUCCESS) {
        fm_request_add(handle, &request);
    }
    fm_thread_done(thread);
}

/* Bytes of the arguments of a successful call. */
static uint64_t bytes_of(int result, MPI_Count count, MPI_Datatype type)
{
    return result == MPI_SUCCESS ? fm_type_bytes(count, type) : 0;
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

/* Records which message a successful probe has found. */
static void record_probed(struct fm_thread *thread, MPI_Comm comm, const MPI_Status *status)
{
    const uint32_t number = number_of(thread, comm);
    if (number != FM_DEFINE_NONE && status->MPI_SOURCE != MPI_PROC_NULL) {
        uint64_t *r = fm_thread_reserve(thread, FM_WORDS_PROBED);
        r[0] = fm_record_header(FM_RECORD_PROBED, 0, number);
        r[1] = (uint32_t)status->MPI_SOURCE | (uint64_t)(uint32_t)status->MPI_TAG << 32;
    }
}

int fm_MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    struct fm_thread *thread = fm_call_enter_brief(FM_FUNCTION_MPI_Probe);
    if (thread == NULL) {
        return PMPI_Probe(source, tag, comm, status);
    }
    MPI_Status own;
    MPI_Status *found = status == MPI_STATUS_IGNORE ? &own : status;
    fm_open_receive(thread, fm_comm_find(thread, comm), source, tag);
    int result = PMPI_Probe(source, tag, comm, found);
    fm_thread_leave(thread, 0);
    if (result == MPI_SUCCESS) {
        record_probed(thread, comm, found);
    }
    fm_thread_done(thread);
    return result;
}

int fm_MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    struct fm_thread *thread = fm_call_enter_brief(FM_FUNCTION_MPI_Iprobe);
    if (thread == NULL) {
        return PMPI_Iprobe(source, tag, comm, flag, status);
    }
    MPI_Status own;
    MPI_Status *found = status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Iprobe(source, tag, comm, flag, found);
    if (result == MPI_SUCCESS && !*flag) {
        fm_call_leave_test(thread, true);
        return result;
    }
    fm_thread_leave(thread, 0);
    if (result == MPI_SUCCESS) {
        record_probed(thread, comm, found);
    }
    fm_thread_done(thread);
    return result;
}

int fm_MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Mprobe);
    MPI_Status own;
    MPI_Status *found = thread != NULL && status == MPI_STATUS_IGNORE ? &own : status;
    if (thread != NULL) {
        fm_open_receive(thread, fm_comm_find(thread, comm), source, tag);
    }
    int result = PMPI_Mprobe(source, tag, comm, message, found);
    if (thread != NULL) {
        fm_thread_leave(thread, 0);
        if (result == MPI_SUCCESS) {
            remember_message(thread, *message, comm);
            record_probed(thread, comm, found);
        }
        fm_thread_done(thread);
    }
    return result;
}

int fm_MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                   MPI_Status *status)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Improbe);
    MPI_Status own;
    MPI_Status *found = thread != NULL && status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Improbe(source, tag, comm, flag, message, found);
    if (thread != NULL) {
        if (result == MPI_SUCCESS && !*flag) {
            fm_call_leave_test(thread, true);
            return result;
        }
        fm_thread_leave(thread, 0);
        if (result == MPI_SUCCESS) {
            remember_message(thread, *message, comm);
            record_probed(thread, comm, found);
        }
        fm_thread_done(thread);
    }
    return result;
}

#define FM_COUNT int
#define FM_SUFFIX
#include "record/mpi/counted/p2p_counted.h"
#undef FM_COUNT
#undef FM_SUFFIX
#define FM_COUNT  MPI_Count
#define FM_SUFFIX _c
#include "record/mpi/counted/p2p_counted.h"
