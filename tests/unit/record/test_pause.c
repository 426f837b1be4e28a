/* SPDX-License-Identifier: BSD-3-Clause */
/* Pauses: what a thread writes meanwhile is folded into counts, in bounded memory; the rest stays.
 */
#include "record/capture/thread.h"
#include "record/selection/pause.h"

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { SEND, START, POST, CREATE_GROUP, BARRIER };

static const char *name_of(uint32_t function)
{
    static const char *const names[] = {"MPI_Send", "MPI_Win_start", "MPI_Win_post",
                                        "MPI_Comm_create_group", "MPI_Barrier"};
    return names[function];
}

static unsigned flushes;

/* Records stay where they are: what there is in the end is all there ever was. */
static bool keep(struct fm_thread *thread, bool full)
{
    (void)thread;
    flushes++;
    return !full;
}

/* A call with one operation record of up to three words. */
static void call(uint32_t function, enum fm_record_kind kind, uint32_t ref, uint64_t first)
{
    struct fm_thread *thread = fm_thread_enter(function);
    assert_non_null(thread);
    uint64_t *record = fm_thread_leave(thread, fm_record_words[kind]);
    memset(record, 0, fm_record_words[kind] * sizeof *record);
    record[0] = fm_record_header(kind, 0, ref);
    record[1] = first;
    fm_thread_done(thread);
}

static void send(uint32_t peer, uint32_t tag)
{
    call(SEND, FM_RECORD_SEND, 1, peer | (uint64_t)tag << 32);
}

static uint32_t region_number(uint64_t entry)
{
    return fm_open_region(entry)->number;
}

/* The records of the calling thread, in words for people. */
static const char *written(void)
{
    static char text[4096];
    struct fm_thread *thread = fm_thread_self;
    size_t length = 0;
    text[0] = '\0';
    thread->current->used = thread->cursor;
    for (struct fm_chunk *chunk = thread->first; chunk != NULL; chunk = chunk->next) {
        for (const uint64_t *r = chunk->words; r < chunk->used;) {
            enum fm_record_kind kind = fm_record_kind(r[0]);
            const char *names[FM_RECORD_KIND_COUNT] = {
                [FM_RECORD_CALL] = "call",          [FM_RECORD_SEND] = "send",
                [FM_RECORD_RECORDING_OFF] = "off",  [FM_RECORD_RECORDING_ON] = "on",
                [FM_RECORD_UNRECORDED] = "skipped", [FM_RECORD_REGION_ENTER] = "enter",
                [FM_RECORD_REGION_LEAVE] = "leave"};
            length += (size_t)snprintf(text + length, sizeof text - length, "%s",
                                       names[kind] != NULL ? names[kind] : "?");
            if (kind == FM_RECORD_UNRECORDED) {
                length += (size_t)snprintf(text + length, sizeof text - length, "(%u %u %u %u x%u)",
                                           fm_record_aux(r[0]), fm_record_ref(r[0]), (uint32_t)r[1],
                                           (uint32_t)(r[1] >> 32), (uint32_t)r[2]);
            } else if (kind == FM_RECORD_RECORDING_ON || kind == FM_RECORD_REGION_ENTER) {
                length += (size_t)snprintf(text + length, sizeof text - length, "(%u)",
                                           fm_record_ref(r[0]));
            }
            length += (size_t)snprintf(text + length, sizeof text - length, " ");
            r += fm_record_words[kind];
        }
    }
    return text;
}

static size_t chunks_of(const struct fm_thread *thread)
{
    size_t count = 0;
    for (const struct fm_chunk *chunk = thread->first; chunk != NULL; chunk = chunk->next) {
        count++;
    }
    for (const struct fm_chunk *chunk = thread->spare; chunk != NULL; chunk = chunk->next) {
        count++;
    }
    return count;
}

/* Each test runs in a thread of its own, whose records begin empty; it lives on, since the next
 * would get the location of one that has ended. */
static sem_t finished;

static void *run(void *test)
{
    ((void (*)(void))(uintptr_t)test)();
    sem_post(&finished);
    for (;;) {
        pause();
    }
    return NULL;
}

static void in_new_thread(void (*test)(void))
{
    pthread_t thread;
    assert_int_equal(sem_init(&finished, 0, 0), 0);
    assert_int_equal(pthread_create(&thread, NULL, run, (void *)(uintptr_t)test), 0);
    pthread_detach(thread);
    sem_wait(&finished);
    fm_resume();
}

static void fold_many(void)
{
    enum { CALLS = 300000 }; /* several times the memory that there is */
    send(1, 2);
    fm_pause();
    assert_false(fm_is_recording());
    for (uint32_t i = 0; i < CALLS; i++) {
        send(1 + i % 2, 7);
    }
    fm_resume();
    assert_true(fm_is_recording());
    size_t chunks = chunks_of(fm_thread_self);
    send(1, 2);
    const char *text = written();
    assert_true(strncmp(text, "call send off skipped", 21) == 0);
    assert_non_null(strstr(text, "skipped(1 1 1 7 x150000) "));
    assert_non_null(strstr(text, "skipped(1 1 2 7 x150000) "));
    assert_non_null(strstr(text, " on(0) call send "));
    assert_true(chunks <= 3);
}

static void many_calls_need_no_memory(void **state)
{
    (void)state;
    in_new_thread(fold_many);
}

static void fold_each_series(void)
{
    send(0, 0);
    fm_pause();
    call(SEND, FM_RECORD_RECV, 1, 5 | (uint64_t)9 << 32);
    call(BARRIER, FM_RECORD_COLLECTIVE_END, 2, 0);
    call(BARRIER, FM_RECORD_COLLECTIVE_END, 2, 0);
    call(CREATE_GROUP, FM_RECORD_COLLECTIVE_END, 2, 0);
    call(START, FM_RECORD_GROUP_SYNC, 3, 4);
    call(POST, FM_RECORD_GROUP_SYNC, 3, 6);
    call(BARRIER, FM_RECORD_GROUP_SYNC, 3, 8);
    call(BARRIER, FM_RECORD_WIN_COLLECTIVE_END, 3, 0);
    call(BARRIER, FM_RECORD_PUT, 3, 0);
    fm_resume();
    send(0, 0);
    const char *text = written();
    static const char *const expected[] = {"skipped(2 1 5 9 x1)", "skipped(3 2 0 0 x2)",
                                           "skipped(5 3 4 0 x1)", "skipped(6 3 6 0 x1)",
                                           "skipped(4 3 0 0 x1)"};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_non_null(strstr(text, expected[i]));
    }
    size_t skipped = 0;
    for (const char *next = text; (next = strstr(next, "skipped")) != NULL; next++) {
        skipped++;
    }
    assert_int_equal(skipped, 5);
}

static void each_series_is_counted(void **state)
{
    (void)state;
    in_new_thread(fold_each_series);
}

/* As the functions for regions do; see src/record/user/region.c. */
static struct fm_open_region regions[] = {
    {.number = 10}, {.number = 11}, {.number = 12, .is_phase = true}, {.number = 13}};

static void open_region(int i)
{
    struct fm_thread *thread = fm_thread_self;
    if (fm_clock_now() >= thread->flush_due) {
        fm_thread_flush(thread);
    }
    fm_nesting_push(&thread->open, (uintptr_t)&regions[i]);
    uint64_t *record = fm_thread_reserve(thread, FM_WORDS_REGION_ENTER);
    record[0] = fm_record_header(FM_RECORD_REGION_ENTER, 0, regions[i].number);
    record[1] = fm_clock_now();
}

static void close_region(void)
{
    struct fm_thread *thread = fm_thread_self;
    if (fm_clock_now() >= thread->flush_due) {
        fm_thread_flush(thread);
    }
    thread->open.count--;
    uint64_t *record = fm_thread_reserve(thread, FM_WORDS_REGION_LEAVE);
    record[0] = fm_record_header(FM_RECORD_REGION_LEAVE, 0, 0);
    record[1] = fm_clock_now();
}

static void fold_regions(void)
{
    send(0, 0);
    open_region(0);
    open_region(1);
    fm_pause();
    close_region();
    open_region(1); /* another visit of the same region */
    open_region(2); /* a phase: its visit is not recorded */
    open_region(3);
    fm_resume();
    send(0, 0);
    assert_string_equal(written(), "call send enter(10) enter(11) off on(1) enter(11) enter(13) "
                                   "call send ");
    const struct fm_nesting *open = &fm_thread_self->open;
    assert_int_equal(open->count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(region_number(open->regions[i]), 10 + i);
        assert_int_equal((open->regions[i] & FM_OPEN_UNRECORDED) != 0, i == 2);
    }
}

static void regions_are_those_that_are_open(void **state)
{
    (void)state;
    in_new_thread(fold_regions);
}

static void miss_all(void)
{
    send(0, 0);
    for (int i = 0; i < 2; i++) {
        fm_pause();
        fm_pause();
        fm_resume();
        fm_resume();
    }
    send(0, 0);
    assert_string_equal(written(), "call send off on(0) off on(0) call send ");
}

static void a_thread_that_slept_notices_all(void **state)
{
    (void)state;
    in_new_thread(miss_all);
}

static void pause_for_two_reasons(void)
{
    send(0, 0);
    fm_pause_for(FM_PAUSE_PHASE, true);
    send(0, 0);
    fm_pause();
    fm_pause_for(FM_PAUSE_PHASE, false);
    assert_false(fm_is_recording());
    send(0, 0);
    fm_resume();
    assert_true(fm_is_recording());
    send(0, 0);
    assert_string_equal(written(), "call send off skipped(1 1 0 0 x2) on(0) call send ");
}

static void recording_goes_on_when_no_reason_is_left(void **state)
{
    (void)state;
    in_new_thread(pause_for_two_reasons);
}

static void be_switched_by_signals(void)
{
    send(0, 0);
    fm_pause_toggle();
    send(0, 0);
    assert_false(fm_is_recording());
    fm_pause_toggle();
    send(0, 0);
    fm_pause_toggle();
    fm_pause_toggle(); /* before anybody looked */
    send(0, 0);
    assert_true(fm_is_recording());
    assert_string_equal(written(), "call send off skipped(1 1 0 0 x1) on(0) call send call send ");
}

static void signals_switch(void **state)
{
    (void)state;
    in_new_thread(be_switched_by_signals);
}

/* Times of the records that switch recording. */
static size_t switch_times(uint64_t times[], size_t room)
{
    struct fm_thread *thread = fm_thread_self;
    size_t count = 0;
    for (const uint64_t *r = thread->first->words; r < thread->cursor;) {
        enum fm_record_kind kind = fm_record_kind(r[0]);
        if (kind == FM_RECORD_RECORDING_ON || kind == FM_RECORD_RECORDING_OFF) {
            assert_true(count < room);
            times[count++] = r[1];
        }
        r += fm_record_words[kind];
    }
    return count;
}

static void wait_until(uint64_t time)
{
    while (fm_clock_now() <= time) {
    }
}

/* What happens next, unless its time has come meanwhile: threads may sleep for any time. */
static void expect_next(uint64_t time)
{
    uint64_t next = fm_pause_next();
    if (fm_clock_now() < time) {
        assert_int_equal(next, time);
    }
}

static void pass_a_window(void)
{
    uint64_t times[4], now = fm_clock_now(), step = fm_clock_resolution() / 50;
    send(0, 0);
    fm_pause_outside(now + step, now + 2 * step);
    send(0, 0);
    expect_next(now + step);
    wait_until(now + step);
    send(0, 0);
    expect_next(now + 2 * step);
    wait_until(now + 2 * step);
    assert_false(fm_is_recording());
    send(0, 0);
    assert_int_equal(fm_pause_next(), UINT64_MAX);
    fm_pause_for(FM_PAUSE_WINDOW, false);
    send(0, 0);
    assert_int_equal(switch_times(times, 4), 4);
    assert_int_equal(times[1], now + step); /* whenever it was noticed */
    assert_int_equal(times[2], now + 2 * step);
}

static void windows_begin_and_end_in_time(void **state)
{
    (void)state;
    in_new_thread(pass_a_window);
}

static void appear(void)
{
    send(0, 0);
    fm_resume();
    send(0, 0);
    assert_string_equal(written(), "off skipped(1 1 0 0 x1) on(0) call send ");
}

static void a_thread_may_appear_in_a_pause(void **state)
{
    (void)state;
    fm_pause();
    in_new_thread(appear);
}

static void end_run(void)
{
    fm_pause();
    send(0, 0);
    struct fm_thread *thread = fm_thread_enter(BARRIER);
    fm_pause_run_ends(thread);
    fm_thread_leave(thread, 0);
    fm_thread_done(thread);
    assert_string_equal(written(), "off skipped(1 1 0 0 x1) on(0) call ");
    assert_false(fm_is_recording());
}

static void the_last_call_is_recorded(void **state)
{
    (void)state;
    in_new_thread(end_run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_calls_need_no_memory),
        cmocka_unit_test(each_series_is_counted),
        cmocka_unit_test(regions_are_those_that_are_open),
        cmocka_unit_test(a_thread_that_slept_notices_all),
        cmocka_unit_test(recording_goes_on_when_no_reason_is_left),
        cmocka_unit_test(signals_switch),
        cmocka_unit_test(windows_begin_and_end_in_time),
        cmocka_unit_test(a_thread_may_appear_in_a_pause),
        cmocka_unit_test(the_last_call_is_recorded), /* nothing can be paused behind it */
    };
    fm_clock_start(0, 0);
    fm_threads_begin(2 * 1024 * 1024, keep);
    fm_pause_begin(name_of);
    fm_pause(); /* before the run that is only noted */
    bool noted = !fm_is_recording();
    fm_resume();
    fm_pause_run_begins();
    return noted ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
