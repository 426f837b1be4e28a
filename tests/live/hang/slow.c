/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that are slow, or wait for something slow, when they are killed: none has deadlocked.
 * Usage in programs.h. */
#include "programs.h"

#include <pthread.h>

static void receive_from(int source)
{
    MPI_Recv(small, 1, MPI_INT, source, TAG, all, MPI_STATUS_IGNORE);
}

static void long_computation(void)
{
    if (rank == 1) {
        compute();
    }
    receive_from(1);
}

static void long_sleep(void)
{
    if (rank == 1) {
        sleep(1000);
    }
    MPI_Barrier(all);
}

static void read_of_a_pipe(void)
{
    int ends[2];
    char byte;
    if (rank == 1 && pipe(ends) == 0 && read(ends[0], &byte, 1) != 1) {
        return;
    }
    MPI_Allreduce(small, small + 1, 1, MPI_INT, MPI_SUM, all);
}

static void polls(void) /* rank 1 tests for a message of rank 0, and would send to rank 2 then */
{
    int flag = 0;
    if (rank == 0) {
        compute();
    }
    while (rank == 1 && !flag) {
        MPI_Iprobe(0, TAG, all, &flag, MPI_STATUS_IGNORE);
    }
    receive_from(1);
}

/* The receive is posted before the send begins, and would complete it otherwise; the receiver
 * computes. */
static void send_that_is_awaited(void)
{
    MPI_Request request;
    if (rank == 1) {
        MPI_Irecv(target, LARGE, MPI_CHAR, 0, TAG, all, &request);
        MPI_Send(small, 1, MPI_INT, 0, POSTED, all);
        compute();
    } else {
        MPI_Recv(small, 1, MPI_INT, 1, POSTED, all, MPI_STATUS_IGNORE);
    }
    MPI_Send(large, LARGE, MPI_CHAR, 1, TAG, all);
}

static void master_and_workers(void) /* rank 1 waits for work, rank 2 works */
{
    if (rank == 2) {
        compute();
    }
    receive_from(rank == 0 ? MPI_ANY_SOURCE : 0);
}

static void one_of_two(void)
{
    MPI_Request requests[2];
    int index;
    if (rank == 2) {
        compute();
    }
    MPI_Irecv(small, 1, MPI_INT, 1, TAG, all, &requests[0]);
    MPI_Irecv(small + 1, 1, MPI_INT, 2, TAG, all, &requests[1]);
    if (rank == 0) {
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    } else {
        receive_from(0);
    }
}

static void unlock_without_progress(void)
{
    MPI_Win window;
    MPI_Win_create(target, sizeof target, 1, MPI_INFO_NULL, all, &window);
    if (rank == 1) {
        compute();
    }
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    MPI_Put(small, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    MPI_Win_unlock(1, window);
    receive_from(1);
}

static void short_steps(void)
{
    for (;;) {
        MPI_Allreduce(small, small + 1, 1, MPI_INT, MPI_SUM, all);
        usleep(1000);
    }
}

/* ---- threads ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *compute_with_mutex(void *argument)
{
    pthread_mutex_lock(&mutex);
    *(volatile int *)argument = 1;
    compute();
    return argument;
}

static void mutex_of_a_busy_thread(void)
{
    pthread_t thread;
    volatile int is_held = 0;
    pthread_create(&thread, NULL, compute_with_mutex, (void *)&is_held);
    while (!is_held) {
        usleep(1000);
    }
    pthread_mutex_lock(&mutex);
}

static void *wait_for_signal(void *argument)
{
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&condition, &mutex);
    return argument;
}

static void condition_of_a_busy_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait_for_signal, NULL);
    compute();
}

static void *compute_and_send(void *argument)
{
    compute();
    MPI_Send(small, 1, MPI_INT, 1 - rank, TAG, all);
    return argument;
}

static void multiple_sender_computes(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, compute_and_send, NULL);
    receive_from(1 - rank);
}

int main(int argc, char **argv)
{
    static const struct program programs[] = {
        {"long_computation", 3, long_computation},
        {"long_sleep", 2, long_sleep},
        {"read_of_a_pipe", 2, read_of_a_pipe},
        {"polls", 3, polls},
        {"send_that_is_awaited", 2, send_that_is_awaited},
        {"master_and_workers", 3, master_and_workers},
        {"one_of_two", 3, one_of_two},
        {"unlock_without_progress", 2, unlock_without_progress},
        {"short_steps", 2, short_steps},
        {"mutex_of_a_busy_thread", 1, mutex_of_a_busy_thread},
        {"condition_of_a_busy_thread", 1, condition_of_a_busy_thread},
        {"multiple_sender_computes", 2, multiple_sender_computes},
    };
    return run_programs(argc, argv, programs, sizeof programs / sizeof programs[0]);
}
