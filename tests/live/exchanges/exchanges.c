/* SPDX-License-Identifier: BSD-3-Clause */
/* Two processes exchange messages of all sizes; rank 1 is late. Each size and each order of the
 * requests has a function of its own, so that a report tells them apart.
 *
 * Plain sends show from which size on sends wait for their receive. In the balanced exchanges
 * nobody is late: many of their short calls overlap the receive by chance. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { TAG_PLAIN, TAG_EXCHANGE, TAG_BALANCED, REPEATS = 3, BALANCED_REPEATS = 50 };

static int rank;
static char *sent, *received;

static void delay(void)
{
    struct timespec rest = {.tv_nsec = 10000000};
    if (rank == 1) {
        nanosleep(&rest, NULL);
    }
}

static void plain(int bytes)
{
    for (int i = 0; i < REPEATS; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        delay();
        if (rank == 0) {
            MPI_Send(sent, bytes, MPI_CHAR, 1, TAG_PLAIN, MPI_COMM_WORLD);
        } else {
            MPI_Recv(received, bytes, MPI_CHAR, 0, TAG_PLAIN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

static void balanced(int bytes)
{
    for (int i = 0; i < BALANCED_REPEATS; i++) {
        MPI_Request request;
        MPI_Irecv(received, bytes, MPI_CHAR, 1 - rank, TAG_BALANCED, MPI_COMM_WORLD, &request);
        MPI_Send(sent, bytes, MPI_CHAR, 1 - rank, TAG_BALANCED, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static inline __attribute__((always_inline)) void exchange(int bytes, int send_first)
{
    MPI_Status statuses[2];
    for (int i = 0; i < REPEATS; i++) {
        MPI_Request requests[2];
        MPI_Barrier(MPI_COMM_WORLD);
        delay();
        for (int step = 0; step < 2; step++) {
            if ((step == 0) == send_first) {
                MPI_Isend(sent, bytes, MPI_CHAR, 1 - rank, TAG_EXCHANGE, MPI_COMM_WORLD,
                          &requests[step]);
            } else {
                MPI_Irecv(received, bytes, MPI_CHAR, 1 - rank, TAG_EXCHANGE, MPI_COMM_WORLD,
                          &requests[step]);
            }
        }
        MPI_Waitall(2, requests, statuses);
    }
}

#define SIZES(size)                                                                                \
    size(4) size(32) size(256) size(2048) size(16384) size(131072) size(1048576) size(4194304)
#define FUNCTIONS(bytes)                                                                           \
    __attribute__((noinline)) static void send_first_##bytes(void)                                 \
    {                                                                                              \
        exchange(bytes, 1);                                                                        \
    }                                                                                              \
    __attribute__((noinline)) static void receive_first_##bytes(void)                              \
    {                                                                                              \
        exchange(bytes, 0);                                                                        \
    }
SIZES(FUNCTIONS)

#define ALL(bytes)                                                                                 \
    plain(bytes);                                                                                  \
    send_first_##bytes();                                                                          \
    receive_first_##bytes();

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sent = calloc(1, 4194304);
    received = calloc(1, 4194304);
    balanced(4);
    balanced(256);
    SIZES(ALL)
    free(sent);
    free(received);
    MPI_Finalize();
    return 0;
}
