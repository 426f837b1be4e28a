/* Neighbourhood collectives. OTF2 has no operations of their own for them: they are written as those
 * they resemble, on the communicator with the topology; the region's name tells them apart. */
#include "record/mpi/collective.h"

/* `send` bytes to each target, `receive` bytes from each source. */
static struct fm_volume uniform(const struct fm_comm *c, uint64_t send, uint64_t receive)
{
    return (struct fm_volume){(uint64_t)c->targets * send, (uint64_t)c->sources * receive};
}

static struct fm_volume variable(const struct fm_comm *c, uint64_t sent, const int recvcounts[],
                                 MPI_Datatype recvtype)
{
    return (struct fm_volume){sent, fm_type_size(recvtype) * fm_counts_sum(recvcounts, c->sources)};
}

static uint64_t types_sum(const int counts[], const MPI_Datatype types[], int count)
{
    uint64_t sum = 0;
    for (int i = 0; i < count; i++) {
        sum += fm_type_bytes(counts[i], types[i]);
    }
    return sum;
}

FM_COLLECTIVE(MPI_Neighbor_allgather, MPI_Ineighbor_allgather, OTF2_COLLECTIVE_OP_ALLGATHER,
              FM_NO_ROOT,
              uniform(c, fm_type_bytes(sendcount, sendtype), fm_type_bytes(recvcount, recvtype)),
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
               int recvcount, MPI_Datatype recvtype),
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))

FM_COLLECTIVE(MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, OTF2_COLLECTIVE_OP_ALLGATHERV,
              FM_NO_ROOT,
              variable(c, (uint64_t)c->targets * fm_type_bytes(sendcount, sendtype), recvcounts,
                       recvtype),
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
               const int recvcounts[], const int displs[], MPI_Datatype recvtype),
              (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype))

FM_COLLECTIVE(MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, OTF2_COLLECTIVE_OP_ALLTOALL,
              FM_NO_ROOT,
              uniform(c, fm_type_bytes(sendcount, sendtype), fm_type_bytes(recvcount, recvtype)),
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
               int recvcount, MPI_Datatype recvtype),
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))

FM_COLLECTIVE(MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, OTF2_COLLECTIVE_OP_ALLTOALLV,
              FM_NO_ROOT,
              variable(c, fm_type_size(sendtype) * fm_counts_sum(sendcounts, c->targets),
                       recvcounts, recvtype),
              (const void *sendbuf, const int sendcounts[], const int sdispls[],
               MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
               MPI_Datatype recvtype),
              (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype))

FM_COLLECTIVE(MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, OTF2_COLLECTIVE_OP_ALLTOALLW,
              FM_NO_ROOT,
              ((struct fm_volume){types_sum(sendcounts, sendtypes, c->targets),
                                  types_sum(recvcounts, recvtypes, c->sources)}),
              (const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
               const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
               const MPI_Aint rdispls[], const MPI_Datatype recvtypes[]),
              (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes))
