/* SPDX-License-Identifier: BSD-3-Clause */
/* The wrappers of one form (wrap.h) of the calls that send and receive messages. */

#define BLOCKING_SEND(name)                                                                        \
    int FM_FORM(fm_, name)(const void *buf, FM_COUNT count, MPI_Datatype datatype, int dest,       \
                           int tag, MPI_Comm comm)                                                 \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter_brief(FM_FORM(FM_FUNCTION_, name));               \
        if (thread == NULL) {                                                                      \
            return FM_FORM(P, name)(buf, count, datatype, dest, tag, comm);                        \
        }                                                                                          \
        const struct fm_comm *c = fm_comm_find(thread, comm);                                      \
        fm_open_send(thread, c, dest, tag, count, datatype);                                       \
        int result = FM_FORM(P, name)(buf, count, datatype, dest, tag, comm);                      \
        record_send(thread, result, count, datatype, dest, tag, c);                                \
        return result;                                                                             \
    }

#define NONBLOCKING_SEND(name)                                                                     \
    int FM_FORM(fm_, name)(const void *buf, FM_COUNT count, MPI_Datatype datatype, int dest,       \
                           int tag, MPI_Comm comm, MPI_Request *request)                           \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter_brief(FM_FORM(FM_FUNCTION_, name));               \
        int result = FM_FORM(P, name)(buf, count, datatype, dest, tag, comm, request);             \
        if (thread != NULL) {                                                                      \
            record_isend(thread, result, count, datatype, dest, tag, comm, *request);              \
        }                                                                                          \
        return result;                                                                             \
    }

BLOCKING_SEND(MPI_Send)
BLOCKING_SEND(MPI_Bsend)
BLOCKING_SEND(MPI_Ssend)
BLOCKING_SEND(MPI_Rsend)
NONBLOCKING_SEND(MPI_Isend)
NONBLOCKING_SEND(MPI_Ibsend)
NONBLOCKING_SEND(MPI_Issend)
NONBLOCKING_SEND(MPI_Irsend)
#undef BLOCKING_SEND
#undef NONBLOCKING_SEND

int FM_FORM(fm_, MPI_Recv)(void *buf, FM_COUNT count, MPI_Datatype datatype, int source, int tag,
                           MPI_Comm comm, MPI_Status *status)
{
    struct fm_thread *thread = fm_call_enter_brief(FM_FORM(FM_FUNCTION_, MPI_Recv));
    if (thread == NULL) {
        return FM_FORM(P, MPI_Recv)(buf, count, datatype, source, tag, comm, status);
    }
    MPI_Status own;
    MPI_Status *used = status == MPI_STATUS_IGNORE ? &own : status;
    const struct fm_comm *c = fm_comm_find(thread, comm);
    fm_open_receive(thread, c, source, tag);
    int result = FM_FORM(P, MPI_Recv)(buf, count, datatype, source, tag, comm, used);
    record_recv(thread, result, c != NULL ? c->number : FM_DEFINE_NONE, used);
    return result;
}

int FM_FORM(fm_, MPI_Irecv)(void *buf, FM_COUNT count, MPI_Datatype datatype, int source, int tag,
                            MPI_Comm comm, MPI_Request *request)
{
    struct fm_thread *thread = fm_call_enter_brief(FM_FORM(FM_FUNCTION_, MPI_Irecv));
    int result = FM_FORM(P, MPI_Irecv)(buf, count, datatype, source, tag, comm, request);
    if (thread != NULL) {
        record_irecv(thread, result, source, tag, number_of(thread, comm), *request);
    }
    return result;
}

int FM_FORM(fm_, MPI_Sendrecv)(const void *sendbuf, FM_COUNT sendcount, MPI_Datatype sendtype,
                               int dest, int sendtag, void *recvbuf, FM_COUNT recvcount,
                               MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                               MPI_Status *status)
{
    struct fm_thread *thread = fm_call_enter_brief(FM_FORM(FM_FUNCTION_, MPI_Sendrecv));
    MPI_Status own;
    MPI_Status *used = status == MPI_STATUS_IGNORE ? &own : status;
    const struct fm_comm *c = thread != NULL ? fm_comm_find(thread, comm) : NULL;
    if (c != NULL) {
        fm_open_sendrecv(thread, c, dest, sendtag, sendcount, sendtype, source, recvtag);
    }
    int result = FM_FORM(P, MPI_Sendrecv)(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf,
                                          recvcount, recvtype, source, recvtag, comm, used);
    if (thread != NULL) {
        record_sendrecv(thread, result, c, dest, sendtag, sendcount, sendtype, used);
    }
    return result;
}

int FM_FORM(fm_, MPI_Sendrecv_replace)(void *buf, FM_COUNT count, MPI_Datatype datatype, int dest,
                                       int sendtag, int source, int recvtag, MPI_Comm comm,
                                       MPI_Status *status)
{
    struct fm_thread *thread = fm_call_enter_brief(FM_FORM(FM_FUNCTION_, MPI_Sendrecv_replace));
    MPI_Status own;
    MPI_Status *used = status == MPI_STATUS_IGNORE ? &own : status;
    const struct fm_comm *c = thread != NULL ? fm_comm_find(thread, comm) : NULL;
    if (c != NULL) {
        fm_open_sendrecv(thread, c, dest, sendtag, count, datatype, source, recvtag);
    }
    int result = FM_FORM(P, MPI_Sendrecv_replace)(buf, count, datatype, dest, sendtag, source,
                                                  recvtag, comm, used);
    if (thread != NULL) {
        record_sendrecv(thread, result, c, dest, sendtag, count, datatype, used);
    }
    return result;
}

int FM_FORM(fm_, MPI_Isendrecv)(const void *sendbuf, FM_COUNT sendcount, MPI_Datatype sendtype,
                                int dest, int sendtag, void *recvbuf, FM_COUNT recvcount,
                                MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                                MPI_Request *request)
{
    struct fm_thread *thread = fm_call_enter_brief(FM_FORM(FM_FUNCTION_, MPI_Isendrecv));
    int result = FM_FORM(P, MPI_Isendrecv)(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf,
                                           recvcount, recvtype, source, recvtag, comm, request);
    if (thread != NULL) {
        record_isendrecv(thread, result, comm, dest, sendtag, bytes_of(result, sendcount, sendtype),
                         source, recvtag, bytes_of(result, recvcount, recvtype), *request);
    }
    return result;
}

int FM_FORM(fm_, MPI_Isendrecv_replace)(void *buf, FM_COUNT count, MPI_Datatype datatype, int dest,
                                        int sendtag, int source, int recvtag, MPI_Comm comm,
                                        MPI_Request *request)
{
    struct fm_thread *thread = fm_call_enter_brief(FM_FORM(FM_FUNCTION_, MPI_Isendrecv_replace));
    int result = FM_FORM(P, MPI_Isendrecv_replace)(buf, count, datatype, dest, sendtag, source,
                                                   recvtag, comm, request);
    if (thread != NULL) {
        const uint64_t bytes = bytes_of(result, count, datatype);
        record_isendrecv(thread, result, comm, dest, sendtag, bytes, source, recvtag, bytes,
                         *request);
    }
    return result;
}

int FM_FORM(fm_, MPI_Mrecv)(void *buf, FM_COUNT count, MPI_Datatype type, MPI_Message *message,
                            MPI_Status *status)
{
    struct fm_thread *thread = fm_call_enter(FM_FORM(FM_FUNCTION_, MPI_Mrecv));
    if (thread == NULL) {
        return FM_FORM(P, MPI_Mrecv)(buf, count, type, message, status);
    }
    MPI_Status own;
    MPI_Status *used = status == MPI_STATUS_IGNORE ? &own : status;
    uint32_t comm = comm_of_message(*message);
    int result = FM_FORM(P, MPI_Mrecv)(buf, count, type, message, used);
    record_recv(thread, result, comm, used);
    return result;
}

int FM_FORM(fm_, MPI_Imrecv)(void *buf, FM_COUNT count, MPI_Datatype type, MPI_Message *message,
                             MPI_Request *request)
{
    struct fm_thread *thread = fm_call_enter(FM_FORM(FM_FUNCTION_, MPI_Imrecv));
    if (thread == NULL) {
        return FM_FORM(P, MPI_Imrecv)(buf, count, type, message, request);
    }
    uint32_t comm = comm_of_message(*message);
    int result = FM_FORM(P, MPI_Imrecv)(buf, count, type, message, request);
    record_irecv(thread, result, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, *request);
    return result;
}
