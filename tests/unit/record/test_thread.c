/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers of threads: every record comes out once and in order, whatever the budget. */
#include "record/capture/thread.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { CALLS = 200000, THREADS = 4 };

static struct {
    uint64_t calls, flushes;
    bool in_order;
} seen[THREADS + 1];

/* Reads the thread's records as the archive does. */
static bool read_all(struct fm_thread *thread, bool full)
{
    (void)full;
    thread->current->used = thread->cursor;
    for (struct fm_chunk *chunk = thread->first; chunk != NULL; chunk = chunk->next) {
        for (const uint64_t *record = chunk->words; record < chunk->used;) {
            uint64_t number = record[FM_WORDS_CALL + 1];
            bool good = fm_record_kind(record[0]) == FM_RECORD_CALL &&
                        fm_record_kind(record[FM_WORDS_CALL]) == FM_RECORD_ISEND_COMPLETE &&
                        fm_record_aux(record[0]) == number % 400 &&
                        number == seen[thread->index].calls;
            seen[thread->index].in_order = seen[thread->index].in_order && good;
            seen[thread->index].calls++;
            record += FM_WORDS_CALL + FM_WORDS_ISEND_COMPLETE;
        }
    }
    seen[thread->index].flushes++;
    fm_thread_reuse(thread);
    return true;
}

/* A wrapper with a frame of its own. */
static __attribute__((noinline)) struct fm_thread *enter_in(uint32_t function)
{
    struct fm_thread *thread = fm_thread_enter(function);
    __asm__ volatile("");
    return thread;
}

static void *record_calls(void *nothing)
{
    for (uint32_t i = 0; i < CALLS; i++) {
        struct fm_thread *thread = fm_thread_enter(i % 400);
        assert_non_null(thread);
        assert_null(enter_in(1)); /* nested calls are not recorded */
        uint64_t *record = fm_thread_leave(thread, FM_WORDS_ISEND_COMPLETE);
        record[0] = fm_record_header(FM_RECORD_ISEND_COMPLETE, 0, 0);
        record[1] = i;
        fm_thread_done(thread);
    }
    return nothing;
}

static pthread_barrier_t all_are_there;

/* A thread that has ended would leave its location to the next one. */
static void *record_calls_together(void *nothing)
{
    assert_non_null(fm_thread_attach());
    pthread_barrier_wait(&all_are_there);
    return record_calls(nothing);
}

static void records_come_out_in_order(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    for (int i = 0; i <= THREADS; i++) {
        seen[i].in_order = true;
    }
    record_calls(NULL);
    pthread_barrier_init(&all_are_there, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, record_calls_together, NULL);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    for (struct fm_thread *thread = fm_threads_end(); thread != NULL; thread = thread->next) {
        read_all(thread, true);
    }
    for (int i = 0; i <= THREADS; i++) {
        assert_int_equal(seen[i].calls, CALLS);
        assert_true(seen[i].in_order);
        assert_true(seen[i].flushes > 1);
    }
    assert_null(fm_thread_enter(1)); /* recording is over */
}

static void long_calls_keep_their_duration(void **state)
{
    (void)state;
    uint64_t duration = ((uint64_t)1 << FM_CALL_DURATION_BITS) - 1;
    uint64_t header = fm_record_call(321, duration);
    assert_int_equal(fm_record_duration(header), duration);
    assert_int_equal(fm_record_kind(header), FM_RECORD_CALL);
    assert_int_equal(fm_record_aux(header), 321);
}

/* Sizes up to the largest that records can hold. */
static void sizes_are_kept(void **state)
{
    (void)state;
    const uint64_t sizes[] = {0, 1, 0xffffff, 0x1000000, 0x1000001, 0x123456789a, UINT64_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint64_t header = fm_record_sized(FM_RECORD_SEND, sizes[i], 0x89abcdef);
        uint64_t above = fm_record_above(sizes[i]);
        assert_int_equal(fm_words_above(sizes[i]), sizes[i] > 0xffffff);
        assert_int_equal(fm_record_kind(header), FM_RECORD_SEND);
        assert_int_equal(fm_record_ref(header), 0x89abcdef);
        assert_int_equal(fm_record_kind(above), FM_RECORD_BYTES_ABOVE);
        assert_true(fm_record_bytes(header, above) == sizes[i]);
        assert_true(sizes[i] > 0xffffff || fm_record_bytes(header, 0) == sizes[i]);
    }
}

/* A call of a second or more, and one for which there is no room in the chunk. */
static void long_calls_are_recorded(void **state)
{
    (void)state;
    struct fm_thread *thread = fm_thread_enter(7);
    assert_non_null(thread);
    thread->enter -= (uint64_t)1 << FM_CALL_DURATION_BITS;
    uint64_t enter = thread->enter;
    uint64_t *record = fm_thread_leave(thread, 1) - FM_WORDS_CALL_LONG;
    fm_thread_done(thread);
    assert_int_equal(fm_record_kind(record[0]), FM_RECORD_CALL_LONG);
    assert_int_equal(fm_record_aux(record[0]), 7);
    assert_true(record[1] == enter);
    assert_true(record[2] - enter >= (uint64_t)1 << FM_CALL_DURATION_BITS);
    assert_ptr_equal(thread->cursor, record + FM_WORDS_CALL_LONG + 1);
    fm_thread_reuse(thread);
}

/* The frame of the next call is where that of the first was: the first was left, by longjmp(). */
static void a_call_that_was_left_ends_at_the_next(void **state)
{
    (void)state;
    struct fm_thread *thread = enter_in(11);
    assert_non_null(thread);
    uint64_t enter = thread->enter;
    uint64_t *record = thread->cursor;
    assert_ptr_equal(enter_in(12), thread);
    assert_int_equal(fm_record_kind(record[0]), FM_RECORD_CALL);
    assert_int_equal(fm_record_aux(record[0]), 11);
    assert_true(record[1] == enter && thread->enter > enter);
    assert_true(enter + fm_record_duration(record[0]) <= thread->enter);
    fm_thread_leave(thread, 0);
    fm_thread_done(thread);
    assert_int_equal(thread->depth, 0);
    fm_thread_reuse(thread);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_calls_are_recorded),
        cmocka_unit_test(a_call_that_was_left_ends_at_the_next),
        cmocka_unit_test(records_come_out_in_order),
        cmocka_unit_test(sizes_are_kept),
        cmocka_unit_test(long_calls_keep_their_duration),
    };
    fm_clock_start(0, 0);
    fm_threads_begin(4 * 1024 * 1024, read_all);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
