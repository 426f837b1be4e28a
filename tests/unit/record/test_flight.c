/* SPDX-License-Identifier: BSD-3-Clause */
/* What a thread leaves of its records when only the last ones are kept: the memory stays as it is,
 * what is lost is counted, and what is open is open behind the cut. */
#include "record/capture/thread.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { CALLS = 200000, CHUNKS = 4, COMMUNICATOR = 3, PEER = 5, TAG = 7 };

static const char *function_name(uint32_t function)
{
    (void)function;
    return "MPI_Send";
}

static bool never_flush(struct fm_thread *thread, bool full)
{
    (void)thread;
    assert_false(full);
    return false;
}

static void send(void)
{
    struct fm_thread *thread = fm_thread_enter(1);
    assert_non_null(thread);
    uint64_t *record = fm_thread_leave(thread, FM_WORDS_SEND);
    record[0] = fm_record_sized(FM_RECORD_SEND, 8, COMMUNICATOR);
    record[1] = PEER | (uint64_t)TAG << 32;
    fm_thread_done(thread);
}

static void put(enum fm_record_kind kind, uint32_t aux, uint32_t ref, int words)
{
    struct fm_thread *thread = fm_thread_self;
    uint64_t *record = fm_thread_reserve(thread, (size_t)words);
    record[0] = fm_record_header(kind, aux, ref);
    if (words > 1) {
        record[1] = fm_clock_now();
    }
    fm_thread_publish(thread);
}

static uint64_t count_sends(struct fm_extent extent)
{
    uint64_t sends = 0;
    while (extent.first != extent.last || extent.begin < extent.end) {
        if (extent.first != extent.last && extent.begin >= extent.first->used) {
            extent.first = extent.first->next;
            extent.begin = extent.first->words;
            continue;
        }
        sends += fm_record_kind(extent.begin[0]) == FM_RECORD_SEND;
        extent.begin += fm_record_words[fm_record_kind(extent.begin[0])];
    }
    return sends;
}

/* What stands in front of the records from a time on, as words of kinds; the caller frees it. */
static uint64_t *front(struct fm_thread *thread, uint64_t begin, size_t *words,
                       struct fm_extent *rest)
{
    assert_true(fm_thread_claim(thread));
    fm_thread_settle(thread, true);
    *rest = fm_thread_cut_before(thread, begin);
    uint64_t *place = calloc(fm_cut_words(&thread->cut), sizeof *place);
    assert_non_null(place);
    size_t most = fm_cut_words(&thread->cut);
    *words = (size_t)(fm_cut_write(&thread->cut, place, begin) - place);
    assert_true(*words <= most);
    fm_thread_unclaim(thread);
    return place;
}

/* One after the other, whatever their words are. */
static void expect_kinds(const uint64_t *records, size_t words, const enum fm_record_kind *kinds,
                         size_t count)
{
    const uint64_t *end = records + words;
    for (size_t i = 0; i < count; i++) {
        assert_true(records < end);
        assert_int_equal(fm_record_kind(records[0]), kinds[i]);
        records += fm_record_words[kinds[i]];
    }
    assert_ptr_equal(records, end);
}

static void *keep_the_last(void *nothing)
{
    static const enum fm_record_kind expected[] = {
        FM_RECORD_RECORDING_OFF, FM_RECORD_UNRECORDED,     FM_RECORD_RECORDING_ON,
        FM_RECORD_STACK,         FM_RECORD_STACK,          FM_RECORD_STACK,
        FM_RECORD_REGION_ENTER,  FM_RECORD_FUNCTION_ENTER, FM_RECORD_STACK,
        FM_RECORD_STACK};
    struct fm_extent rest;
    size_t words, chunks = 0;
    struct fm_thread *thread = fm_thread_attach();
    uint64_t before = fm_clock_now();
    put(FM_RECORD_STACK, 0, 100, FM_WORDS_STACK); /* main */
    put(FM_RECORD_STACK, 1, 101, FM_WORDS_STACK); /* main/begin */
    put(FM_RECORD_REGION_ENTER, 0, 11, FM_WORDS_REGION_ENTER);
    put(FM_RECORD_REGION_ENTER, 0, 12, FM_WORDS_REGION_ENTER);
    put(FM_RECORD_REGION_LEAVE, 0, 12, FM_WORDS_REGION_LEAVE);
    put(FM_RECORD_FUNCTION_ENTER, FM_PATH_MORE, 200, FM_WORDS_FUNCTION_ENTER);
    put(FM_RECORD_FUNCTION_ENTER, 0, 201, FM_WORDS_FUNCTION_ENTER);
    put(FM_RECORD_FUNCTION_LEAVE, 0, 1, FM_WORDS_FUNCTION_LEAVE);
    put(FM_RECORD_STACK, 1, 102, FM_WORDS_STACK); /* main/work; begin has returned */
    for (int i = 0; i < CALLS; i++) {
        send();
    }
    for (struct fm_chunk *chunk = thread->first; chunk != NULL; chunk = chunk->next) {
        chunks++;
    }
    assert_true(chunks <= CHUNKS);
    assert_true(thread->chunks <= CHUNKS);
    assert_true(thread->cut.gone);
    assert_true(fm_thread_claim(thread));
    fm_thread_settle(thread, true);
    uint64_t begin = fm_thread_first_kept(thread);
    fm_thread_unclaim(thread);
    uint64_t *records = front(thread, begin, &words, &rest);
    expect_kinds(records, words, expected, sizeof expected / sizeof expected[0]);
    assert_true(records[1] >= before && records[1] < begin);
    assert_int_equal(fm_record_aux(records[2]), FM_SERIES_SENDS);
    assert_int_equal(fm_record_ref(records[2]), COMMUNICATOR);
    uint64_t kept = count_sends(rest);
    assert_true(kept > 0);
    assert_int_equal(records[4] + kept, CALLS);
    assert_true(records[6] == begin);
    assert_int_equal(fm_record_ref(records[8]), 100);
    assert_int_equal(fm_record_ref(records[9]), 101);
    assert_int_equal(fm_record_ref(records[10]), 11);
    assert_int_equal(fm_record_ref(records[12]), 200);
    assert_int_equal(fm_record_aux(records[12]), FM_PATH_MORE);
    assert_int_equal(fm_record_ref(records[14]), 102);
    assert_int_equal(fm_record_aux(records[14]), 1);
    assert_int_equal(fm_record_aux(records[15]), 2);
    free(records);

    /* Nothing more is lost: nothing stands in front. */
    records = front(thread, 0, &words, &rest);
    assert_int_equal(words, 0);
    free(records);

    /* All is lost. */
    records = front(thread, UINT64_MAX, &words, &rest);
    assert_int_equal(count_sends(rest), 0);
    assert_int_equal(records[4], kept);
    free(records);
    return nothing;
}

/* Runs until the other threads are there: each gets its part. */
static pthread_barrier_t all_are_there;

static void *share(void *nothing)
{
    struct fm_thread *thread = fm_thread_attach();
    assert_non_null(thread);
    pthread_barrier_wait(&all_are_there);
    for (int i = 0; i < CALLS; i++) {
        send();
    }
    assert_true(thread->chunks <= CHUNKS / 2);
    return nothing;
}

static void the_last_records_are_kept(void **state)
{
    pthread_t thread;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, keep_the_last, NULL), 0);
    pthread_join(thread, NULL);
}

static void threads_share_the_memory(void **state)
{
    pthread_t threads[2];
    (void)state;
    pthread_barrier_init(&all_are_there, NULL, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, share, NULL), 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_records_are_kept),
        cmocka_unit_test(threads_share_the_memory), /* one takes over what the last one left */
    };
    fm_clock_start(0, 0);
    fm_threads_begin(CHUNKS * FM_CHUNK_BYTES, never_flush);
    fm_threads_keep_last(function_name);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
