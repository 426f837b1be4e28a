/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/mpi/objects/request.h"

#include "record/mpi/objects/file.h"
#include "record/mpi/objects/partitioned.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { POOL_BYTES = 256 * 1024, SMALLEST_TABLE = 1024, LARGE_TABLE = 64 * 1024 };

struct fm_request_table fm_requests;

static void *new_pages(size_t bytes)
{
    int saved = errno;
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = saved;
    return pages == MAP_FAILED ? NULL : pages;
}

/* Builds a new table with the handles that have requests; the others are removed. Its size doubles,
 * unless it is large and most of its handles have no request: MPI libraries reuse handles rather
 * than create new ones. At most half of the slots are used, and at least a quarter of the slots is
 * room for new handles, so that the cost is amortized O(1) for each new handle. */
static bool rebuild_table(void)
{
    struct fm_request_table old = fm_requests;
    size_t live = 0;
    for (size_t i = 0; i < old.capacity; i++) {
        live += old.slots[i].first != NULL;
    }
    size_t capacity = old.capacity != 0 ? old.capacity : SMALLEST_TABLE / 2;
    if (capacity < LARGE_TABLE || 4 * live > capacity) {
        capacity *= 2;
    }
    struct fm_request_queue *slots = new_pages(capacity * sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    fm_requests.slots = slots;
    fm_requests.capacity = capacity;
    fm_requests.room = capacity / 2 - live;
    for (size_t i = 0; i < old.capacity; i++) {
        if (old.slots[i].first != NULL) {
            *fm_request_queue(old.slots[i].handle) = old.slots[i];
        }
    }
    if (old.slots != NULL) {
        munmap(old.slots, old.capacity * sizeof *old.slots);
    }
    return true;
}

bool fm_request_table_grow(void)
{
    if (fm_requests.room == 0 && !rebuild_table()) {
        return false;
    }
    if (fm_requests.unused == NULL) {
        struct fm_request *pool = new_pages(POOL_BYTES);
        for (size_t i = 0; pool != NULL && i < POOL_BYTES / sizeof *pool; i++) {
            pool[i].next = fm_requests.unused;
            fm_requests.unused = &pool[i];
        }
    }
    return fm_requests.unused != NULL;
}

/* The queue may have been removed since the request was claimed. */
void fm_request_return(struct fm_request *request)
{
    fm_spin_lock(&fm_requests.lock);
    if (fm_requests.room != 0 || rebuild_table()) {
        struct fm_request_queue *queue = fm_request_queue(request->handle);
        if (!queue->used) {
            fm_requests.room--;
            queue->used = true;
            queue->handle = request->handle;
        }
        request->next = queue->first;
        if (queue->first == NULL) {
            queue->last = request;
        }
        queue->first = request;
        fm_request_count(1);
    }
    fm_spin_unlock(&fm_requests.lock);
}

static void complete_collective(struct fm_thread *thread, const struct fm_request *request)
{
    uint64_t *r = fm_thread_reserve(thread, request->persistent ? FM_WORDS_PERSISTENT_COMPLETE
                                                                : FM_WORDS_COLLECTIVE_COMPLETE);
    if (request->persistent) {
        r[0] = fm_record_header(FM_RECORD_PERSISTENT_COMPLETE, request->operation, request->ref);
        r[5] = request->ordinal | (uint64_t)request->init << 32;
    } else {
        r[0] = fm_record_header(FM_RECORD_COLLECTIVE_COMPLETE, request->operation, request->ref);
    }
    r[1] = request->root;
    r[2] = request->sent;
    r[3] = request->received;
    r[4] = request->id;
}

static void complete_comm(struct fm_thread *thread, struct fm_request *request)
{
    struct fm_comm *made =
        fm_comm_from_parent(request->parent, request->count, *request->comm, true);
    if (made != NULL) {
        made->sources = request->parent->sources;
        made->targets = request->parent->targets;
        made->missing = request->parent->missing;
        fm_put_mark(fm_thread_reserve(thread, FM_WORDS_COMM_CREATE), FM_RECORD_COMM_CREATE,
                    made->number);
    }
    free(request->parent);
    request->operation = OTF2_COLLECTIVE_OP_CREATE_HANDLE;
    request->root = OTF2_COLLECTIVE_ROOT_NONE;
    request->sent = 0;
    request->received = 0;
    complete_collective(thread, request);
}

static void complete_rma(struct fm_thread *thread, const struct fm_request *request)
{
    fm_put_id(fm_thread_reserve(thread, FM_WORDS_COMPLETE_LOCAL),
              request->fetches ? FM_RECORD_COMPLETE_FULLY : FM_RECORD_COMPLETE_LOCAL, request->ref,
              request->id);
}

void fm_request_complete_access(struct fm_thread *thread, const struct fm_request *request,
                                const MPI_Status *status)
{
    const uint64_t bytes = fm_status_bytes(status);
    fm_put_access_end(fm_thread_reserve(thread, fm_words_access_end(bytes)), request->ref, bytes,
                      request->id);
    if (request->file_collective != 0) {
        const struct fm_request collective = {.operation = OTF2_COLLECTIVE_OP_BARRIER,
                                              .root = OTF2_COLLECTIVE_ROOT_NONE,
                                              .ref = request->file_comm,
                                              .id = request->file_collective};
        complete_collective(thread, &collective);
    }
}

/* MPICH 4.0 sets no status for these requests. Then the arguments of the call state the message,
 * except its size, which is that of the buffer; without a certain source it is not recorded. */
static void complete_sendrecv(struct fm_thread *thread, const struct fm_request *request,
                              const MPI_Status *status)
{
    if (request->send_id != 0) {
        fm_put_id(fm_thread_reserve(thread, FM_WORDS_ISEND_COMPLETE), FM_RECORD_ISEND_COMPLETE, 0,
                  request->send_id);
    }
    if (request->id != 0 && fm_library_readings.sendrecv_statuses) {
        fm_request_received(thread, request, status);
    } else if (request->id != 0 && request->source != MPI_ANY_SOURCE &&
               request->recvtag != MPI_ANY_TAG) {
        const uint64_t bytes = request->most;
        uint64_t *r = fm_thread_reserve(thread, FM_WORDS_IRECV + fm_words_above(bytes));
        r = fm_put_message(r, FM_RECORD_IRECV, request->ref, request->source, request->recvtag,
                           bytes);
        *r = request->id;
    }
}

void fm_request_complete_other(struct fm_thread *thread, struct fm_request *request,
                               const MPI_Status *status)
{
    bool message = request->kind == FM_REQUEST_SEND || request->kind == FM_REQUEST_RECEIVE;
    if (!request->active) {
        /* an inactive persistent request completes at once, without an operation */
    } else if (message && fm_status_cancelled(status)) {
        fm_put_id(fm_thread_reserve(thread, FM_WORDS_REQUEST_CANCELLED),
                  FM_RECORD_REQUEST_CANCELLED, 0, request->id);
    } else if (request->kind == FM_REQUEST_SEND) {
        fm_put_id(fm_thread_reserve(thread, FM_WORDS_ISEND_COMPLETE), FM_RECORD_ISEND_COMPLETE, 0,
                  request->id);
    } else if (request->kind == FM_REQUEST_RECEIVE) {
        fm_request_received(thread, request, status);
    } else if (request->kind == FM_REQUEST_SENDRECV) {
        complete_sendrecv(thread, request, status);
    } else if (request->kind == FM_REQUEST_PARTITIONED) {
        fm_partitioned_complete(thread, request->partitioned, request->id);
    } else if (request->kind == FM_REQUEST_COLLECTIVE) {
        complete_collective(thread, request);
    } else if (request->kind == FM_REQUEST_COMM) {
        complete_comm(thread, request);
    } else if (request->kind == FM_REQUEST_FILE) {
        fm_request_complete_access(thread, request, status);
    } else if (request->kind == FM_REQUEST_RMA) {
        complete_rma(thread, request);
    }
    if (request->persistent) {
        request->active = false;
        fm_request_return(request);
    } else {
        fm_request_release(request);
    }
}
