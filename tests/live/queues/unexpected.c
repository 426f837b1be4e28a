/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that come before their receives are posted, or do not, in several ways. Rank 0 receives.
 *
 * usage: unexpected WAY MESSAGES */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BYTES = 200 };

static int rank, ranks, count;
static char data[BYTES];

static void compute(double seconds)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((double)(now.tv_sec - begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - begin.tv_nsec) <
             seconds);
}

static void wait_all(int number, MPI_Request *requests)
{
    MPI_Status *statuses = calloc((size_t)number + 1, sizeof *statuses);
    MPI_Waitall(number, requests, statuses);
    free(statuses);
}

static void send_all(int tag)
{
    for (int i = 0; rank != 0 && i < count; i++) {
        MPI_Send(data, BYTES, MPI_CHAR, 0, tag, MPI_COMM_WORLD);
    }
}

static void receive_all(int tag, int source)
{
    for (int i = 0; rank == 0 && i < count * (source == MPI_ANY_SOURCE ? ranks - 1 : 1); i++) {
        MPI_Recv(data, BYTES, MPI_CHAR, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Rank 0 waits for the others, which have sent. */
static void flood(void)
{
    send_all(1);
    MPI_Barrier(MPI_COMM_WORLD);
    receive_all(1, MPI_ANY_SOURCE);
}

/* What was sent last is received first. */
static void reversed(void)
{
    send_all(1);
    send_all(2);
    for (int source = 1; source < ranks; source++) {
        receive_all(2, source);
    }
    for (int source = 1; source < ranks; source++) {
        receive_all(1, source);
    }
}

/* Rank 0 makes no call while messages come. */
static void busy(void)
{
    for (int i = 0; i < count; i++) {
        if (rank == 0) {
            compute(2e-4);
            for (int source = 1; source < ranks; source++) {
                MPI_Recv(data, BYTES, MPI_CHAR, source, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
            for (int source = 1; source < ranks; source++) {
                MPI_Send(data, 1, MPI_CHAR, source, 2, MPI_COMM_WORLD);
            }
        } else {
            MPI_Send(data, BYTES, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
            MPI_Recv(data, 1, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

static void posted(void)
{
    int all = count * (ranks - 1);
    MPI_Request *requests = calloc((size_t)all + 1, sizeof *requests);
    for (int i = 0; rank == 0 && i < all; i++) {
        MPI_Irecv(data, BYTES, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    send_all(1);
    if (rank == 0) {
        wait_all(all, requests);
    }
    free(requests);
}

static void probe(void)
{
    send_all(1);
    for (int i = 0; rank == 0 && i < count * (ranks - 1); i++) {
        MPI_Status status;
        MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        MPI_Recv(data, BYTES, MPI_CHAR, status.MPI_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void mprobe(void)
{
    send_all(1);
    for (int i = 0; rank == 0 && i < count * (ranks - 1); i++) {
        MPI_Message message;
        MPI_Mprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(data, BYTES, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    }
}

static void itself(void)
{
    MPI_Request *requests = calloc((size_t)count + 1, sizeof *requests);
    for (int i = 0; rank == 0 && i < count; i++) {
        MPI_Isend(data, BYTES, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &requests[i]);
    }
    if (rank == 0) {
        receive_all(1, 0);
        wait_all(count, requests);
    }
    free(requests);
}

static void exchange(void)
{
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    char out[BYTES] = "";
    for (int i = 0; i < count; i++) {
        compute(1e-5 * (double)((i * 7 + rank * 5) % 11));
        MPI_Sendrecv(out, BYTES, MPI_CHAR, right, 1, data, BYTES, MPI_CHAR, left, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } ways[] = {{"flood", flood},   {"reversed", reversed}, {"busy", busy},
                {"posted", posted}, {"probe", probe},       {"mprobe", mprobe},
                {"itself", itself}, {"exchange", exchange}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    count = argc > 2 ? atoi(argv[2]) : 0;
    for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof ways[0]; i++) {
        if (strcmp(argv[1], ways[i].name) == 0) {
            ways[i].run();
        }
    }
    MPI_Finalize();
    return 0;
}
