/* SPDX-License-Identifier: BSD-3-Clause */
/* Eight threads of each rank (MPI_THREAD_MULTIPLE) in all families of functions at once. What a
 * thread has started, another one completes; each thread fills a partition of a common message. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8, ROUNDS = 6, LENGTH = 16, MOST = 6, PARTITIONED_TAG = 99 };

/* What a thread has, and another one completes. */
struct own {
    MPI_Comm comm;
    MPI_Win win;
    MPI_Request requests[MOST];
    int in[4][LENGTH], out[LENGTH], sum[2], *memory;
};

static int rank, size, left, right, in[THREADS * LENGTH], out[THREADS * LENGTH];
static struct own owns[THREADS];
static MPI_Request partitioned[2];
static pthread_barrier_t together;

/* Starts: a receive, a send, both in one request, a collective, and both persistent. */
static void start(struct own *own, int tag)
{
    MPI_Irecv(own->in[0], LENGTH, MPI_INT, left, tag, own->comm, &own->requests[0]);
    MPI_Isend_c(own->out, LENGTH, MPI_INT, right, tag, own->comm, &own->requests[1]);
    MPI_Isendrecv(own->out, LENGTH, MPI_INT, right, tag + 100, own->in[1], LENGTH, MPI_INT, left,
                  tag + 100, own->comm, &own->requests[2]);
    MPI_Iallreduce(&rank, &own->sum[0], 1, MPI_INT, MPI_SUM, own->comm, &own->requests[3]);
    MPI_Start(&own->requests[4]);
    MPI_Start(&own->requests[5]);
}

static void communicate(struct own *own, int tag)
{
    MPI_Message message;
    MPI_Win_lock_all(0, own->win);
    MPI_Put(own->out, LENGTH, MPI_INT, right, 0, LENGTH, MPI_INT, own->win);
    MPI_Win_flush_all(own->win);
    MPI_Win_unlock_all(own->win);
    MPI_Send(own->out, 1, MPI_INT, right, tag + 200, own->comm);
    MPI_Mprobe(left, tag + 200, own->comm, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(own->in[2], 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Barrier(own->comm);
}

static void *work(void *argument)
{
    const int thread = *(int *)argument;
    struct own *own = &owns[thread], *other = &owns[(thread + 1) % THREADS];
    for (int round = 0; round < ROUNDS; round++) {
        start(own, thread);
        if (thread == 0) {
            MPI_Startall(2, partitioned);
        }
        pthread_barrier_wait(&together);
        MPI_Waitall(MOST, other->requests, MPI_STATUSES_IGNORE);
        MPI_Pready(thread, partitioned[0]);
        communicate(own, thread);
        pthread_barrier_wait(&together);
        if (thread == round % THREADS) {
            MPI_Waitall(2, partitioned, MPI_STATUSES_IGNORE);
        }
        pthread_barrier_wait(&together);
    }
    return NULL;
}

static void prepare(struct own *own, int tag)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &own->comm);
    own->memory = calloc(LENGTH, sizeof *own->memory);
    MPI_Win_create(own->memory, LENGTH * sizeof *own->memory, sizeof *own->memory, MPI_INFO_NULL,
                   own->comm, &own->win);
    MPI_Send_init(own->out, LENGTH, MPI_INT, right, tag + 300, own->comm, &own->requests[4]);
    MPI_Recv_init(own->in[3], LENGTH, MPI_INT, left, tag + 300, own->comm, &own->requests[5]);
}

static void finish(struct own *own)
{
    MPI_Request_free(&own->requests[4]);
    MPI_Request_free(&own->requests[5]);
    MPI_Win_free(&own->win);
    MPI_Comm_free(&own->comm);
    free(own->memory);
}

int main(int argc, char **argv)
{
    int provided, numbers[THREADS];
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    pthread_barrier_init(&together, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        prepare(&owns[i], i);
    }
    MPI_Psend_init(out, THREADS, LENGTH, MPI_INT, right, PARTITIONED_TAG, MPI_COMM_WORLD,
                   MPI_INFO_NULL, &partitioned[0]);
    MPI_Precv_init(in, 1, THREADS * LENGTH, MPI_INT, left, PARTITIONED_TAG, MPI_COMM_WORLD,
                   MPI_INFO_NULL, &partitioned[1]);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    MPI_Request_free(&partitioned[0]);
    MPI_Request_free(&partitioned[1]);
    for (int i = 0; i < THREADS; i++) {
        finish(&owns[i]);
    }
    printf("rank %d: sum %d\n", rank, owns[3].sum[0]);
    MPI_Finalize();
    return 0;
}
