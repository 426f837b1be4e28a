/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages and one-sided operations of MPI 4: large counts, also mixed with int on one tag,
 * non-blocking send-receives, persistent requests with large counts. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 100, TAG = 7 };

static int rank, size, left, right, in[LENGTH], out[LENGTH];
static MPI_Request request, requests[2];

/* Even ranks send to odd ones, with both kinds of calls on one tag. */
static void mixed(void)
{
    int peer = rank ^ 1;
    if (rank % 2 == 0) {
        MPI_Send(out, LENGTH, MPI_INT, peer, TAG, MPI_COMM_WORLD);
        MPI_Send_c(out, LENGTH, MPI_INT, peer, TAG, MPI_COMM_WORLD);
        MPI_Ssend_c(out, LENGTH, MPI_INT, peer, TAG, MPI_COMM_WORLD);
        MPI_Isend_c(out, LENGTH, MPI_INT, peer, TAG, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Isend(out, LENGTH, MPI_INT, peer, TAG, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Send_c(out, LENGTH, MPI_INT, peer, TAG, MPI_COMM_WORLD);
        MPI_Send_c(out, LENGTH, MPI_INT, peer, TAG, MPI_COMM_WORLD);
    } else {
        MPI_Message message;
        MPI_Recv_c(in, LENGTH, MPI_INT, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(in, LENGTH, MPI_INT, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv_c(in, LENGTH, MPI_INT, peer, TAG, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Recv_c(in, LENGTH, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
        MPI_Recv(in, LENGTH, MPI_INT, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Mprobe(peer, TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv_c(in, LENGTH, MPI_INT, &message, MPI_STATUS_IGNORE);
        MPI_Mprobe(peer, TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Imrecv_c(in, LENGTH, MPI_INT, &message, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* Around the ring; the first and the last rank also with MPI_PROC_NULL. */
static void both_ways(void)
{
    MPI_Status status;
    MPI_Isendrecv(out, LENGTH, MPI_INT, right, TAG, in, LENGTH, MPI_INT, left, TAG, MPI_COMM_WORLD,
                  &request);
    MPI_Wait(&request, &status);
    MPI_Isendrecv_c(out, LENGTH, MPI_INT, right, TAG, in, LENGTH, MPI_INT, left, TAG,
                    MPI_COMM_WORLD, &requests[0]);
    MPI_Isendrecv_replace(in + LENGTH / 2, 1, MPI_INT, right, TAG + 1, left, TAG + 1,
                          MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Isendrecv_replace_c(in, LENGTH, MPI_INT, rank + 1 < size ? right : MPI_PROC_NULL, TAG,
                            rank > 0 ? left : MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    MPI_Sendrecv_c(out, LENGTH, MPI_INT, right, TAG, in, LENGTH, MPI_INT, left, TAG, MPI_COMM_WORLD,
                   &status);
    MPI_Sendrecv_replace_c(in, LENGTH, MPI_INT, right, TAG, left, TAG, MPI_COMM_WORLD, &status);
}

static void persistent(void)
{
    MPI_Send_init_c(out, LENGTH, MPI_INT, right, TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init_c(in, LENGTH, MPI_INT, left, TAG, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void one_sided(void)
{
    MPI_Win win;
    int *memory = calloc(LENGTH, sizeof *memory);
    MPI_Win_create_c(memory, LENGTH * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &win);
    MPI_Win_fence(0, win);
    MPI_Put_c(out, LENGTH / 2, MPI_INT, right, 0, LENGTH / 2, MPI_INT, win);
    MPI_Accumulate_c(out, LENGTH / 2, MPI_INT, right, LENGTH / 2, LENGTH / 2, MPI_INT, MPI_SUM,
                     win);
    MPI_Win_fence(0, win);
    MPI_Get_c(in, LENGTH, MPI_INT, left, 0, LENGTH, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_lock_all(0, win);
    MPI_Rput_c(out, 1, MPI_INT, right, 0, 1, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    free(memory);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    for (int i = 0; i < LENGTH; i++) {
        out[i] = rank + 1;
    }
    mixed();
    both_ways();
    printf("rank %d: %d\n", rank, in[0]);
    persistent();
    one_sided();
    MPI_Finalize();
    return 0;
}
