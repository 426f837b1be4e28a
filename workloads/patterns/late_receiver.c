/* SPDX-License-Identifier: BSD-3-Clause */
/* Late Receiver: the sender of a message that is not buffered waits for the receive. */
#include "message.h"
#include "pattern.h"

static void receive_late(const context *c)
{
    delay(c);
    MPI_Recv(message_in, LARGE_MESSAGE, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void blocking(const context *c)
{
    if (c->rank == 0)
        MPI_Ssend(message_out, LARGE_MESSAGE, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    else if (c->rank == 1)
        receive_late(c);
}

static void nonblocking(const context *c)
{
    if (c->rank == 0) {
        MPI_Request request;
        MPI_Isend(message_out, LARGE_MESSAGE, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (c->rank == 1) {
        receive_late(c);
    }
}

static void wrong_order(const context *c)
{
    if (c->rank == 0) {
        MPI_Send(message_out, SMALL_MESSAGE, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        MPI_Ssend(message_out, LARGE_MESSAGE, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    } else if (c->rank == 1) {
        receive_late(c);
        MPI_Recv(message_in, SMALL_MESSAGE, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

const pattern late_receiver_patterns[] = {
    {"latereceiver", "mpi_latereceiver", 2, blocking, "rank 0 waits in MPI_Ssend for rank 1"},
    {"latereceiver_wait", "mpi_latereceiver", 2, nonblocking,
     "rank 0 waits in MPI_Wait of an MPI_Isend for rank 1"},
    {"latereceiver_wrong_order", "mpi_latereceiver_wo", 2, wrong_order,
     "rank 0 waits in MPI_Ssend for rank 1, which has left an earlier message unreceived"},
    {0}};
