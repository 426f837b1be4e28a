/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls, blocking and non-blocking. Sent and received bytes are counted as in Score-P:
 * one transfer for each peer that data is sent to or received from, including the own rank unless
 * MPI_IN_PLACE is used. In inter-communicators the peers are the remote group. */
#include "record/mpi/collective.h"

#include "record/mpi/objects/request.h"

void fm_collective_record(struct fm_thread *thread, OTF2_CollectiveOp operation,
                          const struct fm_comm *c, int root, struct fm_volume volume)
{
    if (c != NULL) {
        uint64_t *r = fm_thread_leave(thread, FM_WORDS_COLLECTIVE_BEGIN + FM_WORDS_COLLECTIVE_END);
        r = fm_put_mark(r, FM_RECORD_COLLECTIVE_BEGIN, 0);
        fm_put_collective(r, operation, c->number, fm_comm_root(c, root), volume.sent,
                          volume.received);
    } else {
        fm_thread_leave(thread, 0);
    }
    fm_thread_done(thread);
}

void fm_collective_start(struct fm_thread *thread, OTF2_CollectiveOp operation,
                         const struct fm_comm *c, int root, struct fm_volume volume,
                         MPI_Request handle)
{
    if (c != NULL) {
        uint64_t *r = fm_thread_leave(thread, FM_WORDS_COLLECTIVE_REQUEST);
        struct fm_request request = {.kind = FM_REQUEST_COLLECTIVE,
                                     .active = true,
                                     .id = fm_thread_new_id(thread),
                                     .ref = c->number,
                                     .operation = operation,
                                     .root = fm_comm_root(c, root),
                                     .sent = volume.sent,
                                     .received = volume.received};
        fm_put_id(r, FM_RECORD_COLLECTIVE_REQUEST, 0, request.id);
        fm_request_add(handle, &request);
    } else {
        fm_thread_leave(thread, 0);
    }
    fm_thread_done(thread);
}

void fm_collective_init(struct fm_thread *thread, OTF2_CollectiveOp operation, struct fm_comm *c,
                        int root, struct fm_volume volume, uint32_t function, MPI_Request handle)
{
    fm_thread_leave(thread, 0);
    if (c != NULL) {
        struct fm_request request = {.kind = FM_REQUEST_COLLECTIVE,
                                     .persistent = true,
                                     .ref = c->number,
                                     .operation = operation,
                                     .root = fm_comm_root(c, root),
                                     .sent = volume.sent,
                                     .received = volume.received,
                                     .init = fm_first_function + function,
                                     .ordinal = c->persistent++};
        fm_request_add(handle, &request);
    }
    fm_thread_done(thread);
}

/* Sum of the first counts. */
static uint64_t sum_of(struct fm_counts counts, int count)
{
    uint64_t sum = 0;
    for (int i = 0; i < count; i++) {
        sum += fm_count_at(counts, i);
    }
    return sum;
}

static uint64_t peers(const struct fm_comm *c)
{
    return (uint64_t)(c->remote_size != 0 ? c->remote_size : c->size);
}

static bool is_root(const struct fm_comm *c, int root)
{
    return c->remote_size != 0 ? root == MPI_ROOT : root == c->rank;
}

/* Whether this process takes part besides the root: in inter-communicators, whether its group is
 * the one without the root. */
static bool has_part(const struct fm_comm *c, int root)
{
    return c->remote_size == 0 || root >= 0;
}

static struct fm_volume bcast(const struct fm_comm *c, int root, uint64_t bytes)
{
    return (struct fm_volume){is_root(c, root) ? peers(c) * bytes : 0,
                              has_part(c, root) ? bytes : 0};
}

/* All ranks to the root: each sends `send` bytes; the root receives `receive` bytes in total, of
 * which `own` bytes are from itself. */
static struct fm_volume to_root(const struct fm_comm *c, int root, bool in_place, uint64_t send,
                                uint64_t receive, uint64_t own)
{
    struct fm_volume volume = {has_part(c, root) && !in_place ? send : 0, 0};
    if (is_root(c, root)) {
        volume.received = in_place ? receive - own : receive;
    }
    return volume;
}

static struct fm_volume gather(const struct fm_comm *c, int root, const void *sendbuf,
                               MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
                               MPI_Datatype recvtype)
{
    bool in_place = sendbuf == MPI_IN_PLACE;
    uint64_t each = is_root(c, root) ? fm_type_bytes(recvcount, recvtype) : 0;
    uint64_t send = has_part(c, root) && !in_place ? fm_type_bytes(sendcount, sendtype) : 0;
    return to_root(c, root, in_place, send, peers(c) * each, each);
}

static struct fm_volume gatherv(const struct fm_comm *c, int root, const void *sendbuf,
                                MPI_Count sendcount, MPI_Datatype sendtype,
                                struct fm_counts recvcounts, MPI_Datatype recvtype)
{
    bool in_place = sendbuf == MPI_IN_PLACE;
    uint64_t all = 0, own = 0;
    if (is_root(c, root)) {
        uint64_t size = fm_type_size(recvtype);
        all = size * sum_of(recvcounts, (int)peers(c));
        own = in_place ? size * fm_count_at(recvcounts, c->rank) : 0;
    }
    uint64_t send = has_part(c, root) && !in_place ? fm_type_bytes(sendcount, sendtype) : 0;
    return to_root(c, root, in_place, send, all, own);
}

static struct fm_volume reduce(const struct fm_comm *c, int root, const void *sendbuf,
                               uint64_t bytes)
{
    return to_root(c, root, sendbuf == MPI_IN_PLACE, bytes, peers(c) * bytes, bytes);
}

static struct fm_volume scatter(const struct fm_comm *c, int root, MPI_Count sendcount,
                                MPI_Datatype sendtype, const void *recvbuf, MPI_Count recvcount,
                                MPI_Datatype recvtype)
{
    bool in_place = recvbuf == MPI_IN_PLACE;
    struct fm_volume volume = {0, 0};
    if (is_root(c, root)) {
        volume.sent = (peers(c) - (in_place ? 1 : 0)) * fm_type_bytes(sendcount, sendtype);
    }
    if (has_part(c, root) && !in_place) {
        volume.received = fm_type_bytes(recvcount, recvtype);
    }
    return volume;
}

static struct fm_volume scatterv(const struct fm_comm *c, int root, struct fm_counts sendcounts,
                                 MPI_Datatype sendtype, const void *recvbuf, MPI_Count recvcount,
                                 MPI_Datatype recvtype)
{
    bool in_place = recvbuf == MPI_IN_PLACE;
    struct fm_volume volume = {0, 0};
    if (is_root(c, root)) {
        uint64_t own = in_place ? fm_count_at(sendcounts, c->rank) : 0;
        volume.sent = fm_type_size(sendtype) * (sum_of(sendcounts, (int)peers(c)) - own);
    }
    if (has_part(c, root) && !in_place) {
        volume.received = fm_type_bytes(recvcount, recvtype);
    }
    return volume;
}

static struct fm_volume allgather(const struct fm_comm *c, const void *sendbuf, MPI_Count sendcount,
                                  MPI_Datatype sendtype, MPI_Count recvcount, MPI_Datatype recvtype)
{
    uint64_t receive = fm_type_bytes(recvcount, recvtype);
    if (sendbuf == MPI_IN_PLACE) {
        return (struct fm_volume){(peers(c) - 1) * receive, (peers(c) - 1) * receive};
    }
    return (struct fm_volume){peers(c) * fm_type_bytes(sendcount, sendtype), peers(c) * receive};
}

static struct fm_volume allgatherv(const struct fm_comm *c, const void *sendbuf,
                                   MPI_Count sendcount, MPI_Datatype sendtype,
                                   struct fm_counts recvcounts, MPI_Datatype recvtype)
{
    uint64_t size = fm_type_size(recvtype);
    uint64_t all = size * sum_of(recvcounts, (int)peers(c));
    if (sendbuf == MPI_IN_PLACE) {
        uint64_t own = size * fm_count_at(recvcounts, c->rank);
        return (struct fm_volume){(peers(c) - 1) * own, all - own};
    }
    return (struct fm_volume){peers(c) * fm_type_bytes(sendcount, sendtype), all};
}

static struct fm_volume alltoallv(const struct fm_comm *c, const void *sendbuf,
                                  struct fm_counts sendcounts, MPI_Datatype sendtype,
                                  struct fm_counts recvcounts, MPI_Datatype recvtype)
{
    uint64_t size = fm_type_size(recvtype);
    uint64_t receive = size * sum_of(recvcounts, (int)peers(c));
    if (sendbuf == MPI_IN_PLACE) {
        uint64_t others = receive - size * fm_count_at(recvcounts, c->rank);
        return (struct fm_volume){others, others};
    }
    return (struct fm_volume){fm_type_size(sendtype) * sum_of(sendcounts, (int)peers(c)), receive};
}

static uint64_t types_sum(struct fm_counts counts, const MPI_Datatype types[], int count,
                          int without)
{
    uint64_t sum = 0;
    for (int i = 0; i < count; i++) {
        sum += i != without ? fm_count_at(counts, i) * fm_type_size(types[i]) : 0;
    }
    return sum;
}

static struct fm_volume alltoallw(const struct fm_comm *c, const void *sendbuf,
                                  struct fm_counts sendcounts, const MPI_Datatype sendtypes[],
                                  struct fm_counts recvcounts, const MPI_Datatype recvtypes[])
{
    int count = (int)peers(c);
    if (sendbuf == MPI_IN_PLACE) {
        uint64_t others = types_sum(recvcounts, recvtypes, count, c->rank);
        return (struct fm_volume){others, others};
    }
    return (struct fm_volume){types_sum(sendcounts, sendtypes, count, -1),
                              types_sum(recvcounts, recvtypes, count, -1)};
}

/* Every rank's data to every rank. */
static struct fm_volume all_to_all(const struct fm_comm *c, const void *sendbuf, uint64_t bytes)
{
    uint64_t all = (peers(c) - (sendbuf == MPI_IN_PLACE ? 1 : 0)) * bytes;
    return (struct fm_volume){all, all};
}

static struct fm_volume reduce_scatter(const struct fm_comm *c, const void *sendbuf,
                                       struct fm_counts recvcounts, MPI_Datatype type)
{
    uint64_t size = fm_type_size(type);
    uint64_t own = size * fm_count_at(recvcounts, c->rank);
    uint64_t all = size * sum_of(recvcounts, c->size);
    if (sendbuf == MPI_IN_PLACE) {
        return (struct fm_volume){all - own, (peers(c) - 1) * own};
    }
    return (struct fm_volume){all, peers(c) * own};
}

/* Data of each rank to the ranks above it, and to itself if `inclusive`. */
static struct fm_volume scan(const struct fm_comm *c, bool inclusive, uint64_t bytes)
{
    uint64_t rank = (uint64_t)c->rank, own = inclusive ? 1 : 0;
    return (struct fm_volume){((uint64_t)c->size - rank - 1 + own) * bytes, (rank + own) * bytes};
}

int fm_MPI_Barrier(MPI_Comm comm)
{
    struct fm_thread *thread = fm_call_enter_brief(FM_FUNCTION_MPI_Barrier);
    if (thread == NULL) {
        return PMPI_Barrier(comm);
    }
    const struct fm_comm *c = fm_comm_find(thread, comm);
    fm_open_collective(thread, c, FM_NO_ROOT);
    int result = PMPI_Barrier(comm);
    fm_collective_record(thread, OTF2_COLLECTIVE_OP_BARRIER, result == MPI_SUCCESS ? c : NULL,
                         FM_NO_ROOT, (struct fm_volume){0, 0});
    return result;
}

int fm_MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    struct fm_thread *thread = fm_call_enter_brief(FM_FUNCTION_MPI_Ibarrier);
    int result = PMPI_Ibarrier(comm, request);
    if (thread != NULL) {
        fm_collective_start(thread, OTF2_COLLECTIVE_OP_BARRIER,
                            result == MPI_SUCCESS ? fm_comm_find(thread, comm) : NULL, FM_NO_ROOT,
                            (struct fm_volume){0, 0}, *request);
    }
    return result;
}

#define BARRIER_INIT(function)                                                                     \
    int fm_##function(MPI_Comm comm, MPI_Info info, MPI_Request *request)                          \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter(FM_FUNCTION_##function);                          \
        int result = P##function(comm, info, request);                                             \
        if (thread != NULL) {                                                                      \
            fm_collective_init(thread, OTF2_COLLECTIVE_OP_BARRIER,                                 \
                               result == MPI_SUCCESS ? fm_comm_find(thread, comm) : NULL,          \
                               FM_NO_ROOT, (struct fm_volume){0, 0}, FM_FUNCTION_##function,       \
                               *request);                                                          \
        }                                                                                          \
        return result;                                                                             \
    }

BARRIER_INIT(MPI_Barrier_init)
BARRIER_INIT(MPIX_Barrier_init)
#undef BARRIER_INIT

#define FM_AWAITS fm_open_collective
#define FM_COUNT  int
#define FM_DISPL  int
#define FM_SUFFIX
#define FM_COUNTS(values) ((struct fm_counts){values, false})
#define FM_EARLIER        FM_COLLECTIVE_INIT
#include "record/mpi/counted/collective_counted.h"
#undef FM_COUNT
#undef FM_DISPL
#undef FM_SUFFIX
#undef FM_COUNTS
#undef FM_EARLIER
#define FM_COUNT          MPI_Count
#define FM_DISPL          MPI_Aint
#define FM_SUFFIX         _c
#define FM_COUNTS(values) ((struct fm_counts){values, true})
#define FM_EARLIER(...)
#include "record/mpi/counted/collective_counted.h"
