/* SPDX-License-Identifier: BSD-3-Clause */
/* Late Sender: the receiver waits for a message that has not been sent yet. */
#include "message.h"
#include "pattern.h"

static void send_late(const context *c)
{
    delay(c);
    MPI_Send(message_out, SMALL_MESSAGE, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
}

static void blocking(const context *c)
{
    if (c->rank == 0)
        send_late(c);
    else if (c->rank == 1)
        MPI_Recv(message_in, SMALL_MESSAGE, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void nonblocking(const context *c)
{
    if (c->rank == 0) {
        send_late(c);
    } else if (c->rank == 1) {
        MPI_Request request;
        MPI_Irecv(message_in, SMALL_MESSAGE, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* Of the two messages that rank 1 waits for, the later one decides. */
static void several(const context *c)
{
    if (c->rank == 0) {
        MPI_Send(message_out, SMALL_MESSAGE, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        send_late(c);
    } else if (c->rank == 1) {
        MPI_Request requests[2];
        for (int tag = 0; tag < 2; tag++)
            MPI_Irecv(message_in + tag * SMALL_MESSAGE, SMALL_MESSAGE, MPI_BYTE, 0, tag,
                      MPI_COMM_WORLD, &requests[tag]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}

const pattern late_sender_patterns[] = {
    {"latesender", "mpi_latesender", 2, blocking, "rank 1 waits in MPI_Recv for rank 0"},
    {"latesender_wait", "mpi_latesender", 2, nonblocking,
     "rank 1 waits in MPI_Wait of an MPI_Irecv for rank 0"},
    {"latesender_waitall", "mpi_latesender", 2, several,
     "rank 1 waits in MPI_Waitall for the later of two messages"},
    {0}};
