/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions that are never left, and what the calls among them wait for. */
#include "builder_fixture.h"

/* States in the innermost call that it waits for a message. */
static void await_message(struct fixture *f, uint32_t source, uint32_t tag)
{
    fm_builder_await(&f->builder, FM_PARAMETER_AWAITED_COMMUNICATOR, 0);
    fm_builder_await(&f->builder, FM_PARAMETER_AWAITED_SOURCE, source);
    fm_builder_await(&f->builder, FM_PARAMETER_AWAITED_TAG, tag);
}

/* Ends the open regions of the process, whose events were read. */
static void end_process(struct fixture *f, uint64_t latest)
{
    fm_trace_end_open_calls(&f->trace, 0, 1, latest);
}

static void test_open_regions_last_to_the_end_of_the_process(void **state)
{
    struct fixture *f = *state;
    struct fm_location *location = &f->locations[0];
    begin(f, 0);
    enter(f, 10, MAIN);
    enter(f, 12, STEP);
    enter(f, 15, WAIT);
    end(f);
    assert_int_equal(location->open.count, 3);
    assert_int_equal(location->open.items[2].activity, 0);
    assert_int_equal(location->last_event, 15);
    assert_true(fm_trace_is_open(location, 0));
    assert_int_equal(f->defects.open_ends, 1);
    assert_int_equal(f->defects.open_calls, 0);
    end_process(f, 40);
    assert_int_equal(location->leave.items[0], 40);
    assert_int_equal(location->end, 40);
    assert_int_equal(location->last_event, 15);
    assert_int_equal(location->phases.items[0].end, 40);
    assert_int_equal(time_in(f, MAIN), 2);
    assert_int_equal(time_in(f, STEP), 3);
    assert_int_equal(time_in(f, WAIT), 25);
    assert_int_equal(fm_trace_last_call(&f->trace, 0), 0);
}

/* A heartbeat is known better than the end of other processes; a location that was left is not
 * longer. */
static void test_heartbeat_decides_how_long(void **state)
{
    struct fixture *f = *state;
    begin(f, 0);
    enter(f, 10, WAIT);
    end(f);
    f->locations[0].lasts_to = 30;
    begin(f, 1);
    enter(f, 10, WAIT);
    leave(f, 20, WAIT);
    end(f);
    f->locations[1].lasts_to = 30;
    assert_int_equal(fm_trace_latest(&f->trace, 0, 1), 30);
    end_process(f, 40);
    assert_int_equal(f->locations[0].leave.items[0], 30);
    assert_int_equal(f->locations[1].leave.items[0], 20);
    assert_int_equal(f->locations[1].end, 20);
    assert_int_equal(fm_trace_last_call(&f->trace, 1), FM_NONE);
}

/* A process that ended by itself did nothing in the functions around its last event; its calls of
 * other threads ended with it. */
static void test_process_that_ended_by_itself(void **state)
{
    struct fixture *f = *state;
    f->process.has_ended = true;
    begin(f, 0);
    enter(f, 10, MAIN);
    enter(f, 20, SOLVE);
    end(f);
    begin(f, 1);
    enter(f, 12, WAIT);
    end(f);
    end_process(f, 40);
    assert_int_equal(f->locations[0].end, 20);
    assert_int_equal(f->locations[1].leave.items[0], 20);
    assert_int_equal(fm_trace_last_call(&f->trace, 1), FM_NONE);
}

static void test_requests_of_an_open_call(void **state)
{
    struct fixture *f = *state;
    const struct fm_location *location = &f->locations[0];
    begin(f, 0);
    const uint32_t exact = irecv(f, 10, 1), any = irecv(f, 12, 2), sent = isend(f, 14, 3);
    enter(f, 20, WAIT);
    await_message(f, 1, 7);
    fm_builder_await_request(&f->builder, 1);
    await_message(f, FM_NONE, 7);
    fm_builder_await_request(&f->builder, 2);
    fm_builder_await_request(&f->builder, 3);
    end(f);
    assert_int_equal(location->open_waits.count, 3);
    const struct fm_open_wait *waits = location->open_waits.items;
    assert_int_equal(waits[0].kind, FM_OPEN_RECEIVE);
    assert_int_equal(waits[0].row, exact);
    assert_int_equal(waits[1].kind, FM_OPEN_RECEIVE);
    assert_int_equal(waits[1].row, any);
    assert_int_equal(waits[1].source, FM_NONE);
    assert_int_equal(waits[2].kind, FM_OPEN_SEND);
    assert_int_equal(waits[2].row, sent);
    /* The one whose message is known takes part in the order of messages; it is not known which
     * message the other one would have got. */
    assert_int_equal(location->receives.items[exact].complete, 3);
    assert_int_equal(location->receives.items[exact].peer, 1);
    assert_int_equal(location->receives.items[exact].tag, 7);
    assert_int_equal(location->receives.items[any].complete, FM_NONE);
    assert_int_equal(location->sends.items[sent].complete, 3);
}

/* Statements of a call that returned do not matter. */
static void test_statements_of_calls_that_returned(void **state)
{
    struct fixture *f = *state;
    begin(f, 0);
    enter(f, 10, WAIT);
    await_message(f, 1, 7);
    leave(f, 20, WAIT);
    fm_builder_await(&f->builder, FM_PARAMETER_AWAITED_TAG, 7); /* outside of calls */
    enter(f, 30, WAIT);
    await_message(f, 1, 8);
    end(f);
    assert_int_equal(f->locations[0].open_waits.count, 1);
    assert_int_equal(f->locations[0].open_waits.items[0].tag, 8);
    assert_int_equal(f->locations[0].open_waits.items[0].activity, 1);
    assert_int_equal(f->defects.unusable_records, 1);
}

/* A group ends with a parameter that is in it already, and an owner begins one. */
static void test_groups_of_statements(void **state)
{
    struct fixture *f = *state;
    begin(f, 0);
    enter(f, 10, WAIT);
    await_message(f, 1, 7);
    await_message(f, 0, 9);
    fm_builder_await(&f->builder, FM_PARAMETER_AWAITED_OMITTED, 5);
    fm_builder_await(&f->builder, FM_PARAMETER_AWAITED_OWNER, 3);
    fm_builder_await(&f->builder, FM_PARAMETER_AWAITED_SINCE, 4);
    fm_builder_await(&f->builder, FM_PARAMETER_AWAITED_TAKEN_IN, 2);
    fm_builder_await(&f->builder, FM_PARAMETER_AWAITED_OWNER, 4);
    end(f);
    const struct fm_open_wait *waits = f->locations[0].open_waits.items;
    assert_int_equal(f->locations[0].open_waits.count, 4);
    assert_int_equal(waits[0].source, 1);
    assert_int_equal(waits[1].source, 0);
    assert_int_equal(waits[1].omitted, 5);
    assert_int_equal(waits[2].owner, 3);
    assert_int_equal(waits[2].taken_in, 2);
    assert_int_equal(waits[3].owner, 4);
    assert_int_equal(waits[3].taken_in, FM_NONE);
}

/* What a location did not record at its end is not known: it waits for nothing. */
static void test_paused_location(void **state)
{
    struct fixture *f = *state;
    begin(f, 0);
    enter(f, 10, WAIT);
    await_message(f, 1, 7);
    fm_builder_time(&f->builder, 12);
    fm_builder_pause(&f->builder);
    end(f);
    end_process(f, 40);
    assert_int_equal(f->locations[0].open_waits.count, 0);
    assert_int_equal(f->locations[0].leave.items[0], 12);
    assert_int_equal(fm_trace_last_call(&f->trace, 0), FM_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        builder_test(open_regions_last_to_the_end_of_the_process),
        builder_test(heartbeat_decides_how_long),
        builder_test(process_that_ended_by_itself),
        builder_test(requests_of_an_open_call),
        builder_test(statements_of_calls_that_returned),
        builder_test(groups_of_statements),
        builder_test(paused_location),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
