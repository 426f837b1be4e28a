/* SPDX-License-Identifier: BSD-3-Clause */
/* The wrappers of POSIX threads under many threads: every creation has its begin, end and join, the
 * acquisitions of a lock are numbered without a gap, and calls on an object name it. Without an
 * archive. Meant for ThreadSanitizer, too. */
#include "record/threads/objects.h"
#include "record/threads/posix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum {
    THREADS = 6,
    HOSTS = 3,
    GUESTS = 100, /* of each host */
    CREATIONS = THREADS + HOSTS + HOSTS * GUESTS,
    LOCATIONS_MOST = 1 + THREADS + 2 * HOSTS,
    ROUNDS = 200,
    OBJECTS = 20000,
    ORDERS_MOST = 16384
};

extern const struct fm_paradigm fermata_paradigm;

/* ---- what was recorded ---- */

static struct {
    uint64_t created, begun, ended, waited, named; /* records */
    uint8_t acquired[ORDERS_MOST], released[ORDERS_MOST];
    uint32_t counted_lock; /* of these acquisitions */
    bool in_order;         /* of each thread: begins and ends alternate */
} seen;

static void take(const uint64_t *r, uint64_t *lives)
{
    switch (fm_record_kind(r[0])) {
    case FM_RECORD_THREAD_CREATE:
        __atomic_add_fetch(&seen.created, 1, __ATOMIC_RELAXED);
        break;
    case FM_RECORD_THREAD_WAIT:
        __atomic_add_fetch(&seen.waited, 1, __ATOMIC_RELAXED);
        break;
    case FM_RECORD_THREAD_BEGIN:
        __atomic_add_fetch(&seen.begun, 1, __ATOMIC_RELAXED);
        *lives = r[2];
        break;
    case FM_RECORD_THREAD_END:
        __atomic_add_fetch(&seen.ended, 1, __ATOMIC_RELAXED);
        if (*lives != r[2]) {
            __atomic_store_n(&seen.in_order, false, __ATOMIC_RELAXED);
        }
        break;
    case FM_RECORD_SYNCHRONIZATION_OBJECT:
        __atomic_add_fetch(&seen.named, fm_record_ref(r[0]) != 0, __ATOMIC_RELAXED);
        break;
    case FM_RECORD_ACQUIRE_LOCK:
    case FM_RECORD_RELEASE_LOCK:
    case FM_RECORD_RELEASE_NOTED_LOCK:
        if (fm_record_ref(r[0]) == seen.counted_lock && r[1] < ORDERS_MOST) {
            bool acquires = fm_record_kind(r[0]) == FM_RECORD_ACQUIRE_LOCK;
            __atomic_add_fetch(acquires ? &seen.acquired[r[1]] : &seen.released[r[1]], 1,
                               __ATOMIC_RELAXED);
        }
        break;
    default:
        break;
    }
}

static bool take_all(struct fm_thread *thread, bool full)
{
    static uint64_t lives[LOCATIONS_MOST];
    (void)full;
    assert_true(thread->index < LOCATIONS_MOST);
    thread->current->used = thread->cursor;
    for (struct fm_chunk *chunk = thread->first; chunk != NULL; chunk = chunk->next) {
        for (const uint64_t *r = chunk->words; r < chunk->used;
             r += fm_record_words[fm_record_kind(r[0])]) {
            take(r, &lives[thread->index]);
        }
    }
    fm_thread_reuse(thread);
    return true;
}

/* ---- threads that synchronize in every way ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint64_t counter, turn, entries, initialized;

static void initialize(void)
{
    initialized++;
}

static void read_or_write(uint64_t round)
{
    if (round % 4 == 0) {
        fm_pthread_rwlock_wrlock(&table);
        entries++;
    } else {
        fm_pthread_rwlock_rdlock(&table);
        assert_true(entries <= (uint64_t)THREADS * ROUNDS);
    }
    fm_pthread_rwlock_unlock(&table);
}

static void wait_for_turn(uint64_t own)
{
    fm_pthread_mutex_lock(&mutex);
    while (turn % THREADS != own) {
        fm_pthread_cond_wait(&condition, &mutex);
    }
    turn++;
    fm_pthread_cond_broadcast(&condition);
    fm_pthread_mutex_unlock(&mutex);
}

static void *work(void *number)
{
    fm_pthread_once(&once, initialize);
    assert_int_equal(initialized, 1);
    for (uint64_t i = 0; i < ROUNDS; i++) {
        fm_pthread_mutex_lock(&mutex);
        counter++;
        fm_pthread_mutex_unlock(&mutex);
        read_or_write(i);
        if (i % 10 == 0) {
            wait_for_turn((uint64_t)(uintptr_t)number);
            fm_pthread_barrier_wait(&barrier);
        }
        fm_sem_post(&semaphore);
        fm_sem_wait(&semaphore);
    }
    return number;
}

static void *nothing_to_do(void *argument)
{
    return argument;
}

/* Creates threads one after the other, while others do the same. */
static void *invite(void *nothing)
{
    for (int i = 0; i < GUESTS; i++) {
        pthread_t guest;
        assert_int_equal(fm_pthread_create(&guest, NULL, nothing_to_do, NULL), 0);
        assert_int_equal(fm_pthread_join(guest, NULL), 0);
    }
    return nothing;
}

static void creations_and_acquisitions_are_complete(void **state)
{
    (void)state;
    pthread_t threads[THREADS + HOSTS];
    seen.counted_lock = fm_object_id(fm_object_at(&mutex));
    seen.in_order = true;
    pthread_barrier_init(&barrier, NULL, THREADS);
    sem_init(&semaphore, 0, 0);
    for (uintptr_t i = 0; i < THREADS + HOSTS; i++) {
        assert_int_equal(
            fm_pthread_create(&threads[i], NULL, i < THREADS ? work : invite, (void *)i), 0);
    }
    for (int i = 0; i < THREADS + HOSTS; i++) {
        assert_int_equal(fm_pthread_join(threads[i], NULL), 0);
    }
    for (struct fm_thread *each = fm_threads_end(); each != NULL; each = each->next) {
        take_all(each, false);
    }
    assert_int_equal(counter, THREADS * ROUNDS);
    assert_int_equal(turn, THREADS * ROUNDS / 10);
    assert_int_equal(entries, THREADS * ROUNDS / 4);
    assert_int_equal(seen.created, CREATIONS);
    assert_int_equal(seen.begun, CREATIONS);
    assert_int_equal(seen.ended, CREATIONS);
    assert_int_equal(seen.waited, CREATIONS);
    assert_true(seen.in_order);
    assert_true(seen.named >= 2 * THREADS * ROUNDS); /* of the semaphore alone */
    uint64_t orders = fm_object_at(&mutex)->orders;
    assert_true(orders >= THREADS * (ROUNDS + ROUNDS / 10) && orders < ORDERS_MOST);
    for (uint64_t i = 1; i <= orders; i++) {
        assert_int_equal(seen.acquired[i], 1);
        assert_int_equal(seen.released[i], 1);
    }
}

/* ---- the table of objects ---- */

static char addresses[OBJECTS];
static struct fm_object *found[THREADS][OBJECTS];

/* Threads enter the same objects in orders of their own. */
static void *look_up(void *number)
{
    uint64_t own = (uint64_t)(uintptr_t)number;
    for (uint64_t i = 0; i < OBJECTS; i++) {
        uint64_t which = (i * 7 + own * 3331) % OBJECTS;
        found[own][which] = fm_object_at(&addresses[which]);
        assert_non_null(found[own][which]);
    }
    return NULL;
}

static int compare(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

static void objects_are_the_same_for_all_threads(void **state)
{
    (void)state;
    static uint32_t numbers[OBJECTS];
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, look_up, (void *)i), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < OBJECTS; i++) {
        for (int t = 1; t < THREADS; t++) {
            assert_ptr_equal(found[t][i], found[0][i]);
        }
        assert_true(found[0][i]->address == (uint64_t)(uintptr_t)&addresses[i]);
        numbers[i] = fm_object_id(found[0][i]);
    }
    qsort(numbers, OBJECTS, sizeof numbers[0], compare);
    assert_true(numbers[0] >= 1);
    for (int i = 1; i < OBJECTS; i++) {
        assert_true(numbers[i] > numbers[i - 1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_the_same_for_all_threads),
        cmocka_unit_test(creations_and_acquisitions_are_complete),
    };
    setenv("FERMATA_THREADS", "all", 1);
    fm_threads_begin(4 * 1024 * 1024, take_all);
    if (!fm_session_attach(&fermata_paradigm)) {
        return 1;
    }
#define FM_SET(name) fm_next_functions[FM_FUNCTION_##name] = (fm_function_t)name;
    FM_SET(pthread_create)
    FM_SET(pthread_join)
    FM_SET(pthread_mutex_lock)
    FM_SET(pthread_mutex_trylock)
    FM_SET(pthread_mutex_unlock)
    FM_SET(pthread_rwlock_rdlock)
    FM_SET(pthread_rwlock_tryrdlock)
    FM_SET(pthread_rwlock_wrlock)
    FM_SET(pthread_rwlock_trywrlock)
    FM_SET(pthread_rwlock_unlock)
    FM_SET(pthread_cond_wait)
    FM_SET(pthread_cond_broadcast)
    FM_SET(pthread_barrier_wait)
    FM_SET(sem_wait)
    FM_SET(sem_post)
    FM_SET(pthread_once)
    return fm_thread_attach() != NULL ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
