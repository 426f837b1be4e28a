/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 is late because its library searches long queues; rank 1 sends, and all wait for rank 0.
 *
 * usage: searched WAY MESSAGES */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BYTES = 100, AT_ONCE = 200, ROUNDS = 40 };

static int rank, count;
static char data[BYTES];

static void send_all(int number, int tag, int step)
{
    for (int i = 0; rank == 1 && i < number; i++) {
        MPI_Send(data, BYTES, MPI_CHAR, 0, tag + i * step, MPI_COMM_WORLD);
    }
}

static void receive_all(int number, int tag, int step)
{
    for (int i = 0; rank == 0 && i < number; i++) {
        MPI_Recv(data, BYTES, MPI_CHAR, 1, tag + i * step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* What was sent last is received first: each receive searches all messages that were sent before.
 */
static void reversed(void)
{
    send_all(count, 0, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    receive_all(count, count - 1, -1);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* What was sent first is received first: the queue is as long, but nothing is searched. */
static void ordered(void)
{
    send_all(count, 0, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    receive_all(count, 0, 1);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 0 has posted `count` receives, which messages match last. All others are compared with
 * these. They are sent while rank 0 sleeps, and fit into what a sender may have under way. */
static void posted(void)
{
    const struct timespec nap = {.tv_nsec = 2000000};
    MPI_Request *requests = calloc((size_t)count + 1, sizeof *requests);
    for (int i = 0; rank == 0 && i < count; i++) {
        MPI_Irecv(data, BYTES, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 0; round < ROUNDS; round++) {
        send_all(AT_ONCE, 2, 0);
        if (rank == 0) {
            nanosleep(&nap, NULL);
        }
        receive_all(AT_ONCE, 2, 0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    send_all(count, 1, 0);
    if (rank == 0) {
        MPI_Status *statuses = calloc((size_t)count + 1, sizeof *statuses);
        MPI_Waitall(count, requests, statuses);
        free(statuses);
    }
    free(requests);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } ways[] = {{"reversed", reversed}, {"ordered", ordered}, {"posted", posted}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    count = argc > 2 ? atoi(argv[2]) : 0;
    for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof ways[0]; i++) {
        if (strcmp(argv[1], ways[i].name) == 0) {
            ways[i].run();
        }
    }
    MPI_Finalize();
    return 0;
}
