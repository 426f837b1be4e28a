/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Parameters (OTF2's ParameterUnsignedInt) by which archives describe partitioned communication of
 * MPI, for which OTF2 has no records. Names of parameters in archives.
 *
 *   in front of an MpiIsend (in MPI_Start) or MpiIrecv record:
 *     FM_PARTITIONED_OPERATION   number of the operation among those with its communicator, peer,
 * tag and direction << 32 | number of the start, from 1 on: the messages of equal numbers match
 *     FM_PARTITIONED_PARTITIONS  number of partitions on this side
 *   in MPI_Pready..., and in an MPI_Parrived that found its partition:
 *     FM_PARTITIONED_REQUEST     request of the start
 *     FM_PARTITIONED_PARTITION   the partition, or the first one of a range ...
 *     FM_PARTITIONED_LAST        ... which ends with this one
 */
#ifndef FERMATA_BASE_PARTITIONED_NAMES_H
#define FERMATA_BASE_PARTITIONED_NAMES_H

#define FM_PARTITIONED_OPERATION  "mpi_partitioned_operation"
#define FM_PARTITIONED_PARTITIONS "mpi_partitions"
#define FM_PARTITIONED_REQUEST    "mpi_partitioned_request"
#define FM_PARTITIONED_PARTITION  "mpi_partition"
#define FM_PARTITIONED_LAST       "mpi_last_partition"

#endif
