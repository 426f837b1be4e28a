/* SPDX-License-Identifier: BSD-3-Clause */
/* Partitioned communication of MPI 4. A start is recorded as a non-blocking send or receive with
 * its operation and number of partitions; MPI_Pready with the partitions that it makes ready,
 * MPI_Parrived with the one that has arrived, and with the request of the start.
 *
 * Partitioned operations match in the order in which they were initialized, and only each other:
 * the k-th MPI_Psend_init to a process with a tag the k-th MPI_Precv_init from there. So do their
 * starts. */
#include "record/mpi/objects/partitioned.h"

#include "record/mpi/objects/request.h"

#include <stdlib.h>

/* Operations by handle: MPI_Pready needs them while another thread waits for the request. */
static struct fm_handle_map operations = FM_HANDLE_MAP(FM_PARTITIONED_CACHE);

/* Number of operations so far with one process, tag and direction. */
struct peer {
    struct peer *next;
    uint32_t comm;
    int rank, tag;
    bool sends;
    uint32_t count;
};
static struct peer *peers;
static fm_spin_t lock;

/* @return the number of the next operation with this peer; FM_DEFINE_NONE without memory */
static uint32_t next_number(uint32_t comm, int rank, int tag, bool sends)
{
    uint32_t number = FM_DEFINE_NONE;
    fm_spin_lock(&lock);
    struct peer *peer = peers;
    while (peer != NULL &&
           (peer->comm != comm || peer->rank != rank || peer->tag != tag || peer->sends != sends)) {
        peer = peer->next;
    }
    if (peer == NULL && (peer = malloc(sizeof *peer)) != NULL) {
        *peer = (struct peer){peers, comm, rank, tag, sends, 0};
        peers = peer;
    }
    if (peer != NULL) {
        number = peer->count++;
    }
    fm_spin_unlock(&lock);
    return number;
}

static void record_init(struct fm_thread *thread, int result, bool sends, int partitions,
                        MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                        MPI_Request handle)
{
    fm_thread_leave(thread, 0);
    struct fm_comm *c = NULL;
    struct fm_partitioned *made = NULL;
    struct fm_request request = {.kind = FM_REQUEST_SILENT, .persistent = true};
    if (result == MPI_SUCCESS && peer != MPI_PROC_NULL) {
        c = fm_comm_find(thread, comm);
        made = c != NULL ? malloc(sizeof *made) : NULL;
    }
    if (made != NULL) {
        *made = (struct fm_partitioned){.sends = sends,
                                        .comm = c->number,
                                        .number = next_number(c->number, peer, tag, sends),
                                        .partitions = (uint32_t)partitions,
                                        .peer = peer,
                                        .tag = tag,
                                        .bytes = (uint64_t)partitions * fm_type_bytes(count, type)};
        fm_partitioned_enter(FM_HANDLE(handle), made);
        request.kind = FM_REQUEST_PARTITIONED;
        request.ref = c->number;
        request.partitioned = made;
    }
    if (result == MPI_SUCCESS) {
        fm_request_add(handle, &request);
    }
    fm_thread_done(thread);
}

int fm_MPI_Psend_init(const void *buf, int partitions, MPI_Count count, MPI_Datatype datatype,
                      int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Psend_init);
    int result = PMPI_Psend_init(buf, partitions, count, datatype, dest, tag, comm, info, request);
    if (thread != NULL) {
        record_init(thread, result, true, partitions, count, datatype, dest, tag, comm, *request);
    }
    return result;
}

int fm_MPI_Precv_init(void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int source,
                      int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Precv_init);
    int result =
        PMPI_Precv_init(buf, partitions, count, datatype, source, tag, comm, info, request);
    if (thread != NULL) {
        record_init(thread, result, false, partitions, count, datatype, source, tag, comm,
                    *request);
    }
    return result;
}

/* A record of a message, at its start or end. */
static void put_message(struct fm_thread *thread, enum fm_record_kind kind,
                        const struct fm_partitioned *operation, uint64_t id)
{
    uint64_t *r = fm_thread_reserve(thread, FM_WORDS_PARTITIONED_SEND);
    r[0] = fm_record_header(kind, 0, operation->comm);
    r[1] = (uint32_t)operation->peer | (uint64_t)(uint32_t)operation->tag << 32;
    r[2] = id;
    r[3] = operation->bytes;
    r[4] = operation->starts | (uint64_t)operation->number << 32;
    r[5] = operation->partitions;
}

void fm_partitioned_start(struct fm_thread *thread, struct fm_partitioned *operation, uint64_t id)
{
    __atomic_store_n(&operation->id, id, __ATOMIC_RELEASE);
    operation->starts++;
    if (operation->sends) {
        put_message(thread, FM_RECORD_PARTITIONED_SEND, operation, id);
    } else {
        fm_put_id(fm_thread_reserve(thread, FM_WORDS_IRECV_REQUEST), FM_RECORD_IRECV_REQUEST, 0,
                  id);
    }
}

void fm_partitioned_complete(struct fm_thread *thread, const struct fm_partitioned *operation,
                             uint64_t id)
{
    if (operation->sends) {
        fm_put_id(fm_thread_reserve(thread, FM_WORDS_ISEND_COMPLETE), FM_RECORD_ISEND_COMPLETE, 0,
                  id);
    } else {
        put_message(thread, FM_RECORD_PARTITIONED_RECEIVE, operation, id);
    }
}

void fm_partitioned_enter(uint64_t handle, struct fm_partitioned *operation)
{
    if (operation != NULL) {
        fm_handles_insert(&operations, handle, operation);
    } else {
        fm_handles_remove(&operations, handle);
    }
}

void fm_partitioned_free(struct fm_partitioned *operation)
{
    free(operation);
}

/* ---- partitions ---- */

/* Request of the current start; 0: it is not known. */
static uint64_t id_of(struct fm_thread *thread, MPI_Request handle)
{
    const struct fm_partitioned *operation =
        fm_handles_find_in(&operations, FM_PARTITIONED_CACHE, thread, FM_HANDLE(handle));
    return operation != NULL ? __atomic_load_n(&operation->id, __ATOMIC_ACQUIRE) : 0;
}

static uint64_t *put_partitions(uint64_t *r, uint64_t id, int first, int last)
{
    r[0] = fm_record_header(FM_RECORD_PARTITIONS, 0, (uint32_t)first);
    r[1] = id;
    r[2] = (uint32_t)last;
    return r + FM_WORDS_PARTITIONS;
}

/* Ends a call about a range of partitions. */
static void record_range(struct fm_thread *thread, bool is_known, MPI_Request request, int first,
                         int last)
{
    const uint64_t id = is_known && first <= last ? id_of(thread, request) : 0;
    if (id != 0) {
        put_partitions(fm_thread_leave(thread, FM_WORDS_PARTITIONS), id, first, last);
    } else {
        fm_thread_leave(thread, 0);
    }
    fm_thread_done(thread);
}

int fm_MPI_Pready(int partition, MPI_Request request)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Pready);
    int result = PMPI_Pready(partition, request);
    if (thread != NULL) {
        record_range(thread, result == MPI_SUCCESS, request, partition, partition);
    }
    return result;
}

int fm_MPI_Pready_range(int partition_low, int partition_high, MPI_Request request)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Pready_range);
    int result = PMPI_Pready_range(partition_low, partition_high, request);
    if (thread != NULL) {
        record_range(thread, result == MPI_SUCCESS, request, partition_low, partition_high);
    }
    return result;
}

int fm_MPI_Pready_list(int length, fm_partition_t array_of_partitions[], MPI_Request request)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Pready_list);
    int result = PMPI_Pready_list(length, array_of_partitions, request);
    if (thread != NULL) {
        const uint64_t id = result == MPI_SUCCESS ? id_of(thread, request) : 0;
        fm_thread_leave(thread, 0);
        for (int i = 0, end; id != 0 && i < length; i = end) { /* a record for each range */
            for (end = i + 1;
                 end < length && array_of_partitions[end] == array_of_partitions[end - 1] + 1;
                 end++) {
            }
            put_partitions(fm_thread_reserve(thread, FM_WORDS_PARTITIONS), id,
                           array_of_partitions[i], array_of_partitions[end - 1]);
        }
        fm_thread_done(thread);
    }
    return result;
}

int fm_MPI_Parrived(MPI_Request request, int partition, int *flag)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Parrived);
    int result = PMPI_Parrived(request, partition, flag);
    if (thread != NULL && result == MPI_SUCCESS && !*flag) {
        fm_call_leave_test(thread, true);
    } else if (thread != NULL) {
        record_range(thread, result == MPI_SUCCESS && *flag, request, partition, partition);
    }
    return result;
}
