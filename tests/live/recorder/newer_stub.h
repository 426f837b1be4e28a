/* SPDX-License-Identifier: BSD-3-Clause */
/* What newer.c calls and the MPI library may lack. */
#ifndef FERMATA_TESTS_LIVE_RECORDER_NEWER_STUB_H
#define FERMATA_TESTS_LIVE_RECORDER_NEWER_STUB_H

#include <mpi.h>

int MPI_Send_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm);
int MPI_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm);
int MPI_Request_get_status_all(int count, const MPI_Request array_of_requests[], int *flag,
                               MPI_Status array_of_statuses[]);
int MPI_Status_get_source(const MPI_Status *status, int *source);
int MPI_Comm_attach_buffer(MPI_Comm comm, void *buffer, int size);
int MPI_Comm_detach_buffer(MPI_Comm comm, void *buffer_addr, int *size);
int MPI_Buffer_flush(void);
int MPI_Abi_get_version(int *abi_major, int *abi_minor);

#endif
