/* SPDX-License-Identifier: BSD-3-Clause */
/* Stretches of computation: their records agree with the clocks, and readings are limited. */
#include "record/capture/thread.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include <cmocka.h>

enum { BEFORE = 5, AFTER = 6, RESOLUTION = 1000000000 };

static struct fm_thread *call(uint32_t function)
{
    struct fm_thread *thread = fm_thread_enter(function);
    assert_non_null(thread);
    fm_thread_leave(thread, 0);
    fm_thread_done(thread);
    return thread;
}

static uint64_t cpu(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void pass(uint64_t spinning, uint64_t sleeping)
{
    const struct timespec time = {0, (long)sleeping};
    uint64_t end = cpu() + spinning;
    while (cpu() < end) {
    }
    nanosleep(&time, NULL);
}

/* The PROCESSOR record that a stretch between two calls makes. */
static const uint64_t *measure(uint64_t spinning, uint64_t sleeping, uint64_t blocked,
                               uint64_t *most, uint64_t *least)
{
    uint64_t before = cpu();
    struct fm_thread *thread = call(BEFORE);
    thread->processor.blocked = blocked;
    uint64_t begin = cpu();
    pass(spinning, sleeping);
    uint64_t end = cpu();
    const uint64_t *place = thread->cursor;
    call(AFTER);
    *most = cpu() - before;
    *least = end - begin;
    return place;
}

/* A reading in which the thread lacked a processor has to be afforded, too. */
static void wait_for_reading(struct fm_thread *thread)
{
    while (fm_clock_now() < thread->reading_due || fm_clock_now() < thread->processor.affordable) {
    }
}

static void a_stretch_agrees_with_the_clocks(void **state)
{
    (void)state;
    static const struct {
        uint64_t spinning, sleeping, blocked;
    } ways[] = {
        {3000000, 0, 0}, {0, 8000000, 0}, {2000000, 5000000, 0}, {2000000, 5000000, 4000000}};
    struct fm_thread *thread = call(BEFORE);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        uint64_t most, least, blocked = ways[i].blocked;
        wait_for_reading(thread);
        const uint64_t *record =
            measure(ways[i].spinning, ways[i].sleeping, blocked, &most, &least);
        assert_int_equal(fm_record_kind(record[0]), FM_RECORD_PROCESSOR);
        assert_true(record[2] >= ways[i].spinning + ways[i].sleeping);
        assert_true(record[3] + most + blocked >= record[2]);
        assert_true(record[3] + least + blocked <= record[2]);
        assert_true(record[4] == FM_DELAY_UNKNOWN || record[4] <= record[2]);
        assert_true(record[1] <= thread->left);
    }
}

static struct rusage usage_of_thread(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_THREAD, &usage), 0);
    return usage;
}

static void expect_between(uint64_t value, long least, long most)
{
    assert_true(value >= (uint64_t)least);
    assert_true(value <= (uint64_t)most);
}

static void a_stretch_has_the_counts_of_the_kernel(void **state)
{
    (void)state;
    enum { PAGES = 700, PAGE = 4096, SLEEPS = 3 };
    char *memory = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    madvise(memory, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE);
    struct fm_thread *thread = call(BEFORE);
    wait_for_reading(thread);
    struct rusage before = usage_of_thread();
    call(BEFORE);
    struct rusage begin = usage_of_thread();
    for (size_t i = 0; i < (size_t)PAGES * PAGE; i += PAGE) {
        memory[i] = 1;
    }
    for (int i = 0; i < SLEEPS; i++) {
        pass(0, 1000000);
    }
    struct rusage end = usage_of_thread();
    const uint64_t *record = thread->cursor;
    call(AFTER);
    struct rusage after = usage_of_thread();
    assert_int_equal(fm_record_kind(record[0]), FM_RECORD_PROCESSOR);
    assert_true(end.ru_minflt - begin.ru_minflt >= PAGES);
    expect_between(record[6] & UINT32_MAX, end.ru_minflt - begin.ru_minflt,
                   after.ru_minflt - before.ru_minflt);
    expect_between(record[6] >> 32, end.ru_majflt - begin.ru_majflt,
                   after.ru_majflt - before.ru_majflt);
    expect_between(record[7] & UINT32_MAX, end.ru_nivcsw - begin.ru_nivcsw,
                   after.ru_nivcsw - before.ru_nivcsw);
    expect_between(record[7] >> 32, end.ru_nvcsw - begin.ru_nvcsw,
                   after.ru_nvcsw - before.ru_nvcsw);
    assert_true(record[7] >> 32 >= SLEEPS);
    munmap(memory, (size_t)PAGES * PAGE);
}

/* Stretches that are long enough for readings of the run delay, and calls that end at once or take
 * some time: with either, the delays of all stretches but the first two are known. */
static void run_delays_are_known_after_calls_of_any_length(void **state)
{
    (void)state;
    enum { STRETCHES = 4, STRETCH = 30000000 };
    static const uint64_t lengths[] = {0, 300000};
    if (fm_processor_span().wall == 0) {
        skip(); /* a kernel without statistics of the scheduler */
    }
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        struct fm_thread *thread = call(BEFORE);
        for (int stretch = 0; stretch < STRETCHES; stretch++) {
            pass(0, STRETCH);
            const uint64_t *record = thread->cursor;
            thread = fm_thread_enter(BEFORE);
            if (stretch > 1) {
                assert_int_equal(fm_record_kind(record[0]), FM_RECORD_PROCESSOR);
                assert_true(record[4] != FM_DELAY_UNKNOWN);
            }
            if (lengths[i] > 0) {
                pass(0, lengths[i]);
            }
            thread->processor.affordable = 0; /* whatever the readings have taken */
            fm_thread_leave(thread, 0);
            fm_thread_done(thread);
        }
    }
}

/* The run delay of this thread so far. */
static uint64_t delay_so_far(void)
{
    char text[100] = "";
    uint64_t delay = 0;
    FILE *file = fopen("/proc/thread-self/schedstat", "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    assert_true(fm_processor_parse_delay(text, &delay));
    fclose(file);
    return delay;
}

/* Begins a stretch whose run delay is not read, after a function that no long one has followed. */
static struct fm_thread *begin_unexpected(void)
{
    wait_for_reading(call(BEFORE));
    struct fm_thread *thread = fm_thread_enter(BEFORE);
    assert_non_null(thread);
    wait_for_reading(thread);
    thread->processor.expected[BEFORE] = 0;
    thread->long_after = 0;
    thread->processor.delay_is_last = false;
    thread->processor.delay_due_aside = UINT64_MAX;
    thread->processor.affordable = 0;
    fm_thread_leave(thread, 0);
    fm_thread_done(thread);
    assert_false(thread->processor.delay_is_last);
    return thread;
}

/* What is known of the first stretch of its kind when it has ended. */
static void evidence_at_the_end_decides(void **state)
{
    (void)state;
    enum { STRETCH = 40000000 };
    if (fm_processor_span().wall == 0) {
        skip(); /* a kernel without statistics of the scheduler */
    }
    /* It waited: the run delay has hardly grown since an earlier reading. */
    struct fm_thread *thread = begin_unexpected();
    const uint64_t earlier = delay_so_far();
    thread->processor.delay = earlier;
    thread->processor.delay_due = 0;
    pass(0, STRETCH);
    const uint64_t *record = thread->cursor;
    call(AFTER);
    assert_int_equal(fm_record_kind(record[0]), FM_RECORD_PROCESSOR);
    assert_true(record[3] >= STRETCH / 2);
    const uint64_t grown = delay_so_far() - earlier;
    assert_true(grown > record[3] / FM_DELAY_SMALL || record[4] <= grown);

    /* It waited, but how long for a processor cannot be told: the earlier reading is unusable, or
     * another one is not affordable. */
    for (int i = 0; i < 2; i++) {
        thread = begin_unexpected();
        thread->processor.delay = i == 0 ? UINT64_MAX : 0;
        thread->processor.delay_due = i == 0 ? 0 : UINT64_MAX;
        pass(0, STRETCH);
        record = thread->cursor;
        call(AFTER);
        assert_int_equal(fm_record_kind(record[0]), FM_RECORD_PROCESSOR);
        assert_true(record[4] == FM_DELAY_UNKNOWN);
        thread->processor.delay = 0;
        thread->processor.delay_due = 0;
    }

    /* It did not wait, and ran for half of the time. */
    thread = begin_unexpected();
    thread->processor.delay_due = UINT64_MAX;
    for (uint64_t end = cpu() + STRETCH; cpu() < end;) {
    }
    thread->processor.cpu += STRETCH / 2;
    record = thread->cursor;
    call(AFTER);
    thread->processor.delay_due = 0;
    assert_int_equal(fm_record_kind(record[0]), FM_RECORD_PROCESSOR);
    assert_int_equal(record[7] >> 32, 0);
    assert_true(record[3] >= STRETCH * 4 / 10); /* half, but the clocks are not read at once */
    assert_int_equal(record[4], record[3]);
}

static void no_reading_at_the_begin_is_no_measurement(void **state)
{
    (void)state;
    struct fm_thread *thread = call(BEFORE);
    thread->processor.read = 0;
    thread->reading_due = UINT64_MAX;
    thread->long_after = 0;
    pass(2000000, 0);
    const uint64_t *place = thread->cursor;
    call(AFTER);
    assert_int_equal(fm_record_kind(place[0]), FM_RECORD_CALL);
    /* The next stretch after that function will be. */
    assert_true((thread->long_after >> BEFORE & 1) != 0);
}

static void expectations_end(void **state)
{
    (void)state;
    struct fm_thread *thread = call(BEFORE);
    thread->function = BEFORE;
    thread->long_after = (uint64_t)1 << BEFORE;
    thread->processor.expected[BEFORE] = 2;
    thread->left = thread->processor.read + RESOLUTION / FM_READING_LEAST / 2;
    fm_processor_leave(thread); /* too early for another reading */
    assert_int_equal(thread->processor.expected[BEFORE], 2);
    thread->processor.affordable = thread->left + RESOLUTION;
    thread->left = thread->processor.read + RESOLUTION / 2;
    fm_processor_leave(thread); /* readings have taken their share of the time */
    assert_int_equal(thread->processor.expected[BEFORE], 2);
    for (int i = 0; i < 2; i++) {
        assert_true(thread->long_after != 0);
        thread->left = thread->processor.read + RESOLUTION / FM_READING_LEAST * 2;
        thread->processor.affordable = thread->left;
        fm_processor_leave(thread);
    }
    assert_true(thread->long_after == 0);
}

static void the_run_delay_is_the_second_number(void **state)
{
    (void)state;
    uint64_t delay = 1;
    assert_true(fm_processor_parse_delay("173762484 409519813 49\n", &delay));
    assert_int_equal(delay, 409519813);
    assert_true(fm_processor_parse_delay("0 0 0\n", &delay));
    assert_int_equal(delay, 0);
    static const char *const others[] = {"", "12", "12 ", "12 -3 4", "12 x", "12 34x"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_false(fm_processor_parse_delay(others[i], &delay));
    }
}

static void *look_from_another_thread(void *span)
{
    *(struct fm_processor_span *)span = fm_processor_span();
    return NULL;
}

static void the_whole_run_is_known_to_its_thread(void **state)
{
    (void)state;
    struct fm_processor_span before = fm_processor_span(), other = {1, 1};
    pass(2000000, 3000000);
    struct fm_processor_span after = fm_processor_span();
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, look_from_another_thread, &other), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(other.wall == 0 && other.delay == 0);
    if (after.wall == 0) {
        skip(); /* a kernel without statistics of the scheduler */
    }
    assert_true(after.wall - before.wall >= 5000000);
    assert_true(after.delay >= before.delay);
    assert_true(after.delay - before.delay <= after.wall - before.wall);
}

static bool keep(struct fm_thread *thread, bool full)
{
    (void)thread, (void)full;
    return false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stretch_agrees_with_the_clocks),
        cmocka_unit_test(a_stretch_has_the_counts_of_the_kernel),
        cmocka_unit_test(run_delays_are_known_after_calls_of_any_length),
        cmocka_unit_test(evidence_at_the_end_decides),
        cmocka_unit_test(no_reading_at_the_begin_is_no_measurement),
        cmocka_unit_test(expectations_end),
        cmocka_unit_test(the_run_delay_is_the_second_number),
        cmocka_unit_test(the_whole_run_is_known_to_its_thread),
    };
    fm_clock_start(0, 0);
    fm_clock.counter = false; /* ticks are nanoseconds */
    fm_threads_begin(4 * 1024 * 1024, keep);
    fm_processor_begin(RESOLUTION);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
