/* SPDX-License-Identifier: BSD-3-Clause */
/* Point-to-point calls of every kind, on any even number of ranks; rank 2i talks to rank 2i + 1. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 5, ITEMS = 16 };

static int rank, peer, data[8][ITEMS];

static void blocking(void)
{
    static char attached[4096 + MPI_BSEND_OVERHEAD];
    int size = sizeof attached;
    void *detached;
    MPI_Status status;
    if (rank % 2 == 0) {
        MPI_Buffer_attach(attached, size);
        MPI_Send(data[0], 1, MPI_INT, peer, TAG, MPI_COMM_WORLD);
        MPI_Ssend(data[0], 2, MPI_INT, peer, TAG + 1, MPI_COMM_WORLD);
        MPI_Bsend(data[0], 3, MPI_INT, peer, TAG + 2, MPI_COMM_WORLD);
        MPI_Recv(data[1], 0, MPI_INT, peer, TAG + 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Rsend(data[0], 4, MPI_INT, peer, TAG + 3, MPI_COMM_WORLD);
        MPI_Buffer_detach(&detached, &size);
    } else {
        MPI_Request ready;
        MPI_Irecv(data[2], ITEMS, MPI_INT, peer, TAG + 3, MPI_COMM_WORLD, &ready);
        MPI_Recv(data[1], ITEMS, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Recv(data[1], ITEMS, MPI_INT, MPI_ANY_SOURCE, TAG + 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        MPI_Recv(data[1], ITEMS, MPI_INT, peer, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(data[1], 0, MPI_INT, peer, TAG + 3, MPI_COMM_WORLD);
        MPI_Wait(&ready, MPI_STATUS_IGNORE);
        printf("rank %d: first message from %d\n", rank, status.MPI_SOURCE);
    }
    MPI_Sendrecv(data[0], 5, MPI_INT, peer, TAG, data[1], ITEMS, MPI_INT, peer, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(data[0], 6, MPI_INT, peer, TAG, peer, TAG, MPI_COMM_WORLD, &status);
    MPI_Sendrecv(data[0], 5, MPI_INT, MPI_PROC_NULL, TAG, data[1], ITEMS, MPI_INT, MPI_PROC_NULL,
                 TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Waits for `count` requests in each of the ways that MPI knows. */
static void wait_in_turn(MPI_Request *requests, int count, int way)
{
    int indices[8], done, flag = 0, index;
    MPI_Status statuses[8];
    switch (way) {
    case 0:
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        break;
    case 1:
        for (int i = 0; i < count; i++) {
            MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
        }
        MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE); /* none is left */
        break;
    case 2:
        for (int left = count; left > 0; left -= done) {
            MPI_Waitsome(count, requests, &done, indices, statuses);
        }
        break;
    case 3:
        while (!flag) {
            MPI_Testall(count, requests, &flag, statuses);
        }
        break;
    case 4:
        for (int left = count; left > 0; left -= flag) {
            MPI_Testany(count, requests, &index, &flag, MPI_STATUS_IGNORE);
        }
        break;
    case 5:
        for (int left = count; left > 0; left -= done) {
            MPI_Testsome(count, requests, &done, indices, MPI_STATUSES_IGNORE);
        }
        break;
    default:
        for (int i = 0; i < count; i++) {
            for (flag = 0; !flag;) {
                MPI_Test(&requests[i], &flag, &statuses[0]);
            }
        }
    }
}

enum { WAYS = 7 };

static void nonblocking(void)
{
    MPI_Request r[8];
    for (int way = 0; way < WAYS; way++) {
        for (int i = 0; i < 4; i++) {
            MPI_Irecv(data[i], ITEMS, MPI_INT, i % 2 ? peer : MPI_ANY_SOURCE, TAG + i,
                      MPI_COMM_WORLD, &r[i]);
        }
        MPI_Barrier(MPI_COMM_WORLD); /* the ready send needs its receive */
        MPI_Isend(data[4], 1, MPI_INT, peer, TAG, MPI_COMM_WORLD, &r[4]);
        MPI_Issend(data[5], 2, MPI_INT, peer, TAG + 1, MPI_COMM_WORLD, &r[5]);
        MPI_Irsend(data[6], 3, MPI_INT, peer, TAG + 2, MPI_COMM_WORLD, &r[6]);
        MPI_Isend(data[7], ITEMS, MPI_INT, peer, TAG + 3, MPI_COMM_WORLD, &r[7]);
        wait_in_turn(r, 8, way);
    }
    MPI_Irecv(data[0], 1, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(data[0], 1, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

static void persistent(void)
{
    MPI_Request r[4];
    MPI_Send_init(data[0], 1, MPI_INT, peer, TAG, MPI_COMM_WORLD, &r[0]);
    MPI_Ssend_init(data[1], 2, MPI_INT, peer, TAG + 1, MPI_COMM_WORLD, &r[1]);
    MPI_Recv_init(data[2], ITEMS, MPI_INT, peer, TAG, MPI_COMM_WORLD, &r[2]);
    MPI_Recv_init(data[3], ITEMS, MPI_INT, MPI_ANY_SOURCE, TAG + 1, MPI_COMM_WORLD, &r[3]);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE); /* inactive: nothing happens */
    for (int i = 0; i < 3; i++) {
        MPI_Start(&r[2]);
        MPI_Start(&r[3]);
        MPI_Startall(2, r);
        wait_in_turn(r, 4, i == 0 ? 0 : i == 1 ? 2 : 6);
    }
    for (int i = 0; i < 4; i++) {
        MPI_Request_free(&r[i]);
    }
}

static void probed(void)
{
    MPI_Message message;
    MPI_Status status;
    MPI_Request request;
    int flag = 0;
    if (rank % 2 == 0) {
        MPI_Send(data[0], 7, MPI_INT, peer, TAG, MPI_COMM_WORLD);
        MPI_Send(data[0], 8, MPI_INT, peer, TAG, MPI_COMM_WORLD);
        MPI_Send(data[0], 9, MPI_INT, peer, TAG, MPI_COMM_WORLD);
    } else {
        MPI_Mprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(data[1], ITEMS, MPI_INT, &message, MPI_STATUS_IGNORE);
        while (!flag) {
            MPI_Improbe(peer, TAG, MPI_COMM_WORLD, &flag, &message, &status);
        }
        MPI_Imrecv(data[1], ITEMS, MPI_INT, &message, &request);
        MPI_Wait(&request, &status);
        MPI_Probe(peer, TAG, MPI_COMM_WORLD, &status);
        MPI_Recv(data[1], ITEMS, MPI_INT, status.MPI_SOURCE, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
}

static void cancelled_and_freed(void)
{
    MPI_Request request;
    MPI_Status status;
    int cancelled;
    MPI_Irecv(data[0], ITEMS, MPI_INT, peer, TAG + 9, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    printf("rank %d: cancelled %d\n", rank, cancelled);
    MPI_Isend(data[0], 1, MPI_INT, peer, TAG, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Recv(data[1], 1, MPI_INT, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void errors_are_passed_on(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int result = MPI_Send(data[0], 1, MPI_INT, 1000, TAG, MPI_COMM_WORLD), class;
    MPI_Error_class(result, &class);
    printf("rank %d: error class is rank: %d\n", rank, class == MPI_ERR_RANK);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    peer = rank ^ 1;
    blocking();
    nonblocking();
    persistent();
    probed();
    cancelled_and_freed();
    errors_are_passed_on();
    MPI_Finalize();
    return 0;
}
