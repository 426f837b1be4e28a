/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Parameters (OTF2's ParameterUnsignedInt) by which archives tell which message a successful probe
 * of MPI has found, for which OTF2 has no record: in front of its Leave, in this order. Names of
 * parameters in archives.
 */
#ifndef FERMATA_BASE_PROBE_NAMES_H
#define FERMATA_BASE_PROBE_NAMES_H

#define FM_PROBE_COMMUNICATOR "mpi_probe_communicator" /**< reference of the definition */
#define FM_PROBE_SOURCE       "mpi_probe_source"       /**< rank in the communicator */
#define FM_PROBE_TAG          "mpi_probe_tag"

#endif
