/* SPDX-License-Identifier: BSD-3-Clause */
/* Events in odd orders: the tables stay consistent, and what was odd is counted. Times of calls. */
#include "builder_fixture.h"

static void test_times_of_nested_calls(void **state)
{
    struct fixture *f = *state;
    begin(f, 0);
    enter(f, 10, MAIN);
    enter(f, 13, SOLVE);
    enter(f, 14, WAIT);
    leave(f, 17, WAIT);
    leave(f, 19, SOLVE);
    enter(f, 20, WAIT);
    leave(f, 24, WAIT);
    leave(f, 30, MAIN);
    end(f);
    assert_true(time_in(f, MAIN) == 10);
    assert_true(time_in(f, SOLVE) == 3);
    assert_true(time_in(f, WAIT) == 7);
    assert_int_equal(f->locations[0].enter.count, 2); /* communication calls only */
    assert_true(f->locations[0].enter.items[1] == 20 && f->locations[0].leave.items[1] == 24);
    assert_true(f->locations[0].begin == 10 && f->locations[0].end == 30);
    assert_int_equal(f->locations[0].event_count, 8);
    assert_int_equal(f->locations[0].open.count, 0);
}

static void test_leave_without_enter(void **state)
{
    struct fixture *f = *state;
    begin(f, 0);
    leave(f, 1, MAIN);
    enter(f, 2, MAIN);
    leave(f, 3, SOLVE);
    leave(f, 5, MAIN);
    leave(f, 6, MAIN);
    end(f);
    assert_int_equal(f->defects.unmatched_leaves, 3);
    assert_int_equal(f->defects.open_calls, 0);
    assert_true(time_in(f, MAIN) == 3);
}

static void test_leave_of_an_outer_call_closes_the_inner_ones(void **state)
{
    struct fixture *f = *state;
    begin(f, 0);
    enter(f, 0, MAIN);
    enter(f, 1, SOLVE);
    enter(f, 2, WAIT);
    leave(f, 6, MAIN);
    end(f);
    assert_int_equal(f->defects.open_calls, 2);
    assert_true(f->locations[0].leave.items[0] == 6);
    assert_true(time_in(f, MAIN) == 1 && time_in(f, SOLVE) == 1 && time_in(f, WAIT) == 4);
}

static void test_calls_that_never_return(void **state)
{
    struct fixture *f = *state;
    begin(f, 0);
    enter(f, 0, MAIN);
    enter(f, 1, WAIT);
    leave(f, 2, WAIT);
    enter(f, 3, WAIT);
    fm_builder_time(&f->builder, 9);
    end(f);
    assert_int_equal(f->defects.open_ends, 1);
    assert_int_equal(f->locations[0].open.count, 2);
    assert_int_equal(f->locations[0].open.items[1].activity, 1);
    assert_true(fm_trace_is_open(&f->locations[0], 1) && !fm_trace_is_open(&f->locations[0], 0));
    assert_true(f->locations[0].leave.items[1] == 9);
    assert_true(time_in(f, MAIN) + time_in(f, WAIT) == 9);
}

static void test_times_that_run_backwards(void **state)
{
    struct fixture *f = *state;
    begin(f, 0);
    enter(f, 100, MAIN);
    enter(f, 50, WAIT);
    leave(f, 90, WAIT);
    enter(f, 120, WAIT);
    leave(f, 110, WAIT);
    leave(f, 130, MAIN);
    end(f);
    assert_int_equal(f->defects.unordered_times, 3);
    for (uint32_t i = 0; i < 2; ++i) {
        assert_true(f->locations[0].leave.items[i] >= f->locations[0].enter.items[i]);
    }
    assert_true(time_in(f, MAIN) == 30 && time_in(f, WAIT) == 0);
    assert_true(f->locations[0].begin == 100 && f->locations[0].end == 130);
}

static void test_regions_that_are_not_defined(void **state)
{
    struct fixture *f = *state;
    begin(f, 0);
    enter(f, 0, MAIN);
    enter(f, 1, FM_NONE);
    leave(f, 2, FM_NONE); /* of whatever was entered last */
    end(f);
    assert_int_equal(f->defects.unusable_records, 1);
    assert_true(time_in(f, MAIN) == 2);
}

static void test_records_outside_of_calls(void **state)
{
    struct fixture *f = *state;
    const uint64_t request = 1;
    begin(f, 0);
    fm_builder_time(&f->builder, 0);
    fm_builder_send(&f->builder, 0, 1, 0, 8, NULL);
    enter(f, 1, MAIN);
    fm_builder_receive(&f->builder, 0, 1, 0, 8, NULL);
    fm_builder_receive_request(&f->builder, request);
    fm_builder_send_complete(&f->builder, request);
    fm_builder_collective(&f->builder, 0, 0, 0, 1, 1, NULL);
    fm_builder_collective_request(&f->builder, request);
    fm_builder_rma(&f->builder, FM_RMA_PUT, 0, 1, false, 1, 8, 0);
    fm_builder_communicator_created(&f->builder, 0);
    leave(f, 2, MAIN);
    end(f);
    fm_builder_end_process(&f->builder);
    assert_int_equal(f->locations[0].sends.count, 0);
    assert_int_equal(f->locations[0].receives.count, 0);
    assert_int_equal(f->locations[0].collectives.count, 0);
    assert_int_equal(f->locations[0].rma.count, 0);
    assert_true(f->defects.unusable_records >= 7);
}

/* Computation before, behind and in calls inside of a phase counts as it should; a phase in a phase
 * is part of both; one that is left open ends with the location. */
static void test_phases_hold_their_computation(void **state)
{
    struct fixture *f = *state;
    begin(f, 0);
    enter(f, 10, MAIN);
    enter(f, 12, STEP);
    enter(f, 13, WAIT);
    leave(f, 17, WAIT);
    enter(f, 18, SOLVE);
    enter(f, 20, STEP);
    leave(f, 23, STEP);
    fm_builder_time(&f->builder, 24);
    fm_builder_flush(&f->builder, 26);
    leave(f, 27, SOLVE);
    leave(f, 30, STEP);
    leave(f, 33, MAIN);
    enter(f, 40, STEP);
    fm_builder_time(&f->builder, 41);
    end(f);
    assert_int_equal(f->locations[0].phases.count, 3);
    const struct fm_phase *phases = f->locations[0].phases.items;
    /* 18 ticks but 4 of waiting and 2 of the recorder's work */
    assert_true(phases[0].begin == 12 && phases[0].end == 30 && phases[0].computation == 12);
    assert_true(phases[1].begin == 20 && phases[1].end == 23 && phases[1].computation == 3);
    assert_true(phases[2].begin == 40 && phases[2].end == 41 && phases[2].computation == 1);
    assert_int_equal(f->locations[0].profile.items[phases[1].visit].region, STEP);
    begin(f, 1);
    enter(f, 0, STEP);
    leave(f, 1, STEP);
    end(f);
    assert_int_equal(f->locations[1].phases.count, 1);
    assert_true(f->locations[1].phases.items[0].computation == 1);
}

static void test_recorder_work_is_overhead(void **state)
{
    struct fixture *f = *state;
    begin(f, 0);
    enter(f, 0, MAIN);
    fm_builder_time(&f->builder, 3);
    fm_builder_flush(&f->builder, 8);
    fm_builder_flush(&f->builder, 2); /* ends before it begins: nothing */
    leave(f, 10, MAIN);
    end(f);
    assert_true(f->locations[0].profile.items[0].overhead == 5);
    assert_true(time_in(f, MAIN) == 5);
}

static void processor_time(struct fixture *f, fm_processor_time_t which, double nanoseconds)
{
    fm_builder_counter(&f->builder, FM_COUNTER_OF_PROCESSOR_TIME + which, nanoseconds);
}

/* A stretch from 1030 to 1100: 10 ticks in main, 40 in solve, 20 in main. */
static void test_processor_times_are_spread_over_the_stretch(void **state)
{
    struct fixture *f = *state;
    f->trace.ticks_per_second = 500000000; /* a tick is 2 ns */
    begin(f, 0);
    enter(f, 1000, MAIN);
    enter(f, 1010, SEND);
    leave(f, 1030, SEND);
    enter(f, 1040, SOLVE);
    leave(f, 1080, SOLVE);
    fm_builder_time(&f->builder, 1100);
    processor_time(f, FM_MEASURED_TIME, 140);
    processor_time(f, FM_STOLEN_TIME, 66);
    processor_time(f, FM_DELAY_MEASURED_TIME, 140);
    processor_time(f, FM_RUN_DELAY, 1e6); /* no more than the stretch */
    processor_time(f, FM_KERNEL_TIME, 28);
    processor_time(f, FM_PAGE_FAULTS, 700); /* numbers may exceed the ticks of the stretch */
    processor_time(f, FM_PREEMPTIONS, 1);
    processor_time(f, FM_READING_TIME, 12); /* belongs to the next call */
    enter(f, 1100, SEND);
    leave(f, 1110, SEND);
    fm_builder_time(&f->builder, 1120);
    processor_time(f, FM_MEASURED_TIME, 1e9); /* no more than the location */
    leave(f, 1120, MAIN);
    end(f);
    static const uint64_t expected[][FM_STRETCH_TIME_COUNT] = {
        {30 + 80, 14, 30, 30, 6, 300, 0, 0, 0}, {0}, {40 + 40, 19, 40, 40, 8, 400, 0, 1, 0}};
    for (uint32_t visit = 0; visit < 3; visit++) {
        const struct fm_visit_profile *profile = &f->locations[0].profile.items[visit];
        for (int i = 0; i < FM_STRETCH_TIME_COUNT; i++) {
            assert_int_equal(profile->processor_times[i], expected[visit][i]);
        }
    }
    assert_int_equal(f->locations[0].readings.count, 1);
    assert_int_equal(f->locations[0].readings.items[0].activity, f->locations[0].enter.count - 1);
    assert_int_equal(f->locations[0].readings.items[0].ticks, 6); /* of 12 ns */
}

/* Of four stretches without a processor: unknown why; run delay unknown of none, smaller, 0,
 * larger. */
static void test_time_without_processor_has_reasons(void **state)
{
    struct fixture *f = *state;
    static const struct {
        double stolen, delay; /* delay -1: unknown */
        uint64_t blocked, unresolved;
    } stretches[] = {
        {30, -1, 0, 30}, {30, 10, 20, 0}, {30, 0, 30, 0}, {30, 35, 0, 0}, {0, 5, 0, 0}};
    f->trace.ticks_per_second = 1000000000;
    begin(f, 0);
    enter(f, 1000, MAIN);
    uint64_t blocked = 0, unresolved = 0, time = 1000;
    for (size_t i = 0; i < sizeof stretches / sizeof stretches[0]; i++) {
        time += 100;
        fm_builder_time(&f->builder, time);
        processor_time(f, FM_MEASURED_TIME, 90);
        processor_time(f, FM_STOLEN_TIME, stretches[i].stolen);
        if (stretches[i].delay >= 0) {
            processor_time(f, FM_DELAY_MEASURED_TIME, 90);
            processor_time(f, FM_RUN_DELAY, stretches[i].delay);
        }
        enter(f, time, SEND);
        leave(f, time + 1, SEND);
        blocked += stretches[i].blocked;
        unresolved += stretches[i].unresolved;
    }
    leave(f, time + 10, MAIN);
    end(f);
    const struct fm_visit_profile *profile = &f->locations[0].profile.items[0];
    assert_int_equal(profile->processor_times[FM_STOLEN_TIME], 120);
    assert_int_equal(profile->processor_times[FM_BLOCKED_TIME], blocked);
    assert_int_equal(profile->processor_times[FM_UNRESOLVED_TIME], unresolved);
}

static void expect_growth(const struct fm_location *location, size_t row, uint32_t visit,
                          uint32_t counter, double amount)
{
    const struct fm_counter_growth *growth = &location->growth.items[row];
    assert_int_equal(growth->visit, visit);
    assert_int_equal(growth->counter, counter);
    assert_true(growth->amount >= amount && growth->amount <= amount);
}

/* Totals in the code, increments, a total apart from the code, a level. */
static void test_growth_belongs_to_the_call_path_of_its_value(void **state)
{
    struct fixture *f = *state;
    enum { TOTAL, ADDED, APART, GAUGE, COUNTERS };
    struct fm_counter counters[COUNTERS] = {
        [TOTAL] = {.is_total = true, .scale = 10},
        [ADDED] = {.is_total = true, .is_relative = true, .scale = 1},
        [APART] = {.is_total = true, .is_apart = true, .scale = 1},
        [GAUGE] = {.scale = 1}};
    f->trace.counters = counters;
    f->trace.counter_count = COUNTERS;
    begin(f, 0);
    fm_builder_counter(&f->builder, TOTAL, 1); /* outside of all calls: grows in the next one */
    enter(f, 0, MAIN);
    enter(f, 10, SOLVE);
    fm_builder_counter(&f->builder, TOTAL, 5);
    fm_builder_counter(&f->builder, ADDED, 2);
    fm_builder_counter(&f->builder, ADDED, 3);
    fm_builder_counter(&f->builder, APART, 7);
    fm_builder_counter(&f->builder, GAUGE, 7);
    leave(f, 20, SOLVE);
    fm_builder_counter(&f->builder, TOTAL, 4); /* it was reset */
    fm_builder_counter(&f->builder, TOTAL, 6);
    leave(f, 30, MAIN);
    end(f);
    const struct fm_location *location = &f->locations[0];
    assert_int_equal(location->growth.count, 4);
    expect_growth(location, 0, 1, TOTAL, 50);
    expect_growth(location, 1, 1, ADDED, 5);
    expect_growth(location, 2, 0, APART, 7);
    expect_growth(location, 3, 0, TOTAL, 20);
    /* Each location begins at 0. */
    begin(f, 1);
    enter(f, 0, MAIN);
    fm_builder_counter(&f->builder, TOTAL, 2);
    leave(f, 30, MAIN);
    end(f);
    expect_growth(&f->locations[1], 0, 0, TOTAL, 20);
    f->trace.counters = NULL;
    f->trace.counter_count = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        builder_test(times_of_nested_calls),
        builder_test(leave_without_enter),
        builder_test(leave_of_an_outer_call_closes_the_inner_ones),
        builder_test(calls_that_never_return),
        builder_test(times_that_run_backwards),
        builder_test(regions_that_are_not_defined),
        builder_test(records_outside_of_calls),
        builder_test(phases_hold_their_computation),
        builder_test(recorder_work_is_overhead),
        builder_test(processor_times_are_spread_over_the_stretch),
        builder_test(time_without_processor_has_reasons),
        builder_test(growth_belongs_to_the_call_path_of_its_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
