/* The wrappers of MPI under MPI_THREAD_MULTIPLE: many threads of one process record all families of
 * functions at once, on common and on own communicators and windows, and complete what others have
 * started. Every operation has its end, and no two ends are the same. Against a library of the test
 * (mpi_stub.h), without an archive. Meant for ThreadSanitizer, too. */
#include "mpi_stub.h"

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
    REQUESTS = 10,
    PERSISTENT = 3, /* the last ones of these */
    COMMON_TAG = 99,
    EVER = 4 * ALL /* operations on the common window */
};

extern const struct fm_paradigm fermata_paradigm;

/* ---- what was recorded ---- */

/* Operations by their numbers. */
struct ledger {
    uint64_t count, sum;
};

static struct {
    struct ledger sends, sent, receives, received, collectives, collected;
    struct ledger partitions, local; /* local: completions on the common window */
    struct ledger numbers;           /* of partitioned sends on the common communicator */
    uint64_t tests, large, created, destroyed, wins, wins_freed, locks, releases, blocking;
    uint32_t window; /* the common one */
    uint32_t begun_count, ended_count;
    uint64_t begun[EVER], ended[EVER]; /* matching ids on it */
} seen;

static void add(struct ledger *ledger, uint64_t id)
{
    __atomic_add_fetch(&ledger->count, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&ledger->sum, id, __ATOMIC_RELAXED);
}

static void count(uint64_t *number)
{
    __atomic_add_fetch(number, 1, __ATOMIC_RELAXED);
}

static void note(uint64_t ids[], uint32_t *length, uint64_t header, uint64_t id)
{
    if (fm_record_ref(header) == seen.window) {
        uint32_t place = __atomic_fetch_add(length, 1, __ATOMIC_RELAXED);
        assert_true(place < EVER);
        ids[place] = id;
    }
}

static void take(const uint64_t *r)
{
    switch (fm_record_kind(r[0])) {
    case FM_RECORD_PARTITIONED_SEND:
        add(&seen.sends, r[2]);
        if (r[1] >> 32 == COMMON_TAG) {
            add(&seen.numbers, r[4] >> 32);
        }
        break;
    case FM_RECORD_ISEND:
        add(&seen.sends, r[2]);
        break;
    case FM_RECORD_ISEND_COMPLETE:
        add(&seen.sent, r[1]);
        break;
    case FM_RECORD_IRECV_REQUEST:
        add(&seen.receives, r[1]);
        break;
    case FM_RECORD_IRECV:
    case FM_RECORD_PARTITIONED_RECEIVE:
        add(&seen.received, r[2]);
        break;
    case FM_RECORD_COLLECTIVE_REQUEST:
        add(&seen.collectives, r[1]);
        break;
    case FM_RECORD_COLLECTIVE_COMPLETE:
    case FM_RECORD_PERSISTENT_COMPLETE:
        add(&seen.collected, r[4]);
        break;
    case FM_RECORD_PARTITIONS:
        add(&seen.partitions, fm_record_ref(r[0]));
        break;
    case FM_RECORD_PUT:
    case FM_RECORD_GET:
        note(seen.begun, &seen.begun_count, r[0], r[2]);
        break;
    case FM_RECORD_ATOMIC:
        note(seen.begun, &seen.begun_count, r[0], r[4]);
        break;
    case FM_RECORD_COMPLETE_FULLY:
    case FM_RECORD_COMPLETE_REMOTE:
        note(seen.ended, &seen.ended_count, r[0], r[1]);
        break;
    case FM_RECORD_COMPLETE_LOCAL:
        if (fm_record_ref(r[0]) == seen.window) {
            add(&seen.local, r[1]);
        }
        break;
    case FM_RECORD_REQUEST_TEST:
    case FM_RECORD_OPERATION_TEST:
        count(&seen.tests);
        break;
    case FM_RECORD_BYTES_ABOVE:
        count(&seen.large);
        break;
    case FM_RECORD_COMM_CREATE:
        count(&seen.created);
        break;
    case FM_RECORD_COMM_DESTROY:
        count(&seen.destroyed);
        break;
    case FM_RECORD_WIN_CREATE:
        count(&seen.wins);
        break;
    case FM_RECORD_WIN_DESTROY:
        count(&seen.wins_freed);
        break;
    case FM_RECORD_LOCK_REQUEST:
        count(&seen.locks);
        break;
    case FM_RECORD_LOCK_RELEASE:
        count(&seen.releases);
        break;
    case FM_RECORD_COLLECTIVE_END:
        count(&seen.blocking);
        break;
    default:
        break;
    }
}

static bool take_all(struct fm_thread *thread, bool full)
{
    (void)full;
    thread->current->used = thread->cursor;
    for (struct fm_chunk *chunk = thread->first; chunk != NULL; chunk = chunk->next) {
        for (const uint64_t *r = chunk->words; r < chunk->used;
             r += fm_record_words[fm_record_kind(r[0])]) {
            take(r);
        }
    }
    fm_thread_reuse(thread);
    return true;
}

/* ---- the program ---- */

/* What a thread has, and another one completes. */
struct own {
    MPI_Comm comm, duplicate;
    MPI_Request requests[REQUESTS];
};

static struct own owns[THREADS];
static MPI_Win window;
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
    fm_MPI_Start(&r[7]);
    fm_MPI_Startall(2, &r[8]);
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

static void *work(void *number)
{
    const int thread = (int)(intptr_t)number;
    struct own *own = &owns[thread], *other = &owns[(thread + 1) % THREADS];
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
        access_common_window(thread);
        pthread_barrier_wait(&together);
        if (thread == round % THREADS) {
            fm_MPI_Waitall(2, partitioned, MPI_STATUSES_IGNORE);
        }
        pthread_barrier_wait(&together);
    }
    return NULL;
}

static void prepare(struct own *own, int tag)
{
    MPI_Request *r = own->requests;
    fm_MPI_Comm_dup(MPI_COMM_WORLD, &own->comm);
    fm_MPI_Send_init(out, LENGTH, MPI_INT, 1, tag, own->comm, &r[7]);
    fm_MPI_Recv_init(in, LENGTH, MPI_INT, 1, tag, own->comm, &r[8]);
    fm_MPI_Allreduce_init(out, in, LENGTH, MPI_INT, MPI_SUM, own->comm, MPI_INFO_NULL, &r[9]);
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
    pthread_barrier_init(&together, NULL, THREADS);
    fm_MPI_Comm_group(MPI_COMM_WORLD, &group);
    fm_MPI_Win_create(in, sizeof in, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &made);
    window = made;
    seen.window = fm_win_find(fm_thread_self, window)->number;
    fm_MPI_Win_lock_all(0, window);
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

static int compare(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

/* Operations may share a matching id; its remote completion is recorded once. */
static void check_common_window(void)
{
    uint32_t distinct = 0;
    qsort(seen.begun, seen.begun_count, sizeof seen.begun[0], compare);
    qsort(seen.ended, seen.ended_count, sizeof seen.ended[0], compare);
    for (uint32_t i = 0; i < seen.begun_count; i++) {
        if (i == 0 || seen.begun[i] != seen.begun[i - 1]) {
            assert_true(distinct < seen.ended_count);
            assert_int_equal(seen.ended[distinct], seen.begun[i]);
            distinct++;
        }
    }
    assert_int_equal(seen.ended_count, distinct);
}

static void every_operation_is_recorded_once(void **state)
{
    (void)state;
    run();
    assert_same(seen.sends, seen.sent, 5 * ALL + ROUNDS);
    assert_same(seen.receives, seen.received, 4 * ALL + ROUNDS);
    assert_same(seen.collectives, seen.collected, 3 * ALL);
    assert_int_equal(seen.partitions.count, 4 * ALL);
    assert_int_equal(seen.large, ALL);
    assert_true(seen.tests >= ALL);
    assert_int_equal(seen.created, THREADS + 5 * ALL);
    assert_int_equal(seen.destroyed, seen.created);
    assert_int_equal(seen.wins, 1 + ALL);
    assert_int_equal(seen.wins_freed, 1 + ALL);
    assert_int_equal(seen.locks, 1 + ALL);
    assert_int_equal(seen.releases, 1 + ALL);
    assert_int_equal(seen.blocking, 2 * THREADS + 12 * ALL);
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
    fm_mpi_threaded = true;
    fm_library_readings.sendrecv_statuses = true;
    fm_comm_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
