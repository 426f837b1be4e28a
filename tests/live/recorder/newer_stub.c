/* SPDX-License-Identifier: BSD-3-Clause */
/* A part of MPI 4.1 and 5.0 on top of an older library, with the profiling names that every MPI
 * library has.
 */
#include "newer_stub.h"

#define NAMES(name, parameters)                                                                    \
    int name parameters __attribute__((weak, alias("P" #name)));                                   \
    int P##name parameters;                                                                        \
    int P##name parameters

#if MPI_VERSION < 4
NAMES(MPI_Send_c,
      (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm))
{
    return PMPI_Send(buf, (int)count, datatype, dest, tag, comm);
}

NAMES(MPI_Bcast_c, (void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm))
{
    return PMPI_Bcast(buffer, (int)count, datatype, root, comm);
}
#endif

NAMES(MPI_Request_get_status_all,
      (int count, const MPI_Request requests[], int *flag, MPI_Status statuses[]))
{
    *flag = 1;
    for (int i = 0; i < count && *flag != 0; i++) {
        PMPI_Request_get_status(requests[i], flag, &statuses[i]);
    }
    return MPI_SUCCESS;
}

NAMES(MPI_Status_get_source, (const MPI_Status *status, int *source))
{
    *source = status->MPI_SOURCE;
    return MPI_SUCCESS;
}

NAMES(MPI_Comm_attach_buffer, (MPI_Comm comm, void *buffer, int size))
{
    (void)comm;
    return PMPI_Buffer_attach(buffer, size);
}

NAMES(MPI_Comm_detach_buffer, (MPI_Comm comm, void *buffer_addr, int *size))
{
    (void)comm;
    return PMPI_Buffer_detach(buffer_addr, size);
}

NAMES(MPI_Buffer_flush, (void))
{
    return MPI_SUCCESS;
}

NAMES(MPI_Abi_get_version, (int *abi_major, int *abi_minor))
{
    *abi_major = 1;
    *abi_minor = 0;
    return MPI_SUCCESS;
}
