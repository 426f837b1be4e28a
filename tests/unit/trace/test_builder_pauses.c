/* SPDX-License-Identifier: BSD-3-Clause */
/* Pauses of the recording: their time, and what begins or ends in them. */
#include "builder_fixture.h"

static void at(struct fixture *f, uint64_t time)
{
    fm_builder_time(&f->builder, time);
}

/* The time of a pause belongs to nobody; regions may be left and entered at its end. */
static void test_pauses(void **state)
{
    struct fixture *f = *state;
    struct fm_location *location = &f->locations[0];
    begin(f, 0);
    enter(f, 0, MAIN);
    enter(f, 2, SOLVE);
    at(f, 5);
    fm_builder_pause(&f->builder);
    fm_builder_unrecorded(&f->builder, FM_SERIES_SENDS, 3, 1, 7, 40);
    fm_builder_unrecorded(&f->builder, FM_SERIES_COLLECTIVES, FM_NONE, 0, 0, 1); /* on what? */
    at(f, 9);
    fm_builder_pause(&f->builder); /* again: nothing new */
    at(f, 25);
    fm_builder_resume(&f->builder);
    leave(f, 25, SOLVE);
    enter(f, 27, SOLVE);
    leave(f, 30, SOLVE);
    at(f, 32);
    fm_builder_resume(&f->builder); /* it is on already */
    leave(f, 40, MAIN);
    end(f);
    assert_true(time_in(f, SOLVE) == 6);
    assert_true(time_in(f, MAIN) == 14);
    assert_true(location->pauses.count == 1 && location->paused == 20);
    assert_true(location->pauses.items[0].begin == 5 && location->pauses.items[0].end == 25);
    assert_int_equal(location->unrecorded.count, 1);
    const struct fm_unrecorded *gap = &location->unrecorded.items[0];
    assert_true(gap->time == 5 && gap->count == 40 && gap->reference == 3 && gap->peer == 1 &&
                gap->tag == 7 && gap->series == FM_SERIES_SENDS);
    assert_int_equal(f->defects.unusable_records, 1);
    uint32_t solving = location->state_visit.items[1];
    static const uint64_t since[] = {0, 2, 5, 25};
    for (size_t i = 0; i < 4; ++i) {
        assert_true(location->state_since.items[i] == since[i]);
    }
    assert_int_equal(location->state_visit.items[2], FM_NONE);
    assert_int_equal(location->state_visit.items[3], solving);
}

/* Some recorders write calls in pauses, too, or pause inside of calls, or end in a pause. */
static void test_pauses_of_other_recorders(void **state)
{
    struct fixture *f = *state;
    struct fm_location *location = &f->locations[0];
    begin(f, 0);
    enter(f, 0, MAIN);
    enter(f, 1, WAIT);
    at(f, 3);
    fm_builder_pause(&f->builder);
    leave(f, 7, WAIT);
    enter(f, 10, SOLVE);
    leave(f, 12, SOLVE);
    at(f, 15);
    fm_builder_resume(&f->builder);
    at(f, 20);
    fm_builder_pause(&f->builder);
    leave(f, 30, MAIN);
    end(f);
    assert_true(time_in(f, WAIT) == 2);
    assert_true(time_in(f, SOLVE) == 0);
    assert_true(time_in(f, MAIN) == 6);
    assert_true(location->pauses.count == 2 && location->paused == 22);
    assert_true(location->pauses.items[0].begin == 3 && location->pauses.items[0].end == 15);
    assert_true(location->pauses.items[1].begin == 20 &&
                location->pauses.items[1].end == UINT64_MAX);
    assert_int_equal(location->state_visit.items[location->state_visit.count - 1], FM_NONE);
}

static void test_sends_that_are_completed_in_a_pause(void **state)
{
    struct fixture *f = *state;
    begin(f, 0);
    uint32_t sent = isend(f, 0, 1);
    at(f, 5);
    fm_builder_pause(&f->builder);
    at(f, 8);
    fm_builder_resume(&f->builder);
    end(f);
    fm_builder_end_process(&f->builder);
    assert_int_equal(f->locations[0].sends.items[sent].complete, FM_UNRECORDED);
    assert_int_equal(f->defects.unrecorded_completions, 1);
}

/* They have their place among those that were not recorded. */
static void test_operations_that_begin_in_a_pause(void **state)
{
    struct fixture *f = *state;
    const struct fm_location *location = &f->locations[0];
    begin(f, 0);
    at(f, 5);
    fm_builder_pause(&f->builder);
    at(f, 8);
    fm_builder_unrecorded(&f->builder, FM_SERIES_SENDS, 0, 1, 7, 4);
    fm_builder_resume(&f->builder);
    uint32_t posted = irecv(f, 9, 3);
    wait_receive(f, 12, 2, 5);
    wait_receive(f, 22, 3, 5);
    end(f);
    fm_builder_end_process(&f->builder);
    assert_int_equal(location->receives.count, 1);
    assert_int_equal(posted, 0);
    assert_int_equal(location->unrecorded.count, 2);
    const struct fm_unrecorded *gap = &location->unrecorded.items[0]; /* in the order of time */
    assert_true(gap->time == 5 && gap->count == 1 && gap->peer == 5 &&
                gap->series == FM_SERIES_RECEIVES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        builder_test(pauses),
        builder_test(pauses_of_other_recorders),
        builder_test(sends_that_are_completed_in_a_pause),
        builder_test(operations_that_begin_in_a_pause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
