/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What open calls of MPI wait for (record/paradigm/open_call.h). The functions are called when the
 * call has begun, in front of the library's.
 */
#ifndef FERMATA_RECORD_MPI_OBJECTS_AWAITED_H
#define FERMATA_RECORD_MPI_OBJECTS_AWAITED_H

#include "record/mpi/objects/comm.h"
#include "record/mpi/objects/request.h"
#include "record/mpi/objects/window.h"
#include "record/paradigm/open_call.h"

/** Bytes of `count` elements of a basic type; 0 of another one, whose size only the library knows.
 */
static inline uint64_t fm_open_bytes(MPI_Count count, MPI_Datatype type)
{
    uint64_t size = count > 0 && fm_library_readings.types ? fm_type_read_size(type) : 0;
    return (uint64_t)count * size;
}

/** Whether a rank is one of the members that a process communicates with: the library has not
 * accepted it yet. */
static inline bool fm_comm_has_peer(const struct fm_comm *comm, int rank)
{
    return rank >= 0 && rank < (comm->remote_size != 0 ? comm->remote_size : comm->size);
}

/** Whether a receive or probe names a source, or any. */
static inline bool fm_comm_has_source(const struct fm_comm *comm, int source)
{
    return source == MPI_ANY_SOURCE || fm_comm_has_peer(comm, source);
}

/** A send. @param comm  NULL: not known, nothing is stated */
FM_INLINE void fm_open_send(struct fm_thread *thread, const struct fm_comm *comm, int dest, int tag,
                            MPI_Count count, MPI_Datatype type)
{
    if (comm != NULL && fm_comm_has_peer(comm, dest)) {
        fm_open_end(thread, fm_put_message(fm_open_begin(thread), FM_RECORD_SEND, comm->number,
                                           dest, tag, fm_open_bytes(count, type)));
    }
}

/** A receive or a probe. */
FM_INLINE void fm_open_receive(struct fm_thread *thread, const struct fm_comm *comm, int source,
                               int tag)
{
    if (comm != NULL && fm_comm_has_source(comm, source)) {
        fm_open_end(thread, fm_put_awaited_message(fm_open_begin(thread), comm->number,
                                                   source == MPI_ANY_SOURCE ? -1 : source,
                                                   tag == MPI_ANY_TAG ? -1 : tag));
    }
}

/** A send and a receive in one call. */
FM_INLINE void fm_open_sendrecv(struct fm_thread *thread, const struct fm_comm *comm, int dest,
                                int sendtag, MPI_Count count, MPI_Datatype type, int source,
                                int recvtag)
{
    uint64_t *place = fm_open_begin(thread);
    if (comm != NULL && fm_comm_has_peer(comm, dest)) {
        place = fm_put_message(place, FM_RECORD_SEND, comm->number, dest, sendtag,
                               fm_open_bytes(count, type));
    }
    if (comm != NULL && fm_comm_has_source(comm, source)) {
        place = fm_put_awaited_message(place, comm->number, source == MPI_ANY_SOURCE ? -1 : source,
                                       recvtag == MPI_ANY_TAG ? -1 : recvtag);
    }
    fm_open_end(thread, place);
}

/** A collective operation of a communicator with that number; FM_DEFINE_NONE: not known.
 * @param root  of the program; MPI_ROOT, MPI_PROC_NULL, negative: none */
FM_INLINE void fm_open_members(struct fm_thread *thread, uint32_t comm, int root)
{
    if (comm != FM_DEFINE_NONE) {
        uint64_t *place = fm_put_mark(fm_open_begin(thread), FM_RECORD_COLLECTIVE_BEGIN, 0);
        fm_open_end(thread, fm_put_awaited_collective(place, comm, root));
    }
}

FM_INLINE void fm_open_collective(struct fm_thread *thread, const struct fm_comm *comm, int root)
{
    if (comm != NULL) {
        fm_open_members(thread, comm->number, root);
    }
}

/** A collective operation on a window; or of a communicator that makes one. */
FM_INLINE void fm_open_window(struct fm_thread *thread, const struct fm_win *win)
{
    if (win != NULL) {
        uint64_t *place = fm_put_mark(fm_open_begin(thread), FM_RECORD_WIN_COLLECTIVE_BEGIN, 0);
        fm_open_end(thread, fm_put_mark(place, FM_RECORD_AWAITED_WINDOW, win->number));
    }
}

FM_INLINE void fm_open_window_creation(struct fm_thread *thread, const struct fm_comm *comm)
{
    if (comm != NULL) {
        fm_open_rma_collective(thread, comm->number, -1);
    }
}

/** A call that waits for a target of a window; negative: for all. */
FM_INLINE void fm_open_target(struct fm_thread *thread, const struct fm_win *win, int target)
{
    if (win != NULL && target < win->size) {
        fm_open_end(thread, fm_put_awaited_target(fm_open_begin(thread), win->number, target));
    }
}

/** States a request that the call waits for, as by fm_request_put_test, with what it waits for.
 * @return the place behind it: at most FM_WORDS_AWAITED_REQUEST words */
enum { FM_WORDS_AWAITED_REQUEST = FM_WORDS_AWAITED_MESSAGE + FM_WORDS_REQUEST_TEST };
FM_INLINE uint64_t *fm_put_awaited_request(uint64_t *place, const struct fm_request *request)
{
    if (!request->active || request->kind == FM_REQUEST_SILENT) {
        return place;
    }
    if (request->kind == FM_REQUEST_RECEIVE) {
        place = fm_put_awaited_message(place, request->ref, request->peer, request->tag);
    } else if (request->kind == FM_REQUEST_SENDRECV && request->id != 0) {
        place = fm_put_awaited_message(place, request->ref, request->source, request->recvtag);
    } else if (request->kind == FM_REQUEST_COLLECTIVE) {
        place = fm_put_awaited_collective(
            place, request->ref, request->root <= (uint32_t)INT32_MAX ? (int)request->root : -1);
    }
    return fm_request_put_test(place, request);
}

/** A call that waits for a request; NULL: for none. */
FM_INLINE void fm_open_request(struct fm_thread *thread, const struct fm_request *request)
{
    if (request != NULL) {
        fm_open_end(thread, fm_put_awaited_request(fm_open_begin(thread), request));
    }
}

/** A call that waits for several requests, of which some may be NULL. */
static inline void fm_open_requests(struct fm_thread *thread, struct fm_request *const *requests,
                                    int count)
{
    uint64_t *place = fm_open_begin(thread);
    const uint64_t *last =
        place + FM_OPEN_WORDS - FM_WORDS_AWAITED_REQUEST - FM_WORDS_AWAITED_OMITTED;
    int i = 0;
    for (; i < count && place <= last; i++) {
        place = requests[i] != NULL ? fm_put_awaited_request(place, requests[i]) : place;
    }
    if (i < count) {
        place[0] = fm_record_header(FM_RECORD_AWAITED_OMITTED, 0, 0);
        place[1] = (uint64_t)(count - i);
        place += FM_WORDS_AWAITED_OMITTED;
    }
    fm_open_end(thread, place);
}

#endif
