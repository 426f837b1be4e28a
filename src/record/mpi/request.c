#include "record/mpi/request.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { POOL_BYTES = 256 * 1024 };

/* The queue of one handle; an empty one may stay while its only request is claimed. */
struct queue {
    uint64_t handle;
    struct fm_request *first, *last;
    bool used;
};

static struct {
    fm_spin_t lock;
    struct queue *slots;
    size_t capacity, count;
    struct fm_request *unused;
} table;

static void *new_pages(size_t bytes)
{
    int saved = errno;
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = saved;
    return pages == MAP_FAILED ? NULL : pages;
}

static struct queue *slot_of(uint64_t handle)
{
    size_t i = fm_handle_hash(handle) & (table.capacity - 1);
    while (table.slots[i].used && table.slots[i].handle != handle) {
        i = (i + 1) & (table.capacity - 1);
    }
    return &table.slots[i];
}

static bool grow(void)
{
    struct queue *old = table.slots;
    size_t old_capacity = table.capacity;
    size_t capacity = old_capacity != 0 ? 2 * old_capacity : 1024;
    struct queue *slots = new_pages(capacity * sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    table.slots = slots;
    table.capacity = capacity;
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i].used) {
            *slot_of(old[i].handle) = old[i];
        }
    }
    if (old != NULL) {
        munmap(old, old_capacity * sizeof *old);
    }
    return true;
}

/* The queue of a handle, made if need be; NULL without memory. */
static struct queue *queue_of(uint64_t handle)
{
    if (2 * (table.count + 1) > table.capacity && !grow()) {
        return NULL;
    }
    struct queue *queue = slot_of(handle);
    if (!queue->used) {
        *queue = (struct queue){.handle = handle, .used = true};
        table.count++;
    }
    return queue;
}

/* Removes an empty queue, moving later entries of the cluster back. */
static void remove_if_empty(uint64_t handle)
{
    struct queue *queue = slot_of(handle);
    if (!queue->used || queue->first != NULL) {
        return;
    }
    size_t mask = table.capacity - 1, hole = (size_t)(queue - table.slots);
    for (size_t i = (hole + 1) & mask; table.slots[i].used; i = (i + 1) & mask) {
        size_t home = fm_handle_hash(table.slots[i].handle) & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            table.slots[hole] = table.slots[i];
            hole = i;
        }
    }
    table.slots[hole].used = false;
    table.count--;
}

static struct fm_request *take_unused(void)
{
    if (table.unused == NULL) {
        struct fm_request *pool = new_pages(POOL_BYTES);
        for (size_t i = 0; pool != NULL && i < POOL_BYTES / sizeof *pool; i++) {
            pool[i].next = table.unused;
            table.unused = &pool[i];
        }
    }
    struct fm_request *request = table.unused;
    if (request != NULL) {
        table.unused = request->next;
    }
    return request;
}

bool fm_request_add(MPI_Request handle, const struct fm_request *prototype)
{
    fm_spin_lock(&table.lock);
    struct queue *queue = queue_of(FM_HANDLE(handle));
    struct fm_request *request = queue != NULL ? take_unused() : NULL;
    if (request != NULL) {
        *request = *prototype;
        request->handle = FM_HANDLE(handle);
        request->next = NULL;
        if (queue->first == NULL) {
            queue->first = request;
        } else {
            queue->last->next = request;
        }
        queue->last = request;
    }
    fm_spin_unlock(&table.lock);
    return request != NULL;
}

struct fm_request *fm_request_claim(MPI_Request handle)
{
    struct fm_request *request = NULL;
    if (handle == MPI_REQUEST_NULL) {
        return NULL;
    }
    fm_spin_lock(&table.lock);
    if (table.capacity != 0) {
        struct queue *queue = slot_of(FM_HANDLE(handle));
        request = queue->used ? queue->first : NULL;
        if (request != NULL) {
            queue->first = request->next;
        }
    }
    fm_spin_unlock(&table.lock);
    return request;
}

void fm_request_return(struct fm_request *request)
{
    fm_spin_lock(&table.lock);
    struct queue *queue = queue_of(request->handle);
    if (queue != NULL) {
        request->next = queue->first;
        if (queue->first == NULL) {
            queue->last = request;
        }
        queue->first = request;
    }
    fm_spin_unlock(&table.lock);
}

void fm_request_release(struct fm_request *request)
{
    fm_spin_lock(&table.lock);
    remove_if_empty(request->handle);
    request->next = table.unused;
    table.unused = request;
    fm_spin_unlock(&table.lock);
}

static void complete_receive(struct fm_thread *thread, const struct fm_request *request,
                             const MPI_Status *status)
{
    if (status->MPI_SOURCE != MPI_PROC_NULL) {
        uint64_t *r = fm_thread_reserve(thread, FM_WORDS_IRECV);
        r = fm_put_message(r, FM_RECORD_IRECV, request->ref, status->MPI_SOURCE, status->MPI_TAG,
                           fm_status_bytes(status));
        *r = request->id;
    }
}

static void complete_collective(struct fm_thread *thread, const struct fm_request *request)
{
    uint64_t *r = fm_thread_reserve(thread, FM_WORDS_COLLECTIVE_COMPLETE);
    r[0] = fm_record_header(FM_RECORD_COLLECTIVE_COMPLETE, request->operation, request->ref);
    r[1] = request->root;
    r[2] = request->sent;
    r[3] = request->received;
    r[4] = request->id;
}

static void complete_comm(struct fm_thread *thread, struct fm_request *request)
{
    struct fm_comm *made = fm_comm_from_parent(request->parent, request->count, *request->comm);
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
    uint64_t *r = fm_thread_reserve(thread, FM_WORDS_COMPLETE_LOCAL);
    fm_put_id(r, FM_RECORD_COMPLETE_LOCAL, request->ref, request->id);
    if (request->fetches) {
        r = fm_thread_reserve(thread, FM_WORDS_COMPLETE_REMOTE);
        fm_put_id(r, FM_RECORD_COMPLETE_REMOTE, request->ref, request->id);
    }
}

void fm_request_complete(struct fm_thread *thread, struct fm_request *request,
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
        complete_receive(thread, request, status);
    } else if (request->kind == FM_REQUEST_COLLECTIVE) {
        complete_collective(thread, request);
    } else if (request->kind == FM_REQUEST_COMM) {
        complete_comm(thread, request);
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

void fm_request_failed_test(struct fm_thread *thread, struct fm_request *request)
{
    if (request->active && request->kind != FM_REQUEST_SILENT) {
        bool rma = request->kind == FM_REQUEST_RMA;
        fm_put_id(fm_thread_reserve(thread, FM_WORDS_REQUEST_TEST),
                  rma ? FM_RECORD_OPERATION_TEST : FM_RECORD_REQUEST_TEST, rma ? request->ref : 0,
                  request->id);
    }
    fm_request_return(request);
}
