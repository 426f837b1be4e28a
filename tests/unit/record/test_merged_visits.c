/* SPDX-License-Identifier: BSD-3-Clause */
/* Visits that are merged: what their records count, and when they are recorded one by one. Times
 * are set by hand: the clock decides nothing. */
#include "record/capture/thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A tick is a nanosecond: a group of one record lasts 16,000,000. */
enum { RESOLUTION = 1000000000, GROUP_TIME = 2 * (RESOLUTION / 125) };
enum { TASK = 7, WAIT = 8, CREATE = 9, CALLED = 301 };

static struct fm_thread *self;
static uint64_t now;

static bool keep(struct fm_thread *thread, bool full)
{
    (void)thread, (void)full;
    return false;
}

static void enter(uint32_t region, uint64_t gap)
{
    static const uint64_t frame[2]; /* all regions are entered by one frame */
    now += gap;
    assert_true(fm_visit_enter(self, fm_visit_key(FM_VISITED_REGION, region), now,
                               (struct fm_here){.frame = frame}));
}

static void leave(uint64_t own)
{
    now += own;
    fm_visit_leave(self, now);
}

/* A region without others in it. */
static void visit(uint32_t region, uint64_t gap, uint64_t own)
{
    enter(region, gap);
    leave(own);
}

/* A call of a library, which is not merged. */
static void call(uint64_t gap, uint64_t own)
{
    struct fm_thread *thread = fm_thread_enter(CALLED);
    assert_non_null(thread);
    now += gap;
    thread->enter = now;
    now += own;
    fm_thread_leave_at(thread, now, 0);
    fm_thread_done(thread);
}

/* The next record of the thread. */
static const uint64_t *at;

static void expect_visits(uint32_t region, uint32_t back, uint64_t begin, uint64_t visits,
                          uint64_t own)
{
    assert_int_equal(fm_record_kind(at[0]), FM_RECORD_VISITS);
    assert_int_equal(fm_record_visits_type(at[0]), FM_VISITED_REGION);
    assert_int_equal(fm_record_ref(at[0]), region);
    assert_int_equal(fm_record_aux(at[0]), back);
    assert_int_equal(at[1], begin);
    assert_int_equal(at[2], visits);
    assert_int_equal(at[3], own);
    at += FM_WORDS_VISITS;
}

/* Of the record before. */
static void expect_extremes(uint64_t shortest, uint64_t longest)
{
    assert_int_equal((uint32_t)(at - 1)[0], shortest);
    assert_int_equal((at - 1)[0] >> 32, longest);
}

static void expect_enter(uint32_t region, uint64_t time)
{
    assert_int_equal(fm_record_kind(at[0]), FM_RECORD_REGION_ENTER);
    assert_int_equal(fm_record_ref(at[0]), region);
    assert_int_equal(at[1], time);
    at += FM_WORDS_REGION_ENTER;
}

static void expect_call(uint64_t enter_time)
{
    assert_int_equal(fm_record_kind(at[0]), FM_RECORD_CALL);
    assert_int_equal(at[1], enter_time);
    at += FM_WORDS_CALL;
}

static void expect_end(void)
{
    assert_ptr_equal(at, self->cursor);
    assert_ptr_equal(self->cursor, self->done); /* all is there if the process dies now */
}

/* Each test begins with an empty buffer and at a round time. */
static int begin(void **state)
{
    (void)state;
    if (self == NULL) {
        fm_threads_begin(8 * FM_CHUNK_BYTES, keep);
        self = fm_thread_attach();
        assert_non_null(self);
        fm_merged_visits_begin(RESOLUTION);
    }
    fm_thread_reuse(self);
    now = now / RESOLUTION * RESOLUTION + RESOLUTION;
    at = self->cursor;
    return 0;
}

static void visits_become_one_record(void **state)
{
    (void)state;
    const uint64_t start = now;
    visit(TASK, 10, 100);
    expect_visits(TASK, 0, start + 10, 1, 100);
    expect_extremes(100, 100);
    expect_end();
    visit(TASK, 5000, 30);
    visit(TASK, 7, 300);
    at = self->first->words;
    expect_visits(TASK, 0, start + 10, 3, 430);
    expect_extremes(30, 300);
    expect_end();
    assert_int_equal(self->visits.count, 0);
}

static void time_inside_belongs_to_the_inner_region(void **state)
{
    (void)state;
    const uint64_t start = now;
    for (int i = 0; i < 10; i++) {
        enter(WAIT, 0);
        visit(TASK, 3, 40);
        visit(TASK, 2, 50);
        leave(5);
    }
    expect_visits(WAIT, 0, start, 10, 10 * (3 + 2 + 5));
    expect_extremes(10, 10);
    expect_visits(TASK, 1, start + 3, 20, 10 * (40 + 50));
    expect_extremes(40, 50);
    expect_end();
}

/* Regions at different places are records of their own; so is a second root. */
static void places_in_the_call_tree_are_told_apart(void **state)
{
    (void)state;
    const uint64_t start = now;
    for (int i = 0; i < 3; i++) {
        visit(CREATE, 0, 4);
        enter(WAIT, 0);
        enter(TASK, 0);
        visit(CREATE, 1, 2);
        leave(10);
        leave(0);
    }
    expect_visits(CREATE, 0, start, 3, 12);
    expect_visits(WAIT, 0, start + 4, 3, 0);
    expect_visits(TASK, 1, start + 4, 3, 33);
    expect_visits(CREATE, 1, start + 5, 3, 6);
    expect_end();
}

/* Recursive tasks: each waits for others and executes them meanwhile. */
static void recursion(int depth)
{
    enter(TASK, 0);
    visit(CREATE, 1, 2);
    if (depth > 0) {
        enter(WAIT, 3);
        recursion(depth - 1);
        recursion(depth - 1);
        leave(4);
    }
    leave(5);
}

static void recursion_needs_few_records(void **state)
{
    (void)state;
    const uint64_t start = now;
    recursion(6);
    const uint64_t tasks = 127, waits = 63;
    expect_visits(TASK, 0, start, tasks, tasks * (1 + 5) + waits * 3);
    expect_visits(CREATE, 1, start + 1, tasks, tasks * 2);
    expect_visits(WAIT, 2, start + 6, waits, waits * 4);
    expect_end();
    assert_int_equal(now - start, tasks * 8 + waits * 7); /* all time is in a record */
}

static void a_call_is_recorded_in_the_regions_around_it(void **state)
{
    (void)state;
    const uint64_t start = now;
    enter(WAIT, 0);
    enter(TASK, 10);
    call(5, 20);
    expect_enter(WAIT, start); /* as if nothing had been merged */
    expect_enter(TASK, start + 10);
    expect_call(start + 15);
    expect_end();
    assert_int_equal(self->visits.count, 0);
}

/* What has been merged in a region is not recorded once more. */
static void a_region_that_contains_merged_ones_is_split(void **state)
{
    (void)state;
    const uint64_t start = now;
    enter(WAIT, 0);
    visit(TASK, 7, 40);
    enter(TASK, 3);
    call(5, 20);
    expect_visits(WAIT, 0, start, 0, 10);
    expect_visits(TASK, 1, start + 7, 1, 40);
    expect_enter(WAIT, start + 50);
    expect_enter(TASK, start + 50);
    expect_call(start + 55);
    expect_end();
}

static void a_group_ends_after_some_time(void **state)
{
    (void)state;
    const uint64_t start = now;
    uint64_t visits = 0;
    while (now - start < GROUP_TIME - 1000000) {
        visit(TASK, 400000, 600000);
        visits++;
    }
    expect_visits(TASK, 0, start + 400000, visits, visits * 600000);
    expect_end();
    now = start + GROUP_TIME + 1400000;
    const uint64_t next = now;
    visit(TASK, 0, 5);
    expect_visits(TASK, 0, next, 1, 5);
    expect_end();
}

/* The part of a visit behind the end of a group is in the next one, in which it counts. */
static void a_long_visit_is_in_several_groups(void **state)
{
    (void)state;
    const uint64_t start = now;
    enter(WAIT, 0);
    visit(TASK, 10, 10);
    visit(TASK, 3 * (uint64_t)GROUP_TIME, 10);
    leave(1);
    expect_visits(WAIT, 0, start, 0, 10);
    expect_visits(TASK, 1, start + 10, 1, 10);
    expect_visits(WAIT, 0, start + 20, 1, 3 * (uint64_t)GROUP_TIME + 1);
    expect_extremes(3 * (uint64_t)GROUP_TIME + 11, 3 * (uint64_t)GROUP_TIME + 11);
    expect_visits(TASK, 1, start + 20 + 3 * (uint64_t)GROUP_TIME, 1, 10);
    expect_end();
}

static void a_reader_ends_the_group(void **state)
{
    (void)state;
    const uint64_t start = now;
    visit(TASK, 0, 10);
    fm_thread_settle(self, true);
    visit(TASK, 0, 20);
    expect_visits(TASK, 0, start, 1, 10);
    expect_visits(TASK, 0, start + 10, 1, 20);
    expect_end();
}

static void a_block_is_told_with_its_lock(void **state)
{
    (void)state;
    const uint64_t start = now;
    enter(WAIT, 0);
    self->visits.taken = fm_record_header(FM_RECORD_LOCK_TAKEN, 1, 77);
    self->visits.order = 5;
    enter(TASK, 10);
    fm_merged_visits_tell(self, NULL);
    expect_enter(WAIT, start);
    assert_int_equal(fm_record_kind(at[0]), FM_RECORD_LOCK_TAKEN);
    assert_int_equal(fm_record_ref(at[0]), 77);
    assert_int_equal(at[1], start + 10);
    assert_int_equal(at[2], 5);
    at += FM_WORDS_LOCK_TAKEN;
    expect_enter(TASK, start + 10);
    expect_end();
}

static void a_dropped_visit_is_time_of_what_is_around_it(void **state)
{
    (void)state;
    const uint64_t start = now;
    enter(WAIT, 0);
    enter(TASK, 10);
    now += 5;
    assert_true(fm_visit_drop(self, now));
    visit(CREATE, 1, 2);
    enter(TASK, 3);
    visit(CREATE, 4, 5);
    assert_false(fm_visit_drop(self, now)); /* others are in it */
    leave(0);
    leave(6);
    expect_visits(WAIT, 0, start, 1, 10 + 5 + 1 + 3 + 6);
    expect_visits(CREATE, 1, start + 16, 1, 2);
    expect_visits(TASK, 2, start + 21, 1, 4);
    expect_visits(CREATE, 1, start + 25, 1, 5);
    expect_end();
}

/* Sums over all records: no visit and no tick is lost, whatever happens in between. */
static void nothing_is_lost(void **state)
{
    (void)state;
    enum { TURNS = 200000, REGIONS = 40 };
    uint64_t entered = 0, told = 0, outside = 0, depth = 0, in_calls = 0;
    const uint64_t start = now;
    unsigned random = 1;
    for (int i = 0; i < TURNS || depth > 0; i++) {
        random = random * 1103515245 + 12345;
        const unsigned choice = random >> 16 & 63, ticks = random >> 24;
        outside += depth == 0 ? ticks : 0;
        if (choice == 0) {
            told += depth; /* they have Enters of their own now */
            call(ticks, 3);
            in_calls += 3;
            depth = 0;
        } else if (choice == 1) {
            fm_thread_settle(self, true);
            now += ticks;
        } else if (choice == 2) {
            fm_thread_flush(self);
            now += ticks;
        } else if (depth == 0 || (choice < 32 && depth < 20 && i < TURNS)) {
            enter(TASK + choice % REGIONS, ticks);
            entered++;
            depth++;
        } else {
            leave(ticks);
            depth--;
        }
    }
    uint64_t visits = 0, own = 0, enters = 0;
    self->current->used = self->cursor;
    for (const struct fm_chunk *chunk = self->first; chunk != NULL; chunk = chunk->next) {
        for (const uint64_t *r = chunk->words; r < chunk->used;
             r += fm_record_words[fm_record_kind(r[0])]) {
            if (fm_record_kind(r[0]) == FM_RECORD_VISITS) {
                visits += r[2];
                own += r[3];
            }
            enters += fm_record_kind(r[0]) == FM_RECORD_REGION_ENTER;
        }
    }
    assert_int_equal(enters, told);
    assert_int_equal(visits + told, entered);
    assert_true(own <= now - start - outside - in_calls);
}

/* ---- the budget ---- */

static const uint32_t threads = 2;

static struct fm_event_budget budget_of(double share)
{
    return (struct fm_event_budget){.share = share,
                                    .event = RESOLUTION / FM_BUDGET_EVENTS,
                                    .room = RESOLUTION / 1000 * FM_BUDGET_ROOM,
                                    .threads = &threads};
}

/* Sections of `ticks` each, `gap` ticks apart, for some time. @return when they are merged first,
 * or are merged no more; 0: neither */
static uint64_t spend(const struct fm_event_budget *budget, struct fm_event_bucket *bucket,
                      uint64_t gap, uint64_t ticks, uint64_t duration, bool *merges)
{
    enum { SECTIONS = 64 };
    const uint64_t start = now;
    uint64_t changed = 0;
    while (now - start < duration) {
        now += SECTIONS * gap;
        const bool before = *merges;
        *merges = fm_event_budget_take(budget, bucket, now, SECTIONS, ticks, before);
        if (*merges != before && changed == 0) {
            changed = now - start;
        }
    }
    return changed;
}

static void few_events_are_not_merged(void **state)
{
    (void)state;
    const struct fm_event_budget budget = budget_of(0.05);
    struct fm_event_bucket bucket = {0};
    bool merges = false;
    /* 200 ns each 5 us are 4 % */
    assert_int_equal(spend(&budget, &bucket, 5000, 200, 10 * (uint64_t)RESOLUTION, &merges), 0);
    assert_false(merges);
}

static void events_that_take_more_than_their_share_are_merged(void **state)
{
    (void)state;
    const struct fm_event_budget budget = budget_of(0.05);
    struct fm_event_bucket bucket = {0};
    bool merges = false;
    /* 10 % of the time: the bucket is empty as soon as it is as much as two of it give */
    const uint64_t begun = spend(&budget, &bucket, 5000, 500, 10 * (uint64_t)RESOLUTION, &merges);
    assert_true(merges);
    assert_in_range(begun, 390000000, 410000000);
    /* 4 %: what they would cost, not what they cost merged */
    assert_int_equal(spend(&budget, &bucket, 5000, 20, 10 * (uint64_t)RESOLUTION, &merges), 0);
    assert_true(merges);
    /* a tenth of the rate */
    const uint64_t ended = spend(&budget, &bucket, 50000, 20, 10 * (uint64_t)RESOLUTION, &merges);
    assert_false(merges);
    assert_in_range(ended, 600000000, 1000000000);
}

static void too_many_cheap_events_are_merged(void **state)
{
    (void)state;
    const struct fm_event_budget budget = budget_of(1);
    struct fm_event_bucket bucket = {0};
    bool merges = false;
    /* two threads: each may have 500,000 events in a second, a section has 1.5 */
    assert_int_equal(spend(&budget, &bucket, 3100, 10, 10 * (uint64_t)RESOLUTION, &merges), 0);
    assert_true(spend(&budget, &bucket, 2500, 10, 10 * (uint64_t)RESOLUTION, &merges) != 0);
    assert_true(merges);
}

static void without_a_budget_nothing_is_merged(void **state)
{
    (void)state;
    const struct fm_event_budget budget = budget_of(0);
    struct fm_event_bucket bucket = {0};
    bool merges = false;
    assert_int_equal(spend(&budget, &bucket, 10, 10, RESOLUTION, &merges), 0);
}

static void budgets_are_read(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",   "5",   "0%",   "-1%",  "101%", "5%%",   "%",
                                        ".%", "5 %", "1e1%", "inf%", "on",   "1.2.3%"};
    double share = -1;
    assert_true(fm_event_budget_read("5%", &share) && share > 0.0499 && share < 0.0501);
    assert_true(fm_event_budget_read("0.001%", &share) && share > 0.99e-5 && share < 1.01e-5);
    assert_true(fm_event_budget_read("100%", &share) && share > 0.999);
    assert_true(fm_event_budget_read("off", &share) && share < 1e-9);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_false(fm_event_budget_read(wrong[i], &share));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(visits_become_one_record, begin),
        cmocka_unit_test_setup(time_inside_belongs_to_the_inner_region, begin),
        cmocka_unit_test_setup(places_in_the_call_tree_are_told_apart, begin),
        cmocka_unit_test_setup(recursion_needs_few_records, begin),
        cmocka_unit_test_setup(a_call_is_recorded_in_the_regions_around_it, begin),
        cmocka_unit_test_setup(a_region_that_contains_merged_ones_is_split, begin),
        cmocka_unit_test_setup(a_group_ends_after_some_time, begin),
        cmocka_unit_test_setup(a_long_visit_is_in_several_groups, begin),
        cmocka_unit_test_setup(a_reader_ends_the_group, begin),
        cmocka_unit_test_setup(a_block_is_told_with_its_lock, begin),
        cmocka_unit_test_setup(a_dropped_visit_is_time_of_what_is_around_it, begin),
        cmocka_unit_test_setup(nothing_is_lost, begin),
        cmocka_unit_test(few_events_are_not_merged),
        cmocka_unit_test(events_that_take_more_than_their_share_are_merged),
        cmocka_unit_test(too_many_cheap_events_are_merged),
        cmocka_unit_test(without_a_budget_nothing_is_merged),
        cmocka_unit_test(budgets_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
