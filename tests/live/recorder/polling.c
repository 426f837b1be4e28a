/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops of tests that fail and of local calls, each a known number of times, in a function of its
 * own: what rank 0 polls for is not sent before it has polled, since rank 1 waits for a message
 * until then. usage: polling [die]   die: rank 0 aborts within its last loop, after a known number
 * of tests */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TESTS = 20000, IN_TURN = 20, TAG_GO = 1, TAG_DATA = 2 };

#ifdef __clang__
#define ALONE __attribute__((noinline, optnone))
#else
#define ALONE __attribute__((noinline, noipa))
#endif

static int buffers[IN_TURN];
static MPI_Request requests[IN_TURN];

static void post(int count)
{
    for (int i = 0; i < count; i++) {
        MPI_Irecv(&buffers[i], 1, MPI_INT, 1, TAG_DATA, MPI_COMM_WORLD, &requests[i]);
    }
}

/* Rank 1 sends now. */
static void go(int count)
{
    MPI_Send(&count, 1, MPI_INT, 1, TAG_GO, MPI_COMM_WORLD);
}

static void finish(int count)
{
    go(count);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static void serve(void)
{
    int count = 1;
    while (count > 0) {
        MPI_Recv(&count, 1, MPI_INT, 0, TAG_GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < count; i++) {
            MPI_Send(&i, 1, MPI_INT, 0, TAG_DATA, MPI_COMM_WORLD);
        }
    }
}

static ALONE int poll_test(void)
{
    int flag = 0, found = 0;
    post(1);
    for (int i = 0; i < TESTS; i++) {
        MPI_Test(requests, &flag, MPI_STATUS_IGNORE);
        found += flag;
    }
    finish(1);
    return found;
}

static ALONE int poll_in_turn(void)
{
    int flag = 0, found = 0;
    post(IN_TURN);
    for (int i = 0; i < TESTS; i++) {
        MPI_Test(&requests[i % IN_TURN], &flag, MPI_STATUS_IGNORE);
        found += flag;
    }
    finish(IN_TURN);
    return found;
}

static ALONE int poll_all(void)
{
    int flag = 0, found = 0;
    post(3);
    for (int i = 0; i < TESTS; i++) {
        MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE);
        found += flag;
    }
    finish(3);
    return found;
}

static ALONE int poll_status(void)
{
    int flag = 0, found = 0;
    post(1);
    for (int i = 0; i < TESTS; i++) {
        MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
        found += flag;
    }
    finish(1);
    return found;
}

static ALONE int poll_probe(void)
{
    int flag = 0, found = 0;
    for (int i = 0; i < TESTS; i++) {
        MPI_Iprobe(1, TAG_DATA, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        found += flag;
    }
    post(1);
    finish(1);
    return found;
}

static ALONE int poll_matched(void)
{
    MPI_Message message;
    int flag = 0, found = 0;
    for (int i = 0; i < TESTS; i++) {
        MPI_Improbe(1, TAG_DATA, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
        found += flag;
    }
    post(1);
    finish(1);
    return found;
}

static ALONE int read_time(void)
{
    double sum = 0;
    for (int i = 0; i < TESTS; i++) {
        sum += MPI_Wtime();
    }
    return sum < 0;
}

/* A test and a local call, in lines of their own. */
static ALONE int poll_and_read_time(void)
{
    int flag = 0, found = 0;
    double sum = 0;
    post(1);
    for (int i = 0; i < TESTS; i++) {
        MPI_Test(requests, &flag, MPI_STATUS_IGNORE);
        found += flag;
        sum += MPI_Wtime();
    }
    finish(1);
    return found + (sum < 0);
}

/* Tests in two functions. */
static ALONE int probe_once(void)
{
    int flag = 0, rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Iprobe(1, TAG_GO, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    return flag + rank;
}

static ALONE int test_once(void)
{
    int flag = 0;
    MPI_Test(requests, &flag, MPI_STATUS_IGNORE);
    return flag != 0;
}

static ALONE int poll_in_functions(void)
{
    int found = 0;
    post(1);
    for (int i = 0; i < TESTS; i++) {
        found += probe_once();
        found += test_once();
    }
    finish(1);
    return found;
}

/* The exposure epoch cannot end before rank 1 has begun its access. */
static ALONE int poll_window(MPI_Win window, MPI_Group other)
{
    int flag = 0, found = 0;
    MPI_Win_post(other, 0, window);
    for (int i = 0; i < TESTS; i++) {
        MPI_Win_test(window, &flag);
        found += flag;
    }
    go(0);
    MPI_Win_wait(window);
    return found;
}

static ALONE int poll_and_die(void)
{
    int flag = 0, found = 0;
    post(1);
    for (int i = 0; i < TESTS; i++) {
        MPI_Test(requests, &flag, MPI_STATUS_IGNORE);
        found += flag;
    }
    if (found == 0) {
        abort();
    }
    return found;
}

int main(int count, char **words)
{
    int rank, found = 0;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (count > 1 && strcmp(words[1], "die") == 0) {
        if (rank == 0) {
            return poll_and_die();
        }
        serve();
        return 0;
    }
    int *memory;
    MPI_Win window;
    MPI_Group world, other;
    const int peer = 1 - rank;
    MPI_Win_allocate(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer, &other);
    if (rank == 0) {
        found += poll_test() + poll_in_turn() + poll_all() + poll_status() + poll_probe();
        found += poll_matched() + read_time() + poll_and_read_time() + poll_in_functions();
        found += poll_window(window, other);
    } else {
        serve();
        MPI_Win_start(other, 0, window);
        MPI_Win_complete(window);
    }
    printf("rank %d: %d\n", rank, found);
    MPI_Group_free(&other);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
