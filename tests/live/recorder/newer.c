/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of MPI 4.1 and 5.0, and large counts, whether the MPI library has them or the stub
 * library of this folder (newer_stub.c). */
#include "newer_stub.h"

#include <stdio.h>

enum { LENGTH = 10, TAG = 3 };

int main(int argc, char **argv)
{
    int rank, size, flag = 0, source = -1, major = 0, minor = 0, number, data[LENGTH] = {0};
    char buffer[4096];
    void *detached;
    MPI_Status status, statuses[2];
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    data[0] = rank;
    MPI_Irecv(data + 5, 1, MPI_INT, (rank + 1) % size, TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_c(data, 1, MPI_INT, (rank + size - 1) % size, TAG, MPI_COMM_WORLD);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]);
    while (flag == 0) {
        MPI_Request_get_status_all(2, requests, &flag, statuses);
    }
    MPI_Waitall(2, requests, statuses);
    MPI_Status_get_source(&statuses[0], &source);
    MPI_Bcast_c(data, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Sendrecv(data, 1, MPI_INT, rank, TAG, data + 1, 1, MPI_INT, rank, TAG, MPI_COMM_WORLD,
                 &status);
    MPI_Comm_attach_buffer(MPI_COMM_WORLD, buffer, sizeof buffer);
    MPI_Buffer_flush();
    MPI_Comm_detach_buffer(MPI_COMM_WORLD, &detached, &number);
    MPI_Abi_get_version(&major, &minor);
    printf("rank %d: from %d, %d, ABI %d.%d\n", rank, source, data[5], major, minor);
    MPI_Finalize();
    return 0;
}
