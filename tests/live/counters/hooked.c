/* SPDX-License-Identifier: BSD-3-Clause */
/* What hooks in Open MPI count: MESSAGES messages that arrive before their receives, LARGE of which
 * need a rendezvous, collectives of two sizes, and messages of several threads.
 *
 * usage: hooked one|each [FLOOD [ALLREDUCES]]   threads share a communicator, or have one each;
 * FLOOD further messages come before their receives; ALLREDUCES of a single element each */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 20, LARGE = 3, SMALL_BYTES = 100, LARGE_BYTES = 200000, COLLECTIVES = 4 };
enum { THREADS = 3, ROUNDS = 40, WINDOW = 64 };

static MPI_Comm comms[THREADS];
static int rank;
static char large[LARGE][LARGE_BYTES];

static void flood(void)
{
    MPI_Request requests[LARGE];
    char small[SMALL_BYTES] = "";
    if (rank == 0) {
        for (int i = 0; i < LARGE; i++) {
            MPI_Isend(large[i], LARGE_BYTES, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &requests[i]);
        }
        for (int i = 0; i < MESSAGES - LARGE; i++) {
            MPI_Send(small, SMALL_BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD); /* its message is behind the others */
    if (rank == 1) {
        for (int i = 0; i < MESSAGES; i++) {
            MPI_Recv(large[0], LARGE_BYTES, MPI_CHAR, 0, i < LARGE, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        }
    } else {
        MPI_Waitall(LARGE, requests, MPI_STATUSES_IGNORE);
    }
}

/* Rank 0 is late: rank 1 takes messages while it waits, before it receives them. */
static void flood_more(int count)
{
    char small[SMALL_BYTES] = "";
    for (int i = 0; rank == 0 && i < count; i++) {
        MPI_Send(small, SMALL_BYTES, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; rank == 1 && i < count; i++) {
        MPI_Recv(small, SMALL_BYTES, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void *exchange(void *number)
{
    int thread = (int)(long)number;
    MPI_Request requests[WINDOW];
    char data[WINDOW][8] = {""};
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < WINDOW; i++) {
            if (rank == 0) {
                MPI_Isend(data[i], 8, MPI_CHAR, 1, thread, comms[thread], &requests[i]);
            } else {
                MPI_Irecv(data[i], 8, MPI_CHAR, 0, thread, comms[thread], &requests[i]);
            }
        }
        MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int level;
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    flood();
    flood_more(argc > 2 ? atoi(argv[2]) : 0);
    for (int i = 0, sum; argc > 3 && i < atoi(argv[3]); i++) {
        MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    for (int i = 0; i < COLLECTIVES; i++) {
        MPI_Bcast(large[0], i == 0 ? 20000 : 64, MPI_CHAR, 0, MPI_COMM_WORLD);
    }
    for (long i = 0; i < THREADS; i++) {
        if (argc > 1 && strcmp(argv[1], "each") == 0) {
            MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        } else {
            comms[i] = MPI_COMM_WORLD;
        }
    }
    if (level == MPI_THREAD_MULTIPLE) {
        for (long i = 0; i < THREADS; i++) {
            pthread_create(&threads[i], NULL, exchange, (void *)i);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
        }
    }
    MPI_Finalize();
    return 0;
}
