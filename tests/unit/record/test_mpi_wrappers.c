/* SPDX-License-Identifier: BSD-3-Clause */
/* The wrappers of MPI under MPI_THREAD_MULTIPLE: many threads of one process record messages,
 * collective, partitioned and one-sided operations and accesses to files at once, on common and on
 * own objects, which they make and free, and complete what others have started. Every operation has
 * its end, and no two ends are the same. Against a library of the test (mpi_stub.h), without an
 * archive. Meant for ThreadSanitizer, too. */
#include "mpi_seen.h"
#include "mpi_stub.h"

#include "record/mpi/mpi_run.h"
#include "record/mpi/objects/comm.h"
#include "record/mpi/objects/window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum {
    THREADS = 8,
    ROUNDS = 1500,
    ALL = THREADS * ROUNDS,
    LENGTH = 4,
    LARGE = 1 << 25, /* elements: more bytes than fit into a record's header */
    REQUESTS = 11,
    PERSISTENT = 3 /* the last ones of these */
};

extern const struct fm_paradigm fermata_paradigm;

/* ---- the program ---- */

/* What a thread has, and another one completes. */
struct own {
    MPI_Comm comm, duplicate;
    MPI_Request requests[REQUESTS];
};

static struct own owns[THREADS];
static MPI_Win window;
static MPI_File file;
static MPI_Request partitioned[2];
static MPI_Group group;
static pthread_barrier_t together;
static int in[LENGTH], out[LENGTH]; /* nothing is transferred */

static void start(struct own *own, int tag)
{
    MPI_Request *r = own->requests;
    fm_MPI_Isend_c(out, LARGE, MPI_INT, 1, tag, own->comm, &r[0]);
    fm_MPI_Irecv(in, LENGTH, MPI_INT, 1, tag, own->comm, &r[1]);
    fm_MPI_Isendrecv(out, LENGTH, MPI_INT, 1, tag, in, LENGTH, MPI_INT, 1, tag, own->comm, &r[2]);
    fm_MPI_Iallreduce(out, in, LENGTH, MPI_INT, MPI_SUM, own->comm, &r[3]);
    fm_MPI_Rput(out, LENGTH, MPI_INT, 1, 0, LENGTH, MPI_INT, window, &r[4]);
    fm_MPI_Comm_idup(own->comm, &own->duplicate, &r[5]);
    fm_MPI_Isend_c(out, LENGTH, MPI_INT, 1, STUB_SHARED_TAG, MPI_COMM_WORLD, &r[6]);
    fm_MPI_File_iwrite_at(file, 0, out, LENGTH, MPI_INT, &r[7]);
    fm_MPI_Start(&r[8]);
    fm_MPI_Startall(2, &r[9]);
}

static void wait_for_any(MPI_Request requests[])
{
    for (int index = 0, i = 0; i < REQUESTS - PERSISTENT; i++) {
        fm_MPI_Waitany(REQUESTS - PERSISTENT, requests, &index, MPI_STATUS_IGNORE);
        assert_int_equal(index, i);
    }
    fm_MPI_Waitall(PERSISTENT, &requests[REQUESTS - PERSISTENT], MPI_STATUSES_IGNORE);
}

static void test_some(MPI_Request requests[])
{
    int done = 0, indices[REQUESTS], flag = 0;
    while (done != MPI_UNDEFINED) {
        fm_MPI_Testsome(REQUESTS - PERSISTENT, requests, &done, indices, MPI_STATUSES_IGNORE);
    }
    for (int i = REQUESTS - PERSISTENT; i < REQUESTS; i++, flag = 0) {
        while (!flag) {
            fm_MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
        }
    }
}

static void complete(struct own *other, int round)
{
    int flag = 0;
    switch (round % 4) {
    case 0:
        fm_MPI_Waitall(REQUESTS, other->requests, MPI_STATUSES_IGNORE);
        break;
    case 1:
        while (!flag) {
            fm_MPI_Testall(REQUESTS, other->requests, &flag, MPI_STATUSES_IGNORE);
        }
        break;
    case 2:
        wait_for_any(other->requests);
        break;
    default:
        test_some(other->requests);
        break;
    }
    fm_MPI_Comm_set_name(other->duplicate, "duplicate");
    fm_MPI_Barrier(other->duplicate);
    fm_MPI_Comm_free(&other->duplicate);
}

static void exchange(MPI_Comm comm, int tag)
{
    MPI_Message message;
    MPI_Request own[2];
    fm_MPI_Send_c(out, LENGTH, MPI_INT, 1, tag, comm);
    fm_MPI_Recv(in, LENGTH, MPI_INT, 1, tag, comm, MPI_STATUS_IGNORE);
    fm_MPI_Mprobe(1, tag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    fm_MPI_Mrecv(in, LENGTH, MPI_INT, &message, MPI_STATUS_IGNORE);
    fm_MPI_Bcast(in, LENGTH, MPI_INT, 0, comm);
    fm_MPI_Allreduce_c(out, in, LARGE, MPI_INT, MPI_SUM, comm);
    fm_MPI_Psend_init(out, 2, LENGTH, MPI_INT, 1, COMMON_TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &own[0]);
    fm_MPI_Precv_init(in, 1, LENGTH, MPI_INT, 1, tag, comm, MPI_INFO_NULL, &own[1]);
    fm_MPI_Startall(2, own);
    fm_MPI_Pready(0, own[0]);
    fm_MPI_Pready(1, own[0]);
    fm_MPI_Waitall(2, own, MPI_STATUSES_IGNORE);
    fm_MPI_Request_free(&own[0]);
    fm_MPI_Request_free(&own[1]);
}

/* Communicators from a group differ by their names, and members make them in any order. */
static void make_communicators(MPI_Comm comm, int thread)
{
    const char name[] = {(char)('a' + thread), '\0'};
    const int sizes[] = {STUB_SIZE}, periods[] = {0};
    MPI_Comm made;
    fm_MPI_Comm_create_from_group(group, name, MPI_INFO_NULL, MPI_ERRORS_RETURN, &made);
    fm_MPI_Comm_free(&made);
    fm_MPI_Comm_dup(comm, &made);
    fm_MPI_Comm_free(&made);
    fm_MPI_Cart_create(comm, 1, sizes, periods, 0, &made);
    fm_MPI_Neighbor_allgather(out, LENGTH, MPI_INT, in, LENGTH, MPI_INT, made);
    fm_MPI_Comm_free(&made);
    fm_MPI_Comm_split(comm, thread, 0, &made); /* this process alone */
    fm_MPI_Comm_free(&made);
}

static void access_own_window(MPI_Comm comm)
{
    MPI_Win own;
    fm_MPI_Win_create(in, sizeof in, sizeof(int), MPI_INFO_NULL, comm, &own);
    fm_MPI_Win_set_name(own, "own");
    fm_MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, own);
    fm_MPI_Put(out, LENGTH, MPI_INT, 1, 0, LENGTH, MPI_INT, own);
    fm_MPI_Win_flush_local(1, own);
    fm_MPI_Win_unlock(1, own);
    fm_MPI_Win_fence(0, own);
    fm_MPI_Accumulate(out, LENGTH, MPI_INT, 1, 0, LENGTH, MPI_INT, MPI_SUM, own);
    fm_MPI_Win_fence(0, own);
    fm_MPI_Win_post(group, 0, own);
    fm_MPI_Win_start(group, 0, own);
    fm_MPI_Get(in, LENGTH, MPI_INT, 1, 0, LENGTH, MPI_INT, own);
    fm_MPI_Win_complete(own);
    fm_MPI_Win_wait(own);
    fm_MPI_Win_free(&own);
}

static void access_own_file(MPI_Comm comm)
{
    MPI_File own;
    MPI_Request request;
    fm_MPI_File_open(comm, "file", MPI_MODE_RDWR, MPI_INFO_NULL, &own);
    fm_MPI_File_set_size(own, 0);
    fm_MPI_File_write_at_all_c(own, 0, out, LENGTH, MPI_INT, MPI_STATUS_IGNORE);
    fm_MPI_File_iwrite_all(own, out, LENGTH, MPI_INT, &request);
    fm_MPI_Wait(&request, MPI_STATUS_IGNORE);
    fm_MPI_File_write_at_all_begin(own, 0, out, LENGTH, MPI_INT);
    fm_MPI_File_write_at_all_end(own, out, MPI_STATUS_IGNORE);
    fm_MPI_File_close(&own);
}

static void access_common_window(int thread)
{
    const int target = thread % STUB_SIZE;
    fm_MPI_Put(out, LENGTH, MPI_INT, target, 0, LENGTH, MPI_INT, window);
    fm_MPI_Get(in, LENGTH, MPI_INT, target, 0, LENGTH, MPI_INT, window);
    fm_MPI_Fetch_and_op(out, in, MPI_INT, 1 - target, 0, MPI_SUM, window);
    fm_MPI_Win_flush_local(target, window);
    if (thread % 3 == 0) {
        fm_MPI_Win_flush_all(window);
    } else {
        fm_MPI_Win_flush(target, window);
    }
}

/* The session allows many threads, and not the one that was given to MPI_Init. */
static void *work(void *number)
{
    const int thread = (int)(intptr_t)number;
    MPI_Session session;
    struct own *own = &owns[thread], *other = &owns[(thread + 1) % THREADS];
    fm_MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    for (int round = 0; round < ROUNDS; round++) {
        if (thread == 0) {
            fm_MPI_Startall(2, partitioned);
        }
        start(own, thread);
        pthread_barrier_wait(&together);
        int arrived = 0;
        fm_MPI_Pready(thread, partitioned[0]);
        fm_MPI_Parrived(partitioned[1], thread, &arrived);
        complete(other, round);
        exchange(own->comm, thread);
        make_communicators(own->comm, thread);
        access_own_window(own->comm);
        access_own_file(own->comm);
        access_common_window(thread);
        pthread_barrier_wait(&together);
        if (thread == round % THREADS) {
            fm_MPI_Waitall(2, partitioned, MPI_STATUSES_IGNORE);
        }
        pthread_barrier_wait(&together);
    }
    fm_MPI_Session_finalize(&session);
    return NULL;
}

static void prepare(struct own *own, int tag)
{
    MPI_Request *r = own->requests;
    fm_MPI_Comm_dup(MPI_COMM_WORLD, &own->comm);
    fm_MPI_Send_init(out, LENGTH, MPI_INT, 1, tag, own->comm, &r[8]);
    fm_MPI_Recv_init(in, LENGTH, MPI_INT, 1, tag, own->comm, &r[9]);
    fm_MPI_Allreduce_init(out, in, LENGTH, MPI_INT, MPI_SUM, own->comm, MPI_INFO_NULL, &r[10]);
}

static void finish(struct own *own)
{
    for (int i = REQUESTS - PERSISTENT; i < REQUESTS; i++) {
        fm_MPI_Request_free(&own->requests[i]);
    }
    fm_MPI_Comm_free(&own->comm);
}

static void run(void)
{
    pthread_t threads[THREADS];
    MPI_Win made;
    MPI_File opened;
    pthread_barrier_init(&together, NULL, THREADS);
    fm_MPI_Comm_group(MPI_COMM_WORLD, &group);
    fm_MPI_Win_create(in, sizeof in, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &made);
    window = made;
    seen.window = fm_win_find(fm_thread_self, window)->number;
    fm_MPI_Win_lock_all(0, window);
    fm_MPI_File_open(MPI_COMM_WORLD, "common", MPI_MODE_RDWR, MPI_INFO_NULL, &opened);
    file = opened;
    fm_MPI_Psend_init(out, THREADS, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &partitioned[0]);
    fm_MPI_Precv_init(in, THREADS, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &partitioned[1]);
    for (int i = 0; i < THREADS; i++) {
        prepare(&owns[i], i);
    }
    for (intptr_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)i), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        finish(&owns[i]);
    }
    fm_MPI_Request_free(&partitioned[0]);
    fm_MPI_Request_free(&partitioned[1]);
    fm_MPI_File_close(&opened);
    fm_MPI_Win_unlock_all(window);
    fm_MPI_Win_free(&made);
    for (struct fm_thread *each = fm_threads_end(); each != NULL; each = each->next) {
        take_all(each, false);
    }
}

/* ---- the checks ---- */

static void assert_same(struct ledger begun, struct ledger ended, uint64_t expected)
{
    assert_int_equal(begun.count, expected);
    assert_int_equal(ended.count, expected);
    assert_int_equal(begun.sum, ended.sum);
}

static void every_operation_is_recorded_once(void **state)
{
    (void)state;
    run();
    assert_same(seen.sends, seen.sent, 5 * ALL + ROUNDS);
    assert_same(seen.receives, seen.received, 4 * ALL + ROUNDS);
    assert_same(seen.collectives, seen.collected, 5 * ALL);
    assert_same(seen.accesses, seen.accessed, 4 * ALL);
    assert_int_equal(seen.partitions.count, 4 * ALL);
    assert_int_equal(seen.large, ALL);
    assert_true(seen.tests >= ALL);
    assert_int_equal(seen.created, THREADS + 5 * ALL);
    assert_int_equal(seen.destroyed, seen.created);
    assert_int_equal(seen.wins, 1 + ALL);
    assert_int_equal(seen.wins_freed, 1 + ALL);
    assert_int_equal(seen.locks, 1 + ALL);
    assert_int_equal(seen.releases, 1 + ALL);
    assert_int_equal(seen.blocking, 2 * THREADS + 2 + 17 * ALL);
    assert_true(seen.local.count >= ALL);      /* of MPI_Rput */
    assert_int_equal(seen.numbers.count, ALL); /* 0, 1, 2, ... */
    assert_int_equal(seen.numbers.sum, (uint64_t)ALL * (ALL - 1) / 2);
    check_common_window();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_operation_is_recorded_once)};
    setenv("FERMATA_THREADS", "all", 1);
    fm_threads_begin(4 * 1024 * 1024, take_all);
    if (!fm_session_attach(&fermata_paradigm) || fm_thread_attach() == NULL) {
        return 1;
    }
    fm_run_has_begun = true; /* with MPI_Init, and without MPI_THREAD_MULTIPLE */
    fm_run_has_world = true;
    fm_library_readings.sendrecv_statuses = true;
    fm_comm_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
