/* SPDX-License-Identifier: BSD-3-Clause */
/* Four threads of each rank that exchange messages and memory at once (MPI_THREAD_MULTIPLE). */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 200 };

static int rank, size;
static atomic_int begun;

static void *work(void *argument)
{
    int tag = *(int *)argument, in = 0, out;
    atomic_fetch_add(&begun, 1);
    while (atomic_load(&begun) < THREADS) {
        sched_yield(); /* a thread that begins when another one has ended may continue its location
                        */
    }
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Request requests[2];
        out = i;
        MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, tag, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&out, 1, MPI_INT, (rank + 1) % size, tag, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    return in == ROUNDS - 1 ? argument : NULL;
}

int main(int argc, char **argv)
{
    int provided, tags[THREADS], good = 0;
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < THREADS; i++) {
        tags[i] = i;
        pthread_create(&threads[i], NULL, work, &tags[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        good += result != NULL;
    }
    printf("rank %d: %d threads, provided all: %d\n", rank, good, provided == MPI_THREAD_MULTIPLE);
    MPI_Finalize();
    return 0;
}
