/* Neighbourhood collectives. OTF2 has no types for them: they are written as the corresponding
 * collectives on the communicator with the topology, and distinguished by the region's name. */
#include "record/mpi/collective.h"

/* Whether the neighbour at this place exists (is not MPI_PROC_NULL). */
static bool exists(const struct fm_comm *c, int place)
{
    return place >= 64 || (c->missing >> place & 1) == 0;
}

static uint64_t existing(const struct fm_comm *c, int places)
{
    return (uint64_t)(places - __builtin_popcountll(c->missing));
}

static uint64_t sum(const struct fm_comm *c, const int counts[], MPI_Datatype type, int places)
{
    uint64_t elements = 0;
    for (int i = 0; i < places; i++) {
        elements += exists(c, i) && counts[i] > 0 ? (uint64_t)counts[i] : 0;
    }
    return elements * fm_type_size(type);
}

static uint64_t sum_of_types(const struct fm_comm *c, const int counts[],
                             const MPI_Datatype types[], int places)
{
    uint64_t bytes = 0;
    for (int i = 0; i < places; i++) {
        bytes += exists(c, i) ? fm_type_bytes(counts[i], types[i]) : 0;
    }
    return bytes;
}

/* `send` bytes to each target, `receive` bytes from each source. */
static struct fm_volume uniform(const struct fm_comm *c, uint64_t send, uint64_t receive)
{
    return (struct fm_volume){existing(c, c->targets) * send, existing(c, c->sources) * receive};
}

FM_COLLECTIVE(MPI_Neighbor_allgather, MPI_Ineighbor_allgather, OTF2_COLLECTIVE_OP_ALLGATHER,
              FM_NO_ROOT,
              uniform(c, fm_type_bytes(sendcount, sendtype), fm_type_bytes(recvcount, recvtype)),
              (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
               int recvcount, MPI_Datatype recvtype),
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))

FM_COLLECTIVE(MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, OTF2_COLLECTIVE_OP_ALLGATHERV,
              FM_NO_ROOT,
              ((struct fm_volume){existing(c, c->targets) * fm_type_bytes(sendcount, sendtype),
                                  sum(c, recvcounts, recvtype, c->sources)}),
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
              ((struct fm_volume){sum(c, sendcounts, sendtype, c->targets),
                                  sum(c, recvcounts, recvtype, c->sources)}),
              (const void *sendbuf, const int sendcounts[], const int sdispls[],
               MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
               MPI_Datatype recvtype),
              (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype))

FM_COLLECTIVE(MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, OTF2_COLLECTIVE_OP_ALLTOALLW,
              FM_NO_ROOT,
              ((struct fm_volume){sum_of_types(c, sendcounts, sendtypes, c->targets),
                                  sum_of_types(c, recvcounts, recvtypes, c->sources)}),
              (const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
               const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
               const MPI_Aint rdispls[], const MPI_Datatype recvtypes[]),
              (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes))
