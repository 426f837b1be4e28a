/* SPDX-License-Identifier: BSD-3-Clause */
/* The wrappers of one form (wrap.h) of the collective calls with counts. FM_COUNTS: an array of
 * counts of this form. */

FM_COLLECTIVE(Bcast, Ibcast, OTF2_COLLECTIVE_OP_BCAST, root,
              bcast(c, root, fm_type_bytes(count, datatype)),
              (void *buffer, FM_COUNT count, MPI_Datatype datatype, int root),
              (buffer, count, datatype, root))

FM_COLLECTIVE(Gather, Igather, OTF2_COLLECTIVE_OP_GATHER, root,
              gather(c, root, sendbuf, sendcount, sendtype, recvcount, recvtype),
              (const void *sendbuf, FM_COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
               FM_COUNT recvcount, MPI_Datatype recvtype, int root),
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root))

FM_COLLECTIVE(Gatherv, Igatherv, OTF2_COLLECTIVE_OP_GATHERV, root,
              gatherv(c, root, sendbuf, sendcount, sendtype, FM_COUNTS(recvcounts), recvtype),
              (const void *sendbuf, FM_COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
               const FM_COUNT recvcounts[], const FM_DISPL displs[], MPI_Datatype recvtype,
               int root),
              (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root))

FM_COLLECTIVE(Scatter, Iscatter, OTF2_COLLECTIVE_OP_SCATTER, root,
              scatter(c, root, sendcount, sendtype, recvbuf, recvcount, recvtype),
              (const void *sendbuf, FM_COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
               FM_COUNT recvcount, MPI_Datatype recvtype, int root),
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root))

FM_COLLECTIVE(Scatterv, Iscatterv, OTF2_COLLECTIVE_OP_SCATTERV, root,
              scatterv(c, root, FM_COUNTS(sendcounts), sendtype, recvbuf, recvcount, recvtype),
              (const void *sendbuf, const FM_COUNT sendcounts[], const FM_DISPL displs[],
               MPI_Datatype sendtype, void *recvbuf, FM_COUNT recvcount, MPI_Datatype recvtype,
               int root),
              (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root))

FM_COLLECTIVE(Reduce, Ireduce, OTF2_COLLECTIVE_OP_REDUCE, root,
              reduce(c, root, sendbuf, fm_type_bytes(count, datatype)),
              (const void *sendbuf, void *recvbuf, FM_COUNT count, MPI_Datatype datatype, MPI_Op op,
               int root),
              (sendbuf, recvbuf, count, datatype, op, root))

FM_COLLECTIVE(Allgather, Iallgather, OTF2_COLLECTIVE_OP_ALLGATHER, FM_NO_ROOT,
              allgather(c, sendbuf, sendcount, sendtype, recvcount, recvtype),
              (const void *sendbuf, FM_COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
               FM_COUNT recvcount, MPI_Datatype recvtype),
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))

FM_COLLECTIVE(Allgatherv, Iallgatherv, OTF2_COLLECTIVE_OP_ALLGATHERV, FM_NO_ROOT,
              allgatherv(c, sendbuf, sendcount, sendtype, FM_COUNTS(recvcounts), recvtype),
              (const void *sendbuf, FM_COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
               const FM_COUNT recvcounts[], const FM_DISPL displs[], MPI_Datatype recvtype),
              (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype))

FM_COLLECTIVE(Alltoall, Ialltoall, OTF2_COLLECTIVE_OP_ALLTOALL, FM_NO_ROOT,
              allgather(c, sendbuf, sendcount, sendtype, recvcount, recvtype),
              (const void *sendbuf, FM_COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,
               FM_COUNT recvcount, MPI_Datatype recvtype),
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))

FM_COLLECTIVE(Alltoallv, Ialltoallv, OTF2_COLLECTIVE_OP_ALLTOALLV, FM_NO_ROOT,
              alltoallv(c, sendbuf, FM_COUNTS(sendcounts), sendtype, FM_COUNTS(recvcounts),
                        recvtype),
              (const void *sendbuf, const FM_COUNT sendcounts[], const FM_DISPL sdispls[],
               MPI_Datatype sendtype, void *recvbuf, const FM_COUNT recvcounts[],
               const FM_DISPL rdispls[], MPI_Datatype recvtype),
              (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype))

FM_COLLECTIVE(Alltoallw, Ialltoallw, OTF2_COLLECTIVE_OP_ALLTOALLW, FM_NO_ROOT,
              alltoallw(c, sendbuf, FM_COUNTS(sendcounts), sendtypes, FM_COUNTS(recvcounts),
                        recvtypes),
              (const void *sendbuf, const FM_COUNT sendcounts[], const FM_DISPL sdispls[],
               const MPI_Datatype sendtypes[], void *recvbuf, const FM_COUNT recvcounts[],
               const FM_DISPL rdispls[], const MPI_Datatype recvtypes[]),
              (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes))

FM_COLLECTIVE(Allreduce, Iallreduce, OTF2_COLLECTIVE_OP_ALLREDUCE, FM_NO_ROOT,
              all_to_all(c, sendbuf, fm_type_bytes(count, datatype)),
              (const void *sendbuf, void *recvbuf, FM_COUNT count, MPI_Datatype datatype,
               MPI_Op op),
              (sendbuf, recvbuf, count, datatype, op))

FM_COLLECTIVE(Reduce_scatter, Ireduce_scatter, OTF2_COLLECTIVE_OP_REDUCE_SCATTER, FM_NO_ROOT,
              reduce_scatter(c, sendbuf, FM_COUNTS(recvcounts), datatype),
              (const void *sendbuf, void *recvbuf, const FM_COUNT recvcounts[],
               MPI_Datatype datatype, MPI_Op op),
              (sendbuf, recvbuf, recvcounts, datatype, op))

FM_COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK,
              FM_NO_ROOT, all_to_all(c, sendbuf, fm_type_bytes(recvcount, datatype)),
              (const void *sendbuf, void *recvbuf, FM_COUNT recvcount, MPI_Datatype datatype,
               MPI_Op op),
              (sendbuf, recvbuf, recvcount, datatype, op))

FM_COLLECTIVE(Scan, Iscan, OTF2_COLLECTIVE_OP_SCAN, FM_NO_ROOT,
              scan(c, true, fm_type_bytes(count, datatype)),
              (const void *sendbuf, void *recvbuf, FM_COUNT count, MPI_Datatype datatype,
               MPI_Op op),
              (sendbuf, recvbuf, count, datatype, op))

FM_COLLECTIVE(Exscan, Iexscan, OTF2_COLLECTIVE_OP_EXSCAN, FM_NO_ROOT,
              scan(c, false, fm_type_bytes(count, datatype)),
              (const void *sendbuf, void *recvbuf, FM_COUNT count, MPI_Datatype datatype,
               MPI_Op op),
              (sendbuf, recvbuf, count, datatype, op))
