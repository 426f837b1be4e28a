/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls MPI until it is killed, and counts its calls in a file that survives it: each count is
 * raised directly after the call.
 *
 * usage: counted FILE messages|windows|objects|threads
 *
 * FILE has a struct counts for each rank. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROOM = 4096, NAMES = 20, NAME = 32, WORKERS = 3 };

struct counts {
    int64_t process, threads;
    struct {
        char name[NAME];
        _Atomic uint64_t count;
    } calls[NAMES];
};

enum call {
    SENDRECV,
    IRECV,
    ISEND,
    WAITALL,
    ALLREDUCE,
    IPROBE,
    PUT,
    FLUSH,
    LOCK,
    UNLOCK,
    FENCE,
    DUP,
    NAME_IT,
    FREE,
    GROUP,
    GROUP_FREE,
    CALLS
};

static const char *const names[CALLS] = {
    "MPI_Sendrecv",      "MPI_Irecv",      "MPI_Isend",      "MPI_Waitall",
    "MPI_Allreduce",     "MPI_Iprobe",     "MPI_Put",        "MPI_Win_flush",
    "MPI_Win_lock",      "MPI_Win_unlock", "MPI_Win_fence",  "MPI_Comm_dup",
    "MPI_Comm_set_name", "MPI_Comm_free",  "MPI_Comm_group", "MPI_Group_free"};

static struct counts *own;
static int rank, size;

static void made(enum call call)
{
    own->calls[call].count++;
}

__attribute__((noinline)) static void messages(long step)
{
    int in[2], out[2] = {rank, (int)step}, right = (rank + 1) % size,
               left = (rank + size - 1) % size;
    int flag, sum;
    MPI_Request requests[2];
    MPI_Sendrecv(out, 1, MPI_INT, right, 0, in, 1, MPI_INT, left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    made(SENDRECV);
    MPI_Irecv(in, 2, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
    made(IRECV);
    MPI_Isend(out, 2, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[1]);
    made(ISEND);
    for (int i = 0; i < 3; i++) {
        MPI_Iprobe(left, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        made(IPROBE);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    made(WAITALL);
    if (step % 10 == 0) {
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        made(ALLREDUCE);
    }
}

__attribute__((noinline)) static void windows(long step)
{
    static MPI_Win win = MPI_WIN_NULL;
    static int *memory;
    int target = (rank + 1) % size;
    if (win == MPI_WIN_NULL) {
        MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    }
    if (step % 100 == 0) {
        MPI_Win_fence(0, win);
        made(FENCE);
    }
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    made(LOCK);
    MPI_Put(&rank, 1, MPI_INT, target, 0, 4, MPI_CHAR, win);
    made(PUT);
    MPI_Win_flush(target, win);
    made(FLUSH);
    MPI_Win_unlock(target, win);
    made(UNLOCK);
}

/* What records refer to is new again and again. */
__attribute__((noinline)) static void objects(long step)
{
    char name[32];
    MPI_Comm copy;
    MPI_Group group;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    made(DUP);
    snprintf(name, sizeof name, "copy %ld", step);
    MPI_Comm_set_name(copy, name);
    made(NAME_IT);
    MPI_Comm_group(copy, &group);
    made(GROUP);
    int in, out = rank;
    MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, 0, &in, 1, MPI_INT, (rank + size - 1) % size,
                 0, copy, MPI_STATUS_IGNORE);
    made(SENDRECV);
    MPI_Group_free(&group);
    made(GROUP_FREE);
    MPI_Comm_free(&copy);
    made(FREE);
}

__attribute__((noinline)) static void worker_step(void)
{
    int in, out = rank;
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    made(SENDRECV);
}

static _Atomic int has_begun;

static void *work(void *nothing)
{
    while (!has_begun) {
        usleep(1000);
    }
    for (;;) {
        worker_step();
        usleep(20);
    }
    return nothing;
}

/* Other threads begin before the run does, and after it. */
static void begin_threads(int count)
{
    pthread_t thread;
    for (int i = 0; i < count; i++) {
        pthread_create(&thread, NULL, work, NULL);
    }
}

static void map_counts(const char *path)
{
    int file = open(path, O_RDWR);
    own = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)rank * ROOM);
    if (own == MAP_FAILED) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int i = 0; i < CALLS; i++) {
        memcpy(own->calls[i].name, names[i], strlen(names[i]));
    }
}

int main(int argc, char **argv)
{
    int level;
    if (argc < 3) {
        return 2;
    }
    const int is_threaded = strcmp(argv[2], "threads") == 0;
    if (is_threaded) {
        begin_threads(1);
    }
    MPI_Init_thread(&argc, &argv, is_threaded ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    map_counts(argv[1]);
    own->process = getpid();
    own->threads = is_threaded ? 1 + WORKERS : 1;
    if (is_threaded) {
        begin_threads(WORKERS - 1);
    }
    has_begun = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    for (long step = 0;; step++) {
        switch (argv[2][0]) {
        case 'm':
            messages(step);
            break;
        case 'w':
            windows(step);
            break;
        case 'o':
            objects(step);
            break;
        default:
            worker_step();
            usleep(20);
        }
    }
}
