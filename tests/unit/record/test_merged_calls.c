/* SPDX-License-Identifier: BSD-3-Clause */
/* Brief calls that repeat: which are merged, and what their records are. Times are set by hand: the
 * clock decides nothing. */
#include "record/capture/thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* A tick is a nanosecond: gaps below 2,000 are short, those from 100,000 on are not, and a group of
 * one entry lasts 16,000,000. */
enum { RESOLUTION = 1000000000, TEST = 300, LOCAL = 301, OTHER = 302 };
enum { GROUP_TIME = 2 * (RESOLUTION / 125) };

static struct fm_thread *self;
static uint64_t now; /* end of the last call */

/* Whether calls that add to an entry are ended without records of their own, and how many were.
 * Each test is made both ways, with the same result, except that of full chunks. */
static bool is_quick;
static uint64_t quick;

static bool keep(struct fm_thread *thread, bool full)
{
    (void)thread, (void)full;
    return false;
}

/* A wrapper of a call that takes `own` ticks, `gap` ticks after the one before. `requests` are
 * tested; a local call has none. */
static void call(uint32_t function, uint64_t gap, uint64_t own, const uint64_t *requests,
                 size_t count)
{
    struct fm_thread *thread = fm_thread_enter(function);
    assert_non_null(thread);
    thread->enter = now + gap;
    now = thread->enter + own;
    const uint64_t detail[] = {fm_record_header(FM_RECORD_REQUEST_TEST, 0, 0),
                               count != 0 ? requests[0] : 0};
    if (is_quick && count <= 1 &&
        fm_merged_add(thread, now, count != 0 ? detail : NULL, function == TEST)) {
        quick++;
        return;
    }
    fm_thread_leave_brief_at(thread, now, function == TEST);
    for (size_t i = 0; i < count; i++) {
        uint64_t *r = fm_thread_reserve(thread, FM_WORDS_REQUEST_TEST);
        r[0] = fm_record_header(FM_RECORD_REQUEST_TEST, 0, 0);
        r[1] = requests[i];
    }
    fm_thread_done(thread);
}

static void test_of(uint64_t request, uint64_t gap, uint64_t own)
{
    call(TEST, gap, own, &request, 1);
}

static void local(uint64_t gap, uint64_t own)
{
    call(LOCAL, gap, own, NULL, 0);
}

/* A call that is never merged, such as a test that succeeds. */
static void other(uint32_t function, uint64_t gap, uint64_t own)
{
    struct fm_thread *thread = fm_thread_enter(function);
    assert_non_null(thread);
    thread->enter = now + gap;
    now = thread->enter + own;
    fm_thread_leave_at(thread, now, 0);
    fm_thread_done(thread);
}

/* The next record of the thread. */
static const uint64_t *at;

static void expect_call(uint32_t function, uint64_t duration, uint32_t calls, uint64_t gaps)
{
    assert_int_equal(fm_record_kind(at[0]), FM_RECORD_CALL);
    assert_int_equal(fm_record_aux(at[0]), function);
    assert_int_equal(fm_record_duration(at[0]), duration);
    at += FM_WORDS_CALL;
    if (calls != 0) {
        assert_int_equal(fm_record_kind(at[0]), FM_RECORD_MERGED);
        assert_int_equal(fm_record_merged_calls(at[0]), calls);
        assert_int_equal(fm_record_merged_gaps(at[0]), gaps);
        at += FM_WORDS_MERGED;
    }
}

static void expect_request(uint64_t request)
{
    assert_int_equal(fm_record_kind(at[0]), FM_RECORD_REQUEST_TEST);
    assert_true(at[1] == request);
    at += FM_WORDS_REQUEST_TEST;
}

static void expect_end(void)
{
    assert_ptr_equal(at, self->cursor);
    assert_ptr_equal(self->cursor, self->done); /* all is there if the process dies now */
}

/* Each test begins with an empty buffer. */
static int begin(void **state)
{
    (void)state;
    if (self == NULL) {
        fm_threads_begin(8 * FM_CHUNK_BYTES, keep);
        self = fm_thread_attach();
        assert_non_null(self);
        now = RESOLUTION;
    }
    fm_merged_begin(RESOLUTION);
    fm_thread_reuse(self);
    now += RESOLUTION; /* no short gap */
    at = self->cursor;
    return 0;
}

static void failed_tests_become_one_record(void **state)
{
    (void)state;
    test_of(7, 0, 100);
    expect_call(TEST, 100, 1, 0);
    expect_request(7);
    expect_end();
    test_of(7, 20, 110);
    test_of(7, 1999, 90);
    at = self->first->words;
    expect_call(TEST, 100 + 20 + 110 + 1999 + 90, 3, 20 + 1999);
    expect_request(7);
    expect_end();
    other(TEST, 30, 50); /* it succeeds */
    expect_call(TEST, 50, 0, 0);
    test_of(8, 10, 60); /* of a later loop */
    expect_call(TEST, 60, 1, 0);
    expect_request(8);
    expect_end();
}

static void a_gap_that_is_not_short_ends_the_record(void **state)
{
    (void)state;
    test_of(7, 0, 5000);
    test_of(7, 5000, 3000); /* no longer than the test before it */
    test_of(7, 3001, 40);   /* longer */
    test_of(7, 2000, 40);
    expect_call(TEST, 5000 + 5000 + 3000, 2, 5000);
    expect_request(7);
    expect_call(TEST, 40, 1, 0);
    expect_request(7);
    expect_call(TEST, 40, 1, 0);
    expect_request(7);
    expect_end();
    test_of(7, 1999, 200000);
    test_of(7, 100000, 300000); /* too long whatever the test took */
    test_of(7, 99999, 10);
    at -= FM_WORDS_CALL + FM_WORDS_MERGED + FM_WORDS_REQUEST_TEST;
    expect_call(TEST, 40 + 1999 + 200000, 2, 1999);
    expect_request(7);
    expect_call(TEST, 300000 + 99999 + 10, 2, 99999);
    expect_request(7);
    expect_end();
}

static void local_calls_become_one_record(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        local(10, 20);
    }
    expect_call(LOCAL, 20 + 999 * 30, 1000, 999 * 10);
    expect_end();
    local(2000, 20); /* without a test, only gaps below 2 us are short */
    expect_call(LOCAL, 20, 1, 0);
    expect_end();
}

/* Both records together are the time from the first Enter to the last Leave. */
static void calls_that_alternate_are_an_entry_each(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        test_of(7, 10, 200);
        local(15, 20);
    }
    expect_call(TEST, 100 * (200 + 15), 100, 100 * 15);
    expect_request(7);
    expect_call(LOCAL, 100 * 20 + 99 * 10, 100, 99 * 10);
    expect_end();
    local(5, 20); /* out of turn */
    test_of(7, 5, 200);
    at = self->first->words;
    expect_call(TEST, 100 * (200 + 15) + 200, 101, 100 * 15);
    expect_request(7);
    expect_call(LOCAL, 101 * 20 + 99 * 10 + 5 + 5, 101, 99 * 10 + 5 + 5);
    expect_end();
}

static void a_loop_over_requests_is_one_record(void **state)
{
    (void)state;
    enum { REQUESTS = 20, ROUNDS = 50 };
    for (int i = 0; i < ROUNDS * REQUESTS; i++) {
        test_of(1000 + (uint64_t)(i % REQUESTS), 10, 50);
    }
    expect_call(TEST, ROUNDS * REQUESTS * 60 - 10, ROUNDS * REQUESTS, ROUNDS * REQUESTS * 10 - 10);
    for (uint64_t i = 0; i < REQUESTS; i++) {
        expect_request(1000 + i);
    }
    expect_end();
}

/* The record of the requests is not the last one. */
static void a_loop_over_requests_may_have_other_calls(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 60; i++) {
        test_of(1 + i % 6, 10, 50);
        local(10, 20);
        call(OTHER, 10, 20, NULL, 0);
    }
    expect_call(TEST, 60 * 60, 60, 60 * 10);
    for (uint64_t i = 1; i <= 6; i++) {
        expect_request(i);
    }
    expect_call(LOCAL, 60 * 30, 60, 60 * 10);
    expect_call(OTHER, 60 * 30 - 10, 60, 59 * 10);
    expect_end();
}

static void other_requests_are_another_record(void **state)
{
    (void)state;
    const uint64_t both[] = {1, 2}, three[] = {1, 2, 3};
    for (int i = 0; i < 10; i++) {
        call(TEST, 10, 50, both, 2);
        call(TEST, 10, 50, three, 3);
    }
    expect_call(TEST, 10 * 60, 10, 10 * 10);
    expect_request(1);
    expect_request(2);
    expect_call(TEST, 10 * 60 - 10, 10, 10 * 10 - 10);
    expect_request(1);
    expect_request(2);
    expect_request(3);
    expect_end();
}

static void more_entries_than_fit_begin_a_group(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2 * FM_MERGED_ENTRIES; i++) {
        call(OTHER + i, 10, 20, NULL, 0);
    }
    for (uint32_t i = 0; i < 2 * FM_MERGED_ENTRIES; i++) {
        const bool is_last = i % FM_MERGED_ENTRIES == FM_MERGED_ENTRIES - 1;
        expect_call(OTHER + i, is_last ? 20 : 30, 1, is_last ? 0 : 10);
    }
    expect_end();
}

static void a_record_is_cut_after_some_time(void **state)
{
    (void)state;
    const uint64_t calls = 3 * GROUP_TIME / 2000 + 10;
    for (uint64_t i = 0; i < calls; i++) {
        test_of(7, 500, 1500);
    }
    uint64_t seen = 0, records = 0;
    while (at < self->cursor) {
        seen += fm_record_merged_calls(at[FM_WORDS_CALL]);
        assert_in_range(fm_record_duration(at[0]), 1, GROUP_TIME);
        at += FM_WORDS_CALL + FM_WORDS_MERGED + FM_WORDS_REQUEST_TEST;
        records++;
    }
    assert_true(seen == calls);
    assert_int_equal(records, 4);
    expect_end();
}

static void repeat(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        test_of(7, 10, 40);
    }
}

/* An interrupt: a gap that is not short, with 100 short gaps before it and behind it. */
static void a_lost_processor_does_not_end_the_record(void **state)
{
    (void)state;
    repeat(101);
    test_of(7, 999999, 40);
    repeat(99);
    uint64_t *before = self->cursor;
    expect_call(TEST, 101 * 50 - 10, 101, 100 * 10);
    expect_request(7);
    expect_call(TEST, 40 + 99 * 50, 100, 99 * 10);
    expect_request(7);
    expect_end();
    repeat(1);
    at = self->current->words;
    expect_call(TEST, 202 * 50 - 10 + 999989, 202, 201 * 10 + 999989);
    expect_request(7);
    expect_end();
    assert_true(self->cursor < before);
    test_of(7, 2500, 40); /* the same once more */
    repeat(100);
    at = self->current->words;
    expect_call(TEST, 303 * 50 - 10 + 999989 + 2490, 303, 302 * 10 + 999989 + 2490);
    expect_request(7);
    expect_end();
}

static void useful_work_ends_the_record(void **state)
{
    (void)state;
    repeat(100); /* 99 short gaps */
    test_of(7, 5000, 40);
    repeat(200);
    test_of(7, 1000000, 40); /* 1 ms */
    repeat(200);
    test_of(7, 5000, 40);
    repeat(99);
    test_of(7, 5000, 40);
    for (uint32_t calls = 0, i = 0; i < 5; i++) {
        static const uint32_t expected[] = {100, 201, 201, 100, 1};
        calls = expected[i];
        expect_call(TEST, calls * 50 - 10, calls, (calls - 1) * 10);
        expect_request(7);
    }
    expect_end();
}

/* The loop goes on with another request, and with another function, than it was left with. */
static void groups_are_joined_by_their_entries(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 150; i++) {
        test_of(1 + i % 3, 10, 40);
        local(10, 20);
    }
    local(3000, 20);
    for (uint64_t i = 0; i < 100; i++) {
        test_of(2 + i % 2, 10, 40);
        local(10, 20);
    }
    expect_call(TEST, 250 * 50, 250, 250 * 10);
    expect_request(1);
    expect_request(2);
    expect_request(3);
    expect_call(LOCAL, 251 * 20 + 249 * 10 + 3000, 251, 249 * 10 + 3000);
    expect_end();
    for (int i = 0; i < 120; i++) { /* of a function that the group before has not */
        call(OTHER, i == 0 ? 3000 : 10, 20, NULL, 0);
    }
    expect_call(OTHER, 120 * 30 - 10, 120, 119 * 10);
    expect_end();
}

/* What others have read, or are reading, is not joined. */
static void readers_prevent_joining(void **state)
{
    (void)state;
    repeat(101);
    test_of(7, 3000, 40);
    repeat(50);
    assert_true(fm_thread_claim(self));
    repeat(60);
    fm_thread_unclaim(self);
    expect_call(TEST, 101 * 50 - 10, 101, 100 * 10);
    expect_request(7);
    expect_call(TEST, 111 * 50 - 10, 111, 110 * 10);
    expect_request(7);
    expect_end();
}

static void what_is_recorded_between_ends_the_record(void **state)
{
    (void)state;
    test_of(7, 0, 100);
    uint64_t *mark = fm_thread_reserve(self, FM_WORDS_MARKER);
    mark[0] = fm_record_header(FM_RECORD_MARKER, 0, 5);
    mark[1] = now;
    fm_thread_publish(self);
    test_of(7, 10, 100);
    expect_call(TEST, 100, 1, 0);
    expect_request(7);
    assert_int_equal(fm_record_kind(at[0]), FM_RECORD_MARKER);
    at += FM_WORDS_MARKER;
    expect_call(TEST, 100, 1, 0);
    expect_request(7);
    expect_end();
    fm_thread_flush(self); /* they may be in the journal now */
    test_of(7, 10, 100);
    expect_call(TEST, 100, 1, 0);
    expect_request(7);
    expect_end();
}

/* What others have read is not changed any more. */
static void a_reader_ends_the_record(void **state)
{
    (void)state;
    test_of(7, 0, 100);
    test_of(7, 10, 100);
    assert_true(fm_thread_claim(self));
    fm_thread_settle(self, true);
    test_of(7, 10, 100);
    test_of(7, 10, 100);
    fm_thread_unclaim(self);
    expect_call(TEST, 210, 2, 10);
    expect_request(7);
    expect_call(TEST, 210, 2, 10);
    expect_request(7);
    expect_end();
}

static void chunks_are_crossed(void **state)
{
    (void)state;
    const size_t rest = (size_t)(self->limit - self->cursor) - FM_WORDS_CALL - FM_WORDS_MERGED -
                        FM_WORDS_REQUEST_TEST - 1;
    fm_thread_reserve(self, rest);
    fm_thread_publish(self);
    at = self->cursor;
    test_of(7, 0, 100);
    expect_call(TEST, 100, 1, 0);
    expect_request(7);
    expect_end();
    test_of(7, 10, 100); /* its own record, which is not kept, is in the next chunk */
    test_of(7, 10, 100);
    assert_ptr_not_equal(self->first, self->current);
    at = self->current->words;
    expect_call(TEST, 210, 2, 10);
    expect_request(7);
    expect_end();
    const uint64_t requests[FM_MERGED_DETAILS] = {1};
    call(TEST, 10, 100, requests, FM_MERGED_DETAILS); /* too many to be merged */
    call(TEST, 10, 100, requests, FM_MERGED_DETAILS);
    for (int i = 0; i < 2; i++) {
        expect_call(TEST, 100, 1, 0);
        at += FM_MERGED_DETAILS * FM_WORDS_REQUEST_TEST;
    }
    expect_end();
}

static void long_calls_are_not_merged(void **state)
{
    (void)state;
    const uint64_t seconds = (uint64_t)5 << FM_CALL_DURATION_BITS;
    local(0, 10);
    local(10, seconds);
    local(10, 10);
    expect_call(LOCAL, 10, 1, 0);
    assert_int_equal(fm_record_kind(at[0]), FM_RECORD_CALL_LONG);
    assert_true(at[2] - at[1] == seconds);
    at += FM_WORDS_CALL_LONG + FM_WORDS_MERGED;
    expect_call(LOCAL, 10, 1, 0);
    expect_end();
}

static int begin_quickly(void **state)
{
    is_quick = true;
    return begin(state);
}

/* The tests that merge calls have taken the short way. */
static void calls_were_ended_quickly(void **state)
{
    (void)state;
    assert_true(quick > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(failed_tests_become_one_record, begin),
        cmocka_unit_test_setup(a_gap_that_is_not_short_ends_the_record, begin),
        cmocka_unit_test_setup(local_calls_become_one_record, begin),
        cmocka_unit_test_setup(calls_that_alternate_are_an_entry_each, begin),
        cmocka_unit_test_setup(a_loop_over_requests_is_one_record, begin),
        cmocka_unit_test_setup(a_loop_over_requests_may_have_other_calls, begin),
        cmocka_unit_test_setup(other_requests_are_another_record, begin),
        cmocka_unit_test_setup(more_entries_than_fit_begin_a_group, begin),
        cmocka_unit_test_setup(a_record_is_cut_after_some_time, begin),
        cmocka_unit_test_setup(a_lost_processor_does_not_end_the_record, begin),
        cmocka_unit_test_setup(useful_work_ends_the_record, begin),
        cmocka_unit_test_setup(groups_are_joined_by_their_entries, begin),
        cmocka_unit_test_setup(readers_prevent_joining, begin),
        cmocka_unit_test_setup(what_is_recorded_between_ends_the_record, begin),
        cmocka_unit_test_setup(a_reader_ends_the_record, begin),
        cmocka_unit_test_setup(chunks_are_crossed, begin),
        cmocka_unit_test_setup(long_calls_are_not_merged, begin),
        cmocka_unit_test_setup(failed_tests_become_one_record, begin_quickly),
        cmocka_unit_test_setup(a_gap_that_is_not_short_ends_the_record, begin_quickly),
        cmocka_unit_test_setup(local_calls_become_one_record, begin_quickly),
        cmocka_unit_test_setup(calls_that_alternate_are_an_entry_each, begin_quickly),
        cmocka_unit_test_setup(a_loop_over_requests_is_one_record, begin_quickly),
        cmocka_unit_test_setup(a_loop_over_requests_may_have_other_calls, begin_quickly),
        cmocka_unit_test_setup(other_requests_are_another_record, begin_quickly),
        cmocka_unit_test_setup(more_entries_than_fit_begin_a_group, begin_quickly),
        cmocka_unit_test_setup(a_record_is_cut_after_some_time, begin_quickly),
        cmocka_unit_test_setup(a_lost_processor_does_not_end_the_record, begin_quickly),
        cmocka_unit_test_setup(useful_work_ends_the_record, begin_quickly),
        cmocka_unit_test_setup(groups_are_joined_by_their_entries, begin_quickly),
        cmocka_unit_test_setup(readers_prevent_joining, begin_quickly),
        cmocka_unit_test_setup(what_is_recorded_between_ends_the_record, begin_quickly),
        cmocka_unit_test_setup(a_reader_ends_the_record, begin_quickly),
        cmocka_unit_test_setup(long_calls_are_not_merged, begin_quickly),
        cmocka_unit_test(calls_were_ended_quickly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
