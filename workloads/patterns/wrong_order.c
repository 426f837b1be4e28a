/* SPDX-License-Identifier: BSD-3-Clause */
/* Late Sender, wrong order: while the receiver waits for a late message, another message, which it
 * receives later, has already been sent. */
#include "message.h"
#include "pattern.h"

static void send_small(int destination, int tag)
{
    MPI_Send(message_out, SMALL_MESSAGE, MPI_BYTE, destination, tag, MPI_COMM_WORLD);
}

static void receive_small(int source, int tag)
{
    MPI_Recv(message_in, SMALL_MESSAGE, MPI_BYTE, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void same_source(const context *c)
{
    if (c->rank == 0) {
        send_small(1, 1);
        delay(c);
        send_small(1, 2);
    } else if (c->rank == 1) {
        receive_small(0, 2);
        receive_small(0, 1);
    }
}

static void different_source(const context *c)
{
    if (c->rank == 0) {
        delay(c);
        send_small(1, 1);
    } else if (c->rank == 2) {
        send_small(1, 1);
    } else if (c->rank == 1) {
        receive_small(0, 1);
        receive_small(2, 1);
    }
}

const pattern wrong_order_patterns[] = {
    {"wrong_order_same", "mpi_lswo_same", 2, same_source,
     "rank 1 waits in MPI_Recv for rank 0's second message before it receives the first"},
    {"wrong_order_different", "mpi_lswo_different", 3, different_source,
     "rank 1 waits in MPI_Recv for rank 0 before it receives rank 2's message"},
    {0}};
