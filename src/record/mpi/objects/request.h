/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Requests of the program. The MPI library may return the same handle for several requests at once
 * (for those that are complete from the start), and reuses handles: a table maps each handle to a
 * queue of requests, oldest first. A completing call removes (claims) its requests from the table
 * before it calls the library, so that another thread's new request with a reused handle is never
 * mistaken for them.
 */
#ifndef FERMATA_RECORD_MPI_OBJECTS_REQUEST_H
#define FERMATA_RECORD_MPI_OBJECTS_REQUEST_H

#include "record/mpi/objects/comm.h"
#include "record/mpi/wrap.h"

enum fm_request_kind {
    FM_REQUEST_SILENT, /**< nothing to record, e.g. a message to MPI_PROC_NULL */
    FM_REQUEST_SEND,
    FM_REQUEST_RECEIVE,
    FM_REQUEST_SENDRECV, /**< MPI_Isendrecv */
    FM_REQUEST_PARTITIONED,
    FM_REQUEST_COLLECTIVE,
    FM_REQUEST_COMM, /**< MPI_Comm_idup */
    FM_REQUEST_FILE, /**< access to a file */
    FM_REQUEST_RMA
};

/** A live request. */
struct fm_request {
    struct fm_request *next;
    uint64_t handle;
    uint64_t id; /**< of the operation's records */
    enum fm_request_kind kind;
    bool persistent;
    bool active;  /**< started and not yet completed */
    uint32_t ref; /**< communicator, window or I/O handle */
    union {
        struct { /* RECEIVE: of its posting; persistent SEND: recorded at every start */
            int peer, tag;
            uint64_t bytes;
        };
        struct { /* COLLECTIVE; persistent: recorded at every start */
            uint32_t operation, root;
            uint64_t sent, received;
            uint32_t init, ordinal; /* persistent: region of the function that made it, and number
                                       among those of the communicator */
        };
        struct {              /* SENDRECV */
            uint64_t send_id; /* `id` is that of the receive; 0: with MPI_PROC_NULL */
            int source, recvtag;
            uint64_t most; /* bytes of the receive's buffer */
        };
        struct { /* COMM: where the library stores the handle */
            MPI_Comm *comm;
            struct fm_comm *parent; /**< a copy, because the program may free it; to be freed */
            uint32_t count;
        };
        struct { /* FILE; collective: the file's communicator, and the operation's number there */
            uint32_t file_comm;
            uint64_t file_collective; /* 0: individual */
        };
        struct fm_partitioned *partitioned; /* PARTITIONED */
        bool fetches; /* RMA: a get; its local completion implies its remote completion */
    };
};

/** The queue of one handle. Empty queues stay in the table, because the library reuses handles. */
struct fm_request_queue {
    uint64_t handle;
    struct fm_request *first, *last; /**< `last` is undefined if `first` is NULL */
    bool used;
};

/** Hash table of all queues, with open addressing. Private to the functions below. */
struct fm_request_table {
    fm_spin_t lock;
    struct fm_request_queue *slots;
    size_t capacity;           /**< power of two, or 0 */
    size_t room;               /**< further handles that fit before the table must grow */
    size_t live;               /**< requests in the queues; also read without the lock */
    struct fm_request *unused; /**< list of free request objects */
};
extern FM_HIDDEN struct fm_request_table fm_requests;

/** Makes room for another handle and for at least one request. The table is locked. @return false
 * without memory */
FM_COLD bool fm_request_table_grow(void);

/** The queue of a handle, or the free slot for it. The table is locked and not empty. */
static inline struct fm_request_queue *fm_request_queue(uint64_t handle)
{
    size_t mask = fm_requests.capacity - 1;
    struct fm_request_queue *queue = &fm_requests.slots[fm_handle_hash(handle) & mask];
    while (FM_UNLIKELY(queue->handle != handle && queue->used)) {
        queue = queue == &fm_requests.slots[mask] ? fm_requests.slots : queue + 1;
    }
    return queue;
}

/** Copies a request, except `next` and `handle`, member by member. The prototype was written in
 * single members shortly before: a wider load across several of them cannot be served by store
 * forwarding, and would wait until the stores have reached the cache. */
FM_INLINE void fm_request_describe(struct fm_request *request, const struct fm_request *prototype)
{
    request->id = prototype->id;
    request->kind = prototype->kind;
    request->persistent = prototype->persistent;
    request->active = prototype->active;
    request->ref = prototype->ref;
    switch (prototype->kind) {
    case FM_REQUEST_SILENT:
        break;
    case FM_REQUEST_SEND:
        if (prototype->persistent) {
            request->peer = prototype->peer;
            request->tag = prototype->tag;
            request->bytes = prototype->bytes;
        }
        break;
    case FM_REQUEST_RECEIVE:
        request->peer = prototype->peer;
        request->tag = prototype->tag;
        break;
    case FM_REQUEST_SENDRECV:
        request->send_id = prototype->send_id;
        request->source = prototype->source;
        request->recvtag = prototype->recvtag;
        request->most = prototype->most;
        break;
    case FM_REQUEST_COLLECTIVE:
        request->operation = prototype->operation;
        request->root = prototype->root;
        request->sent = prototype->sent;
        request->received = prototype->received;
        if (prototype->persistent) {
            request->init = prototype->init;
            request->ordinal = prototype->ordinal;
        }
        break;
    case FM_REQUEST_COMM:
        request->comm = prototype->comm;
        request->parent = prototype->parent;
        request->count = prototype->count;
        break;
    case FM_REQUEST_PARTITIONED:
        request->partitioned = prototype->partitioned;
        break;
    case FM_REQUEST_FILE:
        request->file_comm = prototype->file_comm;
        request->file_collective = prototype->file_collective;
        break;
    case FM_REQUEST_RMA:
        request->fetches = prototype->fetches;
        break;
    }
}

/** Counts the requests in the queues. The table is locked. */
static inline void fm_request_count(int change)
{
    __atomic_store_n(&fm_requests.live, fm_requests.live + (size_t)change, __ATOMIC_RELAXED);
}

/** fm_call_enter() of a call that completes or frees requests. While counting is switched off
 * (fm_calls_are_off), it returns NULL unless requests are open that were begun before. */
static inline __attribute__((always_inline)) struct fm_thread *
fm_completion_enter(uint32_t function)
{
    return FM_UNLIKELY(__atomic_load_n(&fm_calls_are_off, __ATOMIC_RELAXED)) &&
                   __atomic_load_n(&fm_requests.live, __ATOMIC_RELAXED) == 0
               ? NULL
               : fm_call_enter(function);
}

/** Adds a copy of `prototype` as the youngest request of a handle; `next` and `handle` of the
 * prototype are ignored. Other threads may claim it at once. @return false without memory.
 * Thread-safe. Amortized O(1). */
FM_INLINE bool fm_request_add(MPI_Request handle, const struct fm_request *prototype)
{
    fm_spin_lock(&fm_requests.lock);
    bool good =
        FM_LIKELY(fm_requests.room != 0 && fm_requests.unused != NULL) || fm_request_table_grow();
    if (good) {
        struct fm_request_queue *queue = fm_request_queue(FM_HANDLE(handle));
        struct fm_request *request = fm_requests.unused;
        fm_requests.unused = request->next;
        fm_request_describe(request, prototype);
        request->handle = FM_HANDLE(handle);
        request->next = NULL;
        if (FM_UNLIKELY(!queue->used)) {
            fm_requests.room--;
            queue->used = true;
            queue->handle = FM_HANDLE(handle);
        }
        if (FM_LIKELY(queue->first == NULL)) {
            queue->first = request;
        } else {
            queue->last->next = request;
        }
        queue->last = request;
        fm_request_count(1);
    }
    fm_spin_unlock(&fm_requests.lock);
    return good;
}

/** Removes the oldest request of a handle from the table; NULL if there is none. The caller returns
 * or releases it. Thread-safe. O(1). */
static inline struct fm_request *fm_request_claim(MPI_Request handle)
{
    struct fm_request *request = NULL;
    if (handle == MPI_REQUEST_NULL) {
        return NULL;
    }
    fm_spin_lock(&fm_requests.lock);
    if (FM_LIKELY(fm_requests.capacity != 0)) {
        struct fm_request_queue *queue = fm_request_queue(FM_HANDLE(handle));
        request = queue->first;
        if (FM_LIKELY(request != NULL)) {
            queue->first = request->next;
            fm_request_count(-1);
        }
    }
    fm_spin_unlock(&fm_requests.lock);
    return request;
}

/** The oldest request of a handle, which stays in the table; NULL if there is none. Only while no
 * other thread may call MPI (fm_mpi_is_threaded). O(1). */
static inline struct fm_request *fm_request_first(MPI_Request handle)
{
    return handle != MPI_REQUEST_NULL && fm_requests.capacity != 0
               ? fm_request_queue(FM_HANDLE(handle))->first
               : NULL;
}

/** Puts a claimed request back as the oldest of its handle. O(1). */
void fm_request_return(struct fm_request *request);

/** Frees a claimed request. O(1). */
static inline void fm_request_release(struct fm_request *request)
{
    fm_spin_lock(&fm_requests.lock);
    request->next = fm_requests.unused;
    fm_requests.unused = request;
    fm_spin_unlock(&fm_requests.lock);
}

/** fm_request_complete for all requests that are not plain messages. */
void fm_request_complete_other(struct fm_thread *thread, struct fm_request *request,
                               const MPI_Status *status);

/** Records the receipt of a message by a request. */
static inline void fm_request_received(struct fm_thread *thread, const struct fm_request *request,
                                       const MPI_Status *status)
{
    if (status->MPI_SOURCE != MPI_PROC_NULL) {
        uint64_t bytes = fm_status_bytes(status);
        uint64_t *r = fm_thread_reserve(thread, FM_WORDS_IRECV + fm_words_above(bytes));
        r = fm_put_message(r, FM_RECORD_IRECV, request->ref, status->MPI_SOURCE, status->MPI_TAG,
                           bytes);
        *r = request->id;
    }
}

/** Records that a claimed request completed, and frees it; a persistent one goes back into the
 * table. To be called between fm_thread_leave and fm_thread_done. */
static inline void fm_request_complete(struct fm_thread *thread, struct fm_request *request,
                                       const MPI_Status *status)
{
    bool plain = request->active && !request->persistent && !fm_status_cancelled(status);
    if (plain && request->kind == FM_REQUEST_RECEIVE) {
        fm_request_received(thread, request, status);
        fm_request_release(request);
    } else if (plain && request->kind == FM_REQUEST_SEND) {
        fm_put_id(fm_thread_reserve(thread, FM_WORDS_ISEND_COMPLETE), FM_RECORD_ISEND_COMPLETE, 0,
                  request->id);
        fm_request_release(request);
    } else {
        fm_request_complete_other(thread, request, status);
    }
}

/** Records that an access to a file is done: a request of kind FILE, or a split one. To be called
 * between fm_thread_leave and fm_thread_done. */
void fm_request_complete_access(struct fm_thread *thread, const struct fm_request *request,
                                const MPI_Status *status);

/** Writes the record of a test that found a request incomplete, FM_WORDS_REQUEST_TEST words.
 * @return the place after it: `place`, if there is nothing to record */
static inline uint64_t *fm_request_put_test(uint64_t *place, const struct fm_request *request)
{
    if (!request->active || request->kind == FM_REQUEST_SILENT) {
        return place;
    }
    const bool rma = request->kind == FM_REQUEST_RMA;
    const bool sends_only = request->kind == FM_REQUEST_SENDRECV && request->id == 0;
    fm_put_id(place, rma ? FM_RECORD_OPERATION_TEST : FM_RECORD_REQUEST_TEST,
              rma ? request->ref : 0, sends_only ? request->send_id : request->id);
    return place + FM_WORDS_REQUEST_TEST;
}

/** Records that a test found a request incomplete. */
static inline void fm_request_note_test(struct fm_thread *thread, const struct fm_request *request)
{
    uint64_t *place = fm_thread_reserve(thread, FM_WORDS_REQUEST_TEST);
    thread->cursor = fm_request_put_test(place, request);
}

/** fm_request_note_test() of a claimed request, which it puts back. */
static inline void fm_request_failed_test(struct fm_thread *thread, struct fm_request *request)
{
    fm_request_note_test(thread, request);
    fm_request_return(request);
}

#endif
