/* SPDX-License-Identifier: BSD-3-Clause */
/* What the recorder's own work takes: estimates from the sections that are measured. The clock is
 * played: each reading takes some ticks. */
#include "record/brief/meter.h"

#include "record/capture/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define CALLS FM_METER_CALLS
#define TASKS FM_METER_TASKS

enum { READING = 7 /* ticks */ };

struct fm_clock fm_clock;

static uint64_t now;

uint64_t fm_clock_nanoseconds(void)
{
    return now += READING;
}

/* A section in which `ticks` pass. */
static void section(struct fm_meters *meters, enum fm_meter_kind kind, uint64_t ticks)
{
    fm_meter_begin(meters, kind);
    now += ticks;
    fm_meter_end(meters);
}

static struct fm_meter_reading read_meter(const struct fm_meters *meters, enum fm_meter_kind kind)
{
    return fm_meter_read(meters, kind, fm_meter_bias());
}

static void nothing_was_measured(void **state)
{
    (void)state;
    const struct fm_meters meters = {0};
    assert_int_equal(read_meter(&meters, CALLS).sections, 0);
    assert_int_equal(read_meter(&meters, CALLS).spent, 0);
}

static void measuring_is_no_work(void **state)
{
    (void)state;
    const struct fm_meter_bias bias = fm_meter_bias();
    assert_true(bias.own > READING - 0.01 && bias.own < READING + 0.01);
    assert_true(bias.noted < 0.01);
}

static void few_sections_are_all_measured(void **state)
{
    (void)state;
    struct fm_meters meters = {0};
    for (uint64_t i = 1; i <= 10; i++) {
        section(&meters, CALLS, 1000 * i);
    }
    const struct fm_meter_reading reading = read_meter(&meters, CALLS);
    assert_int_equal(reading.sections, 10);
    assert_in_range(reading.spent, 55000 - 10, 55000 + 10);
}

/* A pattern of a cheap and an expensive section: a constant even interval would see one of them. */
static void patterns_are_measured_as_a_whole(void **state)
{
    (void)state;
    enum { TURNS = 500000 };
    struct fm_meters meters = {0};
    for (int i = 0; i < TURNS; i++) {
        section(&meters, TASKS, 20);
        section(&meters, TASKS, 380);
        section(&meters, CALLS, 50);
    }
    const struct fm_meter_reading tasks = read_meter(&meters, TASKS);
    assert_int_equal(tasks.sections, 2 * TURNS);
    assert_in_range(tasks.spent, 97 * 4 * TURNS, 103 * 4 * TURNS);
    const struct fm_meter_reading calls = read_meter(&meters, CALLS);
    assert_int_equal(calls.sections, TURNS);
    assert_in_range(calls.spent, 99 * TURNS / 2, 101 * TURNS / 2);
}

/* A section that begins with a reading of the recorder: this reading belongs to it. */
static void a_section_begins_with_a_reading_of_the_recorder(void **state)
{
    (void)state;
    enum { TURNS = 100000 };
    struct fm_meters meters = {0};
    for (int i = 0; i < TURNS; i++) {
        const uint64_t begin = fm_clock_now();
        now += 40;
        fm_meter_count(&meters, CALLS, begin);
    }
    const struct fm_meter_reading reading = read_meter(&meters, CALLS);
    assert_int_equal(reading.sections, TURNS);
    assert_in_range(reading.spent, (40 + READING - 1) * TURNS, (40 + READING + 1) * TURNS);
}

static void an_interrupted_section_stands_for_itself(void **state)
{
    (void)state;
    enum { TURNS = 1000 };
    struct fm_meters meters = {0};
    for (int i = 0; i < TURNS; i++) {
        section(&meters, CALLS, 100);
    }
    meters.left[CALLS] = 0; /* the next one is measured */
    section(&meters, CALLS, 10000000);
    assert_in_range(read_meter(&meters, CALLS).spent, 10000000, 10000000 + 110 * TURNS);
}

static void work_that_is_measured_otherwise_does_not_count(void **state)
{
    (void)state;
    struct fm_meters meters = {0};
    fm_meter_begin(&meters, CALLS);
    now += 5000;
    fm_meter_exclude(&meters, 4000);
    fm_meter_end(&meters);
    assert_in_range(read_meter(&meters, CALLS).spent, 999, 1001);
    section(&meters, CALLS, 1000);
    assert_in_range(read_meter(&meters, CALLS).spent, 1998, 2002);
}

/* An instrumented function of the program is called while a call is recorded. */
static void a_section_in_another_one_belongs_to_it(void **state)
{
    (void)state;
    struct fm_meters meters = {0};
    fm_meter_begin(&meters, CALLS);
    now += 100;
    fm_meter_begin(&meters, TASKS);
    now += 100;
    fm_meter_end(&meters);
    fm_meter_end(&meters);
    assert_in_range(read_meter(&meters, CALLS).spent, 199, 201);
    assert_int_equal(read_meter(&meters, TASKS).spent, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_was_measured),
        cmocka_unit_test(measuring_is_no_work),
        cmocka_unit_test(few_sections_are_all_measured),
        cmocka_unit_test(patterns_are_measured_as_a_whole),
        cmocka_unit_test(a_section_begins_with_a_reading_of_the_recorder),
        cmocka_unit_test(an_interrupted_section_stands_for_itself),
        cmocka_unit_test(work_that_is_measured_otherwise_does_not_count),
        cmocka_unit_test(a_section_in_another_one_belongs_to_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
