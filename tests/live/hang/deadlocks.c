/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that deadlock: usage in programs.h. */
#include "programs.h"

#include <pthread.h>

/* ---- messages ---- */

static void head_to_head(void) /* both send first */
{
    MPI_Send(large, LARGE, MPI_CHAR, 1 - rank, TAG, all);
    MPI_Recv(target, LARGE, MPI_CHAR, 1 - rank, TAG, all, MPI_STATUS_IGNORE);
}

static void receive_ring(void) /* all receive first */
{
    MPI_Recv(small, 1, MPI_INT, (rank + size - 1) % size, TAG, all, MPI_STATUS_IGNORE);
    MPI_Send(small, 1, MPI_INT, (rank + 1) % size, TAG, all);
}

static void send_to_self(void)
{
    MPI_Ssend(small, 1, MPI_INT, rank, TAG, all);
}

static void wrong_tag(void)
{
    if (rank == 0) {
        MPI_Send(small, 1, MPI_INT, 1, TAG + 1, all);
    } else {
        MPI_Recv(small, 1, MPI_INT, 0, TAG, all, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(all);
}

static void wrong_communicator(void)
{
    if (rank == 0) {
        MPI_Send(small, 1, MPI_INT, 1, TAG, other);
    } else {
        MPI_Recv(small, 1, MPI_INT, 0, TAG, all, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(all);
}

static void wrong_source(void) /* rank 2 sends what rank 0 expects of rank 1 */
{
    if (rank == 2) {
        MPI_Send(small, 1, MPI_INT, 0, TAG, all);
    } else if (rank == 0) {
        MPI_Recv(small, 1, MPI_INT, 1, TAG, all, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(all);
}

static void shift_by_sendrecv(void) /* receives from where it sends to */
{
    const int next = (rank + 1) % size;
    MPI_Sendrecv(small, 1, MPI_INT, next, TAG, small + 1, 1, MPI_INT, next, TAG, all,
                 MPI_STATUS_IGNORE);
}

static void forgotten_sends(void)
{
    MPI_Request requests[2];
    MPI_Irecv(small, 1, MPI_INT, (rank + 1) % size, TAG, all, &requests[0]);
    MPI_Irecv(small + 1, 1, MPI_INT, (rank + 2) % size, TAG, all, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void probe_for_nothing(void)
{
    if (rank == 0) {
        MPI_Probe(1, TAG, all, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(all);
}

static void all_wait_for_any(void)
{
    MPI_Recv(small, 1, MPI_INT, MPI_ANY_SOURCE, TAG, all, MPI_STATUS_IGNORE);
}

static void early_finalize(void)
{
    if (rank == 0) {
        MPI_Recv(small, 1, MPI_INT, 1, TAG, all, MPI_STATUS_IGNORE);
    }
}

/* ---- collective operations ---- */

static void missing_member(void)
{
    if (rank == 2) {
        MPI_Recv(small, 1, MPI_INT, 0, TAG, all, MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(small, small + 1, 1, MPI_INT, MPI_SUM, all);
}

static void different_collectives(void)
{
    if (rank == 0) {
        MPI_Barrier(all);
    } else {
        MPI_Allreduce(small, small + 1, 1, MPI_INT, MPI_SUM, all);
    }
}

static void different_roots(void)
{
    MPI_Bcast(large, LARGE, MPI_CHAR, (rank + 1) % size, all);
}

static void different_order(void)
{
    MPI_Barrier(rank == 0 ? all : other);
    MPI_Barrier(rank == 0 ? other : all);
}

static void collective_and_message(void) /* rank 1 reduces before it receives */
{
    MPI_Request request;
    if (rank == 0) {
        MPI_Ssend(small, 1, MPI_INT, 1, TAG, all);
        MPI_Ibarrier(all, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Ibarrier(all, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Recv(small, 1, MPI_INT, 0, TAG, all, MPI_STATUS_IGNORE);
    }
}

/* ---- windows ---- */

static MPI_Win window;

static void make_window(void)
{
    MPI_Win_create(target, sizeof target, 1, MPI_INFO_NULL, all, &window);
}

static MPI_Group group_of(int member)
{
    MPI_Group members, one;
    MPI_Comm_group(all, &members);
    MPI_Group_incl(members, 1, &member, &one);
    return one;
}

static void start_without_post(void)
{
    make_window();
    if (rank == 0) {
        MPI_Win_start(group_of(1), 0, window);
        MPI_Put(small, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_complete(window);
    }
    MPI_Barrier(all);
}

static void wait_without_complete(void)
{
    make_window();
    if (rank == 0) {
        MPI_Win_post(group_of(1), 0, window);
        MPI_Win_wait(window);
    } else {
        MPI_Win_start(group_of(0), 0, window);
    }
    MPI_Barrier(all);
}

static void held_lock(void)
{
    make_window();
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(small, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
        MPI_Barrier(all);
    } else {
        usleep(100000); /* rank 0 has it by then */
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(small, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_unlock(0, window);
    }
}

static void missing_fence(void)
{
    make_window();
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Recv(small, 1, MPI_INT, 1, TAG, all, MPI_STATUS_IGNORE);
    }
    MPI_Win_fence(0, window);
}

/* ---- threads ---- */

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both, three;

static void take_both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(second);
}

static void *left_first(void *argument)
{
    take_both(&left, &right);
    return argument;
}

static void *right_first(void *argument)
{
    take_both(&right, &left);
    return argument;
}

static void *meet(void *argument)
{
    pthread_barrier_wait(&three);
    return argument;
}

static void join_two(void *(*one)(void *), void *(*two)(void *))
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

static void mutex_order(void)
{
    pthread_barrier_init(&both, NULL, 2);
    join_two(left_first, right_first);
}

static void thread_barrier(void) /* of three, but there are two */
{
    pthread_barrier_init(&three, NULL, 3);
    join_two(meet, meet);
}

static void *send_with_mutex(void *argument)
{
    pthread_mutex_lock(&left);
    MPI_Send(small, 1, MPI_INT, 1 - rank, TAG, all);
    pthread_mutex_unlock(&left);
    return argument;
}

static void multiple_mutex_and_message(void) /* the sender needs what the receiver holds */
{
    pthread_t sender;
    pthread_mutex_lock(&left);
    pthread_create(&sender, NULL, send_with_mutex, NULL);
    MPI_Recv(small + 1, 1, MPI_INT, 1 - rank, TAG, all, MPI_STATUS_IGNORE);
    pthread_mutex_unlock(&left);
    pthread_join(sender, NULL);
}

int main(int argc, char **argv)
{
    static const struct program programs[] = {
        {"head_to_head", 2, head_to_head},
        {"receive_ring", 3, receive_ring},
        {"send_to_self", 1, send_to_self},
        {"wrong_tag", 2, wrong_tag},
        {"wrong_communicator", 2, wrong_communicator},
        {"wrong_source", 3, wrong_source},
        {"shift_by_sendrecv", 3, shift_by_sendrecv},
        {"forgotten_sends", 3, forgotten_sends},
        {"probe_for_nothing", 2, probe_for_nothing},
        {"all_wait_for_any", 3, all_wait_for_any},
        {"early_finalize", 2, early_finalize},
        {"missing_member", 3, missing_member},
        {"different_collectives", 2, different_collectives},
        {"different_roots", 3, different_roots},
        {"different_order", 2, different_order},
        {"collective_and_message", 2, collective_and_message},
        {"start_without_post", 2, start_without_post},
        {"wait_without_complete", 2, wait_without_complete},
        {"held_lock", 2, held_lock},
        {"missing_fence", 2, missing_fence},
        {"mutex_order", 1, mutex_order},
        {"thread_barrier", 1, thread_barrier},
        {"multiple_mutex_and_message", 2, multiple_mutex_and_message},
    };
    return run_programs(argc, argv, programs, sizeof programs / sizeof programs[0]);
}
