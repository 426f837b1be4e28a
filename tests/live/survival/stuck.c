/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank i + 1 makes call i, which waits for rank 0, and rank 0 makes none; or ends the program in it
 * (abort, exit). Files FOLDER/<rank> appear when a rank is about to be stuck, with its process id.
 *
 * usage: stuck FOLDER CALL... */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MANY = 600, TAG = 7 };

static MPI_Comm pair; /* of rank 0 and this one, which is its rank 1 */
static MPI_Win window;
static MPI_Group other;
static int rank, data[MANY], flag;
static MPI_Request requests[MANY];
static MPI_Status statuses[MANY];
static MPI_Message message;
static MPI_File file;

static void note(const char *folder)
{
    char path[4096], name[4096];
    snprintf(path, sizeof path, "%s/%d.new", folder, rank);
    snprintf(name, sizeof name, "%s/%d", folder, rank);
    FILE *out = fopen(path, "w");
    fprintf(out, "%d", getpid());
    fclose(out);
    rename(path, name);
}

static void fill(int count)
{
    for (int i = 0; i < count; i++) {
        MPI_Irecv(&data[i], 1, MPI_INT, 0, TAG + i, pair, &requests[i]);
    }
}

static void messages(const char *call)
{
    if (strcmp(call, "recv") == 0) {
        MPI_Recv(data, 1, MPI_INT, 0, TAG, pair, MPI_STATUS_IGNORE);
    } else if (strcmp(call, "any") == 0) {
        MPI_Recv(data, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, pair, MPI_STATUS_IGNORE);
    } else if (strcmp(call, "send") == 0) {
        MPI_Ssend(data, 3, MPI_INT, 0, TAG, pair);
    } else if (strcmp(call, "sendrecv") == 0) {
        MPI_Sendrecv(data, 2, MPI_INT, 0, TAG, data + 2, 1, MPI_INT, 0, TAG + 1, pair,
                     MPI_STATUS_IGNORE);
    } else if (strcmp(call, "probe") == 0) {
        MPI_Probe(0, TAG, pair, MPI_STATUS_IGNORE);
    } else if (strcmp(call, "mprobe") == 0) {
        MPI_Mprobe(0, TAG, pair, &message, MPI_STATUS_IGNORE);
    } else if (strcmp(call, "wait") == 0) {
        fill(1);
        MPI_Wait(requests, MPI_STATUS_IGNORE);
    } else if (strcmp(call, "waitall") == 0) {
        fill(2);
        MPI_Issend(data + 2, 1, MPI_INT, 0, TAG, pair, &requests[2]);
        MPI_Waitall(3, requests, statuses);
    } else if (strcmp(call, "waitany") == 0) {
        fill(2);
        MPI_Waitany(2, requests, &flag, MPI_STATUS_IGNORE);
    } else if (strcmp(call, "waitsome") == 0) {
        int places[2];
        fill(2);
        MPI_Waitsome(2, requests, &flag, places, statuses);
    } else if (strcmp(call, "many") == 0) {
        fill(MANY);
        MPI_Waitall(MANY, requests, statuses);
    } else if (strcmp(call, "started") == 0) {
        MPI_Recv_init(data, 1, MPI_INT, 0, TAG, pair, requests);
        MPI_Start(requests);
        MPI_Wait(requests, MPI_STATUS_IGNORE);
    } else if (strcmp(call, "test") == 0) {
        fill(1);
        while (!flag) {
            MPI_Test(requests, &flag, MPI_STATUS_IGNORE);
        }
    }
}

static void collectives(const char *call)
{
    MPI_Comm made;
    if (strcmp(call, "barrier") == 0) {
        MPI_Barrier(pair);
    } else if (strcmp(call, "allreduce") == 0) {
        MPI_Allreduce(data, data + 1, 1, MPI_INT, MPI_SUM, pair);
    } else if (strcmp(call, "bcast") == 0) {
        MPI_Bcast(data, 1, MPI_INT, 0, pair);
    } else if (strcmp(call, "ibarrier") == 0) {
        MPI_Ibarrier(pair, requests);
        MPI_Wait(requests, MPI_STATUS_IGNORE);
    } else if (strcmp(call, "dup") == 0) {
        MPI_Comm_dup(pair, &made);
    } else if (strcmp(call, "create") == 0) {
        MPI_Win_create(data, sizeof data, 1, MPI_INFO_NULL, pair, &window);
    } else if (strcmp(call, "open") == 0) {
        MPI_File_open(pair, "file", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    } else if (strcmp(call, "finalize") == 0) {
        MPI_Finalize();
    }
}

static int leave(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    exit(3);
}

static void endings(const char *call)
{
    int key;
    if (strcmp(call, "abort") == 0) {
        MPI_Abort(MPI_COMM_WORLD, 3);
    } else if (strcmp(call, "exit") == 0) {
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, leave, &key, NULL);
        MPI_Comm_set_attr(pair, key, NULL);
        MPI_Comm_free(&pair);
    }
}

static void windows(const char *call)
{
    if (strcmp(call, "fence") == 0) {
        MPI_Win_fence(0, window);
    } else if (strcmp(call, "free") == 0) {
        MPI_Win_free(&window);
    } else if (strcmp(call, "lock") == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(data + 1, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_unlock(0, window);
    } else if (strcmp(call, "flush") == 0) {
        MPI_Win_lock_all(0, window);
        MPI_Put(data + 1, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
        MPI_Win_unlock_all(window);
    } else if (strcmp(call, "win_wait") == 0) {
        MPI_Win_post(other, 0, window);
        MPI_Win_wait(window);
    } else if (strcmp(call, "complete") == 0) {
        MPI_Win_start(other, 0, window);
        MPI_Put(data + 1, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_complete(window);
    }
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;

static void *hold(void *ready)
{
    pthread_mutex_lock(&mutex);
    pthread_rwlock_rdlock(&shared);
    *(volatile int *)ready = 1;
    for (;;) {
        pause();
    }
    return NULL;
}

static void threads(const char *call)
{
    pthread_t holder;
    volatile int is_ready = 0;
    if (strcmp(call, "mutex") != 0 && strcmp(call, "rwlock") != 0 && strcmp(call, "cond") != 0 &&
        strcmp(call, "join") != 0) {
        return;
    }
    pthread_create(&holder, NULL, hold, (void *)&is_ready);
    while (!is_ready) {
        usleep(1000);
    }
    if (strcmp(call, "mutex") == 0) {
        pthread_mutex_lock(&mutex);
    } else if (strcmp(call, "rwlock") == 0) {
        pthread_rwlock_wrlock(&shared);
    } else if (strcmp(call, "join") == 0) {
        pthread_join(holder, NULL);
    } else {
        static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
        pthread_mutex_lock(&own);
        pthread_cond_wait(&condition, &own);
    }
}

/* The communicator of a pair, and its window if its call needs one. */
static void make_pair(int member, const char *call)
{
    const int ranks[] = {0, member};
    MPI_Group world, both;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, ranks, &both);
    MPI_Group_incl(world, 1, ranks, &other);
    if (rank == 0 || rank == member) {
        MPI_Comm_create_group(MPI_COMM_WORLD, both, member, &pair);
    }
    if ((rank == 0 || rank == member) &&
        (strcmp(call, "fence") == 0 || strcmp(call, "free") == 0 || strcmp(call, "lock") == 0 ||
         strcmp(call, "flush") == 0 || strcmp(call, "win_wait") == 0 ||
         strcmp(call, "complete") == 0)) {
        MPI_Win_create(data, sizeof data, sizeof *data, MPI_INFO_NULL, pair, &window);
    }
    if (rank == 0 && (strcmp(call, "lock") == 0 || strcmp(call, "flush") == 0)) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(data + 1, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
    }
}

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 2; i < argc; i++) {
        make_pair(i - 1, argv[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    note(argv[1]);
    if (rank > 0) {
        messages(argv[rank + 1]);
        collectives(argv[rank + 1]);
        windows(argv[rank + 1]);
        threads(argv[rank + 1]);
        endings(argv[rank + 1]);
    }
    for (;;) {
        pause();
    }
}
