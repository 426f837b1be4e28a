/* SPDX-License-Identifier: BSD-3-Clause */
/* The wrappers of one form (wrap.h) of the neighbourhood collectives. FM_COUNTS: an array of counts
 * of this form. */

FM_COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, OTF2_COLLECTIVE_OP_ALLGATHER, FM_NO_ROOT,
              uniform(c, fm_type_bytes(sendcount, sendtype), fm_type_bytes(recvcount, recvtype)),
              (const void *sendbuf, FM_COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
               FM_COUNT recvcount, MPI_Datatype recvtype),
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))

FM_COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, OTF2_COLLECTIVE_OP_ALLGATHERV, FM_NO_ROOT,
              ((struct fm_volume){existing(c, c->targets) * fm_type_bytes(sendcount, sendtype),
                                  sum(c, FM_COUNTS(recvcounts), recvtype, c->sources)}),
              (const void *sendbuf, FM_COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
               const FM_COUNT recvcounts[], const FM_DISPL displs[], MPI_Datatype recvtype),
              (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype))

FM_COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, OTF2_COLLECTIVE_OP_ALLTOALL, FM_NO_ROOT,
              uniform(c, fm_type_bytes(sendcount, sendtype), fm_type_bytes(recvcount, recvtype)),
              (const void *sendbuf, FM_COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
               FM_COUNT recvcount, MPI_Datatype recvtype),
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))

FM_COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, OTF2_COLLECTIVE_OP_ALLTOALLV, FM_NO_ROOT,
              ((struct fm_volume){sum(c, FM_COUNTS(sendcounts), sendtype, c->targets),
                                  sum(c, FM_COUNTS(recvcounts), recvtype, c->sources)}),
              (const void *sendbuf, const FM_COUNT sendcounts[], const FM_DISPL sdispls[],
               MPI_Datatype sendtype, void *recvbuf, const FM_COUNT recvcounts[],
               const FM_DISPL rdispls[], MPI_Datatype recvtype),
              (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype))

FM_COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, OTF2_COLLECTIVE_OP_ALLTOALLW, FM_NO_ROOT,
              ((struct fm_volume){sum_of_types(c, FM_COUNTS(sendcounts), sendtypes, c->targets),
                                  sum_of_types(c, FM_COUNTS(recvcounts), recvtypes, c->sources)}),
              (const void *sendbuf, const FM_COUNT sendcounts[], const MPI_Aint sdispls[],
               const MPI_Datatype sendtypes[], void *recvbuf, const FM_COUNT recvcounts[],
               const MPI_Aint rdispls[], const MPI_Datatype recvtypes[]),
              (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes))
