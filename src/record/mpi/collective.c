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

uint64_t fm_counts_sum(const int counts[], int count)
{
    uint64_t sum = 0;
    for (int i = 0; i < count; i++) {
        sum += counts[i] > 0 ? (uint64_t)counts[i] : 0;
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
                               int sendcount, MPI_Datatype sendtype, int recvcount,
                               MPI_Datatype recvtype)
{
    bool in_place = sendbuf == MPI_IN_PLACE;
    uint64_t each = is_root(c, root) ? fm_type_bytes(recvcount, recvtype) : 0;
    uint64_t send = has_part(c, root) && !in_place ? fm_type_bytes(sendcount, sendtype) : 0;
    return to_root(c, root, in_place, send, peers(c) * each, each);
}

static struct fm_volume gatherv(const struct fm_comm *c, int root, const void *sendbuf,
                                int sendcount, MPI_Datatype sendtype, const int recvcounts[],
                                MPI_Datatype recvtype)
{
    bool in_place = sendbuf == MPI_IN_PLACE;
    uint64_t all = 0, own = 0;
    if (is_root(c, root)) {
        uint64_t size = fm_type_size(recvtype);
        all = size * fm_counts_sum(recvcounts, (int)peers(c));
        own = in_place ? size * fm_counts_sum(recvcounts + c->rank, 1) : 0;
    }
    uint64_t send = has_part(c, root) && !in_place ? fm_type_bytes(sendcount, sendtype) : 0;
    return to_root(c, root, in_place, send, all, own);
}

static struct fm_volume reduce(const struct fm_comm *c, int root, const void *sendbuf,
                               uint64_t bytes)
{
    return to_root(c, root, sendbuf == MPI_IN_PLACE, bytes, peers(c) * bytes, bytes);
}

static struct fm_volume scatter(const struct fm_comm *c, int root, int sendcount,
                                MPI_Datatype sendtype, const void *recvbuf, int recvcount,
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

static struct fm_volume scatterv(const struct fm_comm *c, int root, const int sendcounts[],
                                 MPI_Datatype sendtype, const void *recvbuf, int recvcount,
                                 MPI_Datatype recvtype)
{
    bool in_place = recvbuf == MPI_IN_PLACE;
    struct fm_volume volume = {0, 0};
    if (is_root(c, root)) {
        uint64_t own = in_place ? fm_counts_sum(sendcounts + c->rank, 1) : 0;
        volume.sent = fm_type_size(sendtype) * (fm_counts_sum(sendcounts, (int)peers(c)) - own);
    }
    if (has_part(c, root) && !in_place) {
        volume.received = fm_type_bytes(recvcount, recvtype);
    }
    return volume;
}

static struct fm_volume allgather(const struct fm_comm *c, const void *sendbuf, int sendcount,
                                  MPI_Datatype sendtype, int recvcount, MPI_Datatype recvtype)
{
    uint64_t receive = fm_type_bytes(recvcount, recvtype);
    if (sendbuf == MPI_IN_PLACE) {
        return (struct fm_volume){(peers(c) - 1) * receive, (peers(c) - 1) * receive};
    }
    return (struct fm_volume){peers(c) * fm_type_bytes(sendcount, sendtype), peers(c) * receive};
}

static struct fm_volume allgatherv(const struct fm_comm *c, const void *sendbuf, int sendcount,
                                   MPI_Datatype sendtype, const int recvcounts[],
                                   MPI_Datatype recvtype)
{
    uint64_t size = fm_type_size(recvtype);
    uint64_t all = size * fm_counts_sum(recvcounts, (int)peers(c));
    if (sendbuf == MPI_IN_PLACE) {
        uint64_t own = size * fm_counts_sum(recvcounts + c->rank, 1);
        return (struct fm_volume){(peers(c) - 1) * own, all - own};
    }
    return (struct fm_volume){peers(c) * fm_type_bytes(sendcount, sendtype), all};
}

static struct fm_volume alltoallv(const struct fm_comm *c, const void *sendbuf,
                                  const int sendcounts[], MPI_Datatype sendtype,
                                  const int recvcounts[], MPI_Datatype recvtype)
{
    uint64_t size = fm_type_size(recvtype);
    uint64_t receive = size * fm_counts_sum(recvcounts, (int)peers(c));
    if (sendbuf == MPI_IN_PLACE) {
        uint64_t others = receive - size * fm_counts_sum(recvcounts + c->rank, 1);
        return (struct fm_volume){others, others};
    }
    return (struct fm_volume){fm_type_size(sendtype) * fm_counts_sum(sendcounts, (int)peers(c)),
                              receive};
}

static uint64_t types_sum(const int counts[], const MPI_Datatype types[], int count, int without)
{
    uint64_t sum = 0;
    for (int i = 0; i < count; i++) {
        sum += i != without ? fm_type_bytes(counts[i], types[i]) : 0;
    }
    return sum;
}

static struct fm_volume alltoallw(const struct fm_comm *c, const void *sendbuf,
                                  const int sendcounts[], const MPI_Datatype sendtypes[],
                                  const int recvcounts[], const MPI_Datatype recvtypes[])
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
                                       const int recvcounts[], MPI_Datatype type)
{
    uint64_t size = fm_type_size(type);
    uint64_t own = size * fm_counts_sum(recvcounts + c->rank, 1);
    uint64_t all = size * fm_counts_sum(recvcounts, c->size);
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
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Barrier);
    int result = PMPI_Barrier(comm);
    if (thread != NULL) {
        fm_collective_record(thread, OTF2_COLLECTIVE_OP_BARRIER,
                             result == MPI_SUCCESS ? fm_comm_find(thread, comm) : NULL, FM_NO_ROOT,
                             (struct fm_volume){0, 0});
    }
    return result;
}

int fm_MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Ibarrier);
    int result = PMPI_Ibarrier(comm, request);
    if (thread != NULL) {
        fm_collective_start(thread, OTF2_COLLECTIVE_OP_BARRIER,
                            result == MPI_SUCCESS ? fm_comm_find(thread, comm) : NULL, FM_NO_ROOT,
                            (struct fm_volume){0, 0}, *request);
    }
    return result;
}

FM_COLLECTIVE(MPI_Bcast, MPI_Ibcast, OTF2_COLLECTIVE_OP_BCAST, root,
              bcast(c, root, fm_type_bytes(count, datatype)),
              (void *buffer, int count, MPI_Datatype datatype, int root),
              (buffer, count, datatype, root))

FM_COLLECTIVE(MPI_Gather, MPI_Igather, OTF2_COLLECTIVE_OP_GATHER, root,
              gather(c, root, sendbuf, sendcount, sendtype, recvcount, recvtype),
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
               int recvcount, MPI_Datatype recvtype, int root),
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root))

FM_COLLECTIVE(MPI_Gatherv, MPI_Igatherv, OTF2_COLLECTIVE_OP_GATHERV, root,
              gatherv(c, root, sendbuf, sendcount, sendtype, recvcounts, recvtype),
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
               const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root),
              (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root))

FM_COLLECTIVE(MPI_Scatter, MPI_Iscatter, OTF2_COLLECTIVE_OP_SCATTER, root,
              scatter(c, root, sendcount, sendtype, recvbuf, recvcount, recvtype),
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
               int recvcount, MPI_Datatype recvtype, int root),
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root))

FM_COLLECTIVE(MPI_Scatterv, MPI_Iscatterv, OTF2_COLLECTIVE_OP_SCATTERV, root,
              scatterv(c, root, sendcounts, sendtype, recvbuf, recvcount, recvtype),
              (const void *sendbuf, const int sendcounts[], const int displs[],
               MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
               int root),
              (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root))

FM_COLLECTIVE(MPI_Reduce, MPI_Ireduce, OTF2_COLLECTIVE_OP_REDUCE, root,
              reduce(c, root, sendbuf, fm_type_bytes(count, datatype)),
              (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               int root),
              (sendbuf, recvbuf, count, datatype, op, root))

FM_COLLECTIVE(MPI_Allgather, MPI_Iallgather, OTF2_COLLECTIVE_OP_ALLGATHER, FM_NO_ROOT,
              allgather(c, sendbuf, sendcount, sendtype, recvcount, recvtype),
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
               int recvcount, MPI_Datatype recvtype),
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))

FM_COLLECTIVE(MPI_Allgatherv, MPI_Iallgatherv, OTF2_COLLECTIVE_OP_ALLGATHERV, FM_NO_ROOT,
              allgatherv(c, sendbuf, sendcount, sendtype, recvcounts, recvtype),
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
               const int recvcounts[], const int displs[], MPI_Datatype recvtype),
              (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype))

FM_COLLECTIVE(MPI_Alltoall, MPI_Ialltoall, OTF2_COLLECTIVE_OP_ALLTOALL, FM_NO_ROOT,
              allgather(c, sendbuf, sendcount, sendtype, recvcount, recvtype),
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
               int recvcount, MPI_Datatype recvtype),
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))

FM_COLLECTIVE(MPI_Alltoallv, MPI_Ialltoallv, OTF2_COLLECTIVE_OP_ALLTOALLV, FM_NO_ROOT,
              alltoallv(c, sendbuf, sendcounts, sendtype, recvcounts, recvtype),
              (const void *sendbuf, const int sendcounts[], const int sdispls[],
               MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
               MPI_Datatype recvtype),
              (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype))

FM_COLLECTIVE(MPI_Alltoallw, MPI_Ialltoallw, OTF2_COLLECTIVE_OP_ALLTOALLW, FM_NO_ROOT,
              alltoallw(c, sendbuf, sendcounts, sendtypes, recvcounts, recvtypes),
              (const void *sendbuf, const int sendcounts[], const int sdispls[],
               const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
               const int rdispls[], const MPI_Datatype recvtypes[]),
              (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes))

FM_COLLECTIVE(MPI_Allreduce, MPI_Iallreduce, OTF2_COLLECTIVE_OP_ALLREDUCE, FM_NO_ROOT,
              all_to_all(c, sendbuf, fm_type_bytes(count, datatype)),
              (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op),
              (sendbuf, recvbuf, count, datatype, op))

FM_COLLECTIVE(MPI_Reduce_scatter, MPI_Ireduce_scatter, OTF2_COLLECTIVE_OP_REDUCE_SCATTER,
              FM_NO_ROOT, reduce_scatter(c, sendbuf, recvcounts, datatype),
              (const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype,
               MPI_Op op),
              (sendbuf, recvbuf, recvcounts, datatype, op))

FM_COLLECTIVE(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block,
              OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, FM_NO_ROOT,
              all_to_all(c, sendbuf, fm_type_bytes(recvcount, datatype)),
              (const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op),
              (sendbuf, recvbuf, recvcount, datatype, op))

FM_COLLECTIVE(MPI_Scan, MPI_Iscan, OTF2_COLLECTIVE_OP_SCAN, FM_NO_ROOT,
              scan(c, true, fm_type_bytes(count, datatype)),
              (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op),
              (sendbuf, recvbuf, count, datatype, op))

FM_COLLECTIVE(MPI_Exscan, MPI_Iexscan, OTF2_COLLECTIVE_OP_EXSCAN, FM_NO_ROOT,
              scan(c, false, fm_type_bytes(count, datatype)),
              (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op),
              (sendbuf, recvbuf, count, datatype, op))
