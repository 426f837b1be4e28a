/* Events in odd orders: the tables stay consistent, and what was odd is counted. */
#include "check.h"

#include "trace/builder/builder.h"

enum { MAIN, SEND, WAIT, RECEIVE, SOLVE, STEP, LEVEL, SIZE, REGIONS };

static struct fm_region regions[REGIONS] = {
    {"main", NULL, 0, FM_PARADIGM_USER, FM_CALL_USER, false, true, FM_PARAMETER_NONE},
    {"MPI_Isend", NULL, 0, FM_PARADIGM_MPI, FM_CALL_OTHER, false, false, FM_PARAMETER_NONE},
    {"MPI_Wait", NULL, 0, FM_PARADIGM_MPI, FM_CALL_OTHER, false, false, FM_PARAMETER_NONE},
    {"MPI_Irecv", NULL, 0, FM_PARADIGM_MPI, FM_CALL_OTHER, false, false, FM_PARAMETER_NONE},
    {"solve", NULL, 0, FM_PARADIGM_USER, FM_CALL_USER, false, true, FM_PARAMETER_NONE},
    {"step", NULL, 0, FM_PARADIGM_USER, FM_CALL_USER, true, true, FM_PARAMETER_NONE},
    {"level", NULL, 0, FM_PARADIGM_USER, FM_CALL_USER, false, true, FM_PARAMETER_SIGNED},
    {"size", NULL, 0, FM_PARADIGM_USER, FM_CALL_USER, false, true, FM_PARAMETER_SIGNED},
};

/* Two processes, in either order. */
static uint32_t members[2][2] = {{0, 1}, {1, 0}};
static struct fm_communicator communicators[2] = {
    {.size = 2, .first_group_size = 2, .members = members[0]},
    {.size = 2, .first_group_size = 2, .members = members[1]},
};
static struct fm_window windows[2] = {{NULL, 1}, {NULL, FM_NONE}};

/* One process with two threads. */
struct fixture {
    struct fm_process process;
    struct fm_location locations[2];
    struct fm_trace trace;
    struct fm_trace_defects defects;
    struct fm_builder builder;
    uint64_t now;
};

static int set_up(void **state)
{
    struct fixture *f = fm_allocate(1, sizeof *f);
    f->process = (struct fm_process){.location_count = 2};
    for (uint32_t i = 0; i < 2; ++i) {
        f->locations[i] = (struct fm_location){
            .id = i, .thread = i, .begin = UINT64_MAX, .truncated_at = FM_NONE};
    }
    f->trace = (struct fm_trace){.regions = regions,
                                 .region_count = REGIONS,
                                 .processes = &f->process,
                                 .process_count = 1,
                                 .locations = f->locations,
                                 .location_count = 2,
                                 .communicators = communicators,
                                 .communicator_count = 2,
                                 .windows = windows,
                                 .window_count = 2};
    fm_builder_open(&f->builder, &f->trace, &f->defects);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    fm_builder_close(&f->builder);
    for (uint32_t i = 0; i < 2; ++i) {
        fm_location_free(&f->locations[i]);
    }
    fm_free(f);
    return 0;
}

static void begin(struct fixture *f, uint32_t location)
{
    f->now = 0;
    fm_builder_begin_location(&f->builder, location);
}

static void enter(struct fixture *f, uint64_t time, uint32_t region)
{
    fm_builder_time(&f->builder, time);
    fm_builder_enter(&f->builder, region);
}

static void leave(struct fixture *f, uint64_t time, uint32_t region)
{
    fm_builder_time(&f->builder, time);
    fm_builder_leave(&f->builder, region);
}

static void end(struct fixture *f)
{
    fm_builder_end_location(&f->builder);
}

/* The visits and exclusive time of a region, summed over the call tree of location 0. */
static uint64_t time_in(const struct fixture *f, uint32_t region)
{
    uint64_t time = 0;
    for (size_t i = 0; i < f->locations[0].profile.count; ++i) {
        time += f->locations[0].profile.items[i].region == region
                    ? f->locations[0].profile.items[i].time
                    : 0;
    }
    return time;
}

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
    assert_int_equal(f->locations[0].truncated_at, FM_NONE);
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
    assert_int_equal(f->defects.open_calls, 2);
    assert_int_equal(f->locations[0].truncated_at, 1);
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

static void expect_traffic(const struct fm_traffic *row, fm_traffic_kind_t kind, uint32_t process,
                           uint64_t count, uint64_t bytes)
{
    assert_int_equal(row->kind, kind);
    assert_int_equal(row->process, process);
    assert_true(row->count == count && row->bytes == bytes);
}

static void test_traffic_is_counted_by_process(void **state)
{
    struct fixture *f = *state;
    begin(f, 0);
    enter(f, 0, SEND);
    fm_builder_send(&f->builder, 1, 0, 7, 5, NULL); /* to process 1 */
    fm_builder_send(&f->builder, 0, 1, 8, 3, NULL); /* to process 1, too */
    fm_builder_send(&f->builder, 0, 0, 8, 100, NULL);
    fm_builder_send(&f->builder, 0, 2, 8, 1000, NULL); /* a rank that does not exist */
    fm_builder_rma(&f->builder, FM_RMA_ATOMIC, 0, 0, false, 1, 8, 4);
    fm_builder_rma(&f->builder, FM_RMA_PUT, 0, 0, false, 1, 16, 0);
    fm_builder_rma(&f->builder, FM_RMA_GET, 0, 0, false, 1, 0, 32);
    fm_builder_rma(&f->builder, FM_RMA_PUT, 0, 0, false, 1, 16, 0);
    fm_builder_rma(&f->builder, FM_RMA_PUT, 1, 0, false, 1, 16, 0); /* of no known communicator */
    leave(f, 1, SEND);
    end(f);
    const struct fm_traffic *rows = f->locations[0].traffic.items;
    assert_int_equal(f->locations[0].traffic.count, 5);
    expect_traffic(&rows[0], FM_TRAFFIC_MESSAGES, 0, 1, 100);
    expect_traffic(&rows[1], FM_TRAFFIC_MESSAGES, 1, 2, 8);
    expect_traffic(&rows[2], FM_TRAFFIC_PUTS, 1, 2, 32);
    expect_traffic(&rows[3], FM_TRAFFIC_GETS, 1, 1, 32);
    expect_traffic(&rows[4], FM_TRAFFIC_ATOMICS, 1, 1, 12);
    begin(f, 1);
    end(f);
    assert_int_equal(f->locations[1].traffic.count, 0);
}

/* A non-blocking send in MPI_Isend; its row of the sends. */
static uint32_t isend(struct fixture *f, uint64_t time, uint64_t request)
{
    uint32_t row = (uint32_t)f->builder.location->sends.count;
    enter(f, time, SEND);
    fm_builder_send(&f->builder, 0, 1, 7, 8, &request);
    leave(f, time + 1, SEND);
    return row;
}

static uint32_t irecv(struct fixture *f, uint64_t time, uint64_t request)
{
    uint32_t row = (uint32_t)f->builder.location->receives.count;
    enter(f, time, RECEIVE);
    fm_builder_receive_request(&f->builder, request);
    leave(f, time + 1, RECEIVE);
    return row;
}

/* Completes a send in MPI_Wait; the call. */
static uint32_t wait_send(struct fixture *f, uint64_t time, uint64_t request)
{
    uint32_t activity = (uint32_t)f->builder.location->enter.count;
    enter(f, time, WAIT);
    fm_builder_send_complete(&f->builder, request);
    leave(f, time + 1, WAIT);
    return activity;
}

static uint32_t wait_receive(struct fixture *f, uint64_t time, uint64_t request, uint32_t peer)
{
    uint32_t activity = (uint32_t)f->builder.location->enter.count;
    enter(f, time, WAIT);
    fm_builder_receive(&f->builder, 0, peer, 7, 8, &request);
    leave(f, time + 1, WAIT);
    return activity;
}

static void test_request_ids_are_used_again(void **state)
{
    struct fixture *f = *state;
    begin(f, 0);
    for (uint32_t i = 0; i < 5; ++i) {
        uint32_t sent = isend(f, i * 10, 42);
        uint32_t posted = irecv(f, i * 10 + 2, 42); /* sends and receives may share ids */
        uint32_t received = wait_receive(f, i * 10 + 4, 42, i);
        uint32_t completed = wait_send(f, i * 10 + 6, 42);
        assert_int_equal(f->locations[0].sends.items[sent].complete, completed);
        assert_int_equal(f->locations[0].receives.items[posted].complete, received);
        assert_int_equal(f->locations[0].receives.items[posted].peer, i);
    }
    end(f);
    fm_builder_end_process(&f->builder);
    assert_int_equal(f->locations[0].sends.count, 5);
    assert_int_equal(f->locations[0].receives.count, 5);
    assert_int_equal(f->defects.open_requests, 0);
    assert_int_equal(f->defects.unrecorded_completions, 0);
}

static void test_sends_match_without_their_completion(void **state)
{
    struct fixture *f = *state;
    begin(f, 0);
    uint32_t first = isend(f, 0, 42);
    uint32_t second = isend(f, 10, 42);
    uint32_t other = isend(f, 20, 43);
    end(f);
    fm_builder_end_process(&f->builder);
    assert_int_equal(f->locations[0].sends.items[first].complete, FM_UNRECORDED);
    assert_int_equal(f->locations[0].sends.items[second].complete, FM_UNRECORDED);
    assert_int_equal(f->locations[0].sends.items[other].complete, FM_UNRECORDED);
    assert_int_equal(f->defects.unrecorded_completions, 3);
    assert_int_equal(f->defects.open_requests, 0);
}

static void test_completion_on_another_thread(void **state)
{
    struct fixture *f = *state;
    begin(f, 0);
    uint32_t sent = isend(f, 0, 1);
    uint32_t posted = irecv(f, 2, 2);
    uint32_t again = isend(f, 20, 1); /* the other thread has completed the first one */
    end(f);
    begin(f, 1);
    uint32_t completed = wait_send(f, 10, 1);
    uint32_t received = wait_receive(f, 12, 2, 5);
    uint32_t completed_again = wait_send(f, 30, 1);
    end(f);
    fm_builder_end_process(&f->builder);
    const struct fm_location *location = &f->locations[0];
    assert_int_equal(location->sends.items[sent].complete, completed);
    assert_int_equal(location->sends.items[sent].complete_location, 1);
    assert_int_equal(location->sends.items[again].complete, completed_again);
    assert_int_equal(location->receives.items[posted].complete, received);
    assert_int_equal(location->receives.items[posted].complete_location, 1);
    assert_int_equal(location->receives.items[posted].peer, 5);
    assert_int_equal(f->locations[1].receives.count, 0);
    assert_int_equal(f->defects.open_requests, 0);
    assert_int_equal(f->defects.unrecorded_completions, 0);
}

static void test_receive_without_request_record(void **state)
{
    struct fixture *f = *state;
    begin(f, 0);
    uint32_t received = wait_receive(f, 0, 9, 3);
    end(f);
    begin(f, 1);
    end(f);
    fm_builder_end_process(&f->builder);
    assert_int_equal(f->locations[0].receives.count, 1);
    assert_int_equal(f->locations[0].receives.items[0].start, received);
    assert_int_equal(f->locations[0].receives.items[0].complete, received);
}

static void test_cancelled_requests(void **state)
{
    struct fixture *f = *state;
    begin(f, 0);
    uint32_t sent = isend(f, 0, 1);
    uint32_t posted = irecv(f, 2, 2);
    enter(f, 4, WAIT);
    fm_builder_cancelled(&f->builder, 1);
    fm_builder_cancelled(&f->builder, 2);
    fm_builder_cancelled(&f->builder, 3); /* nobody started it */
    leave(f, 5, WAIT);
    end(f);
    fm_builder_end_process(&f->builder);
    assert_int_equal(f->locations[0].sends.items[sent].communicator, FM_NONE);
    assert_int_equal(f->locations[0].receives.items[posted].communicator, FM_NONE);
    assert_int_equal(f->defects.open_requests, 0);
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
    static const uint64_t expected[][FM_PROCESSOR_TIME_COUNT] = {
        {30 + 80, 14, 30, 30, 6, 300, 0, 0, 0}, {0}, {40 + 40, 19, 40, 40, 8, 400, 0, 1, 0}};
    for (uint32_t visit = 0; visit < 3; visit++) {
        const struct fm_visit_profile *profile = &f->locations[0].profile.items[visit];
        for (int i = 0; i < FM_PROCESSOR_TIME_COUNT; i++) {
            assert_int_equal(profile->processor_times[i], expected[visit][i]);
        }
    }
    assert_int_equal(f->locations[0].readings.count, 1);
    assert_int_equal(f->locations[0].readings.items[0].activity, f->locations[0].enter.count - 1);
    assert_int_equal(f->locations[0].readings.items[0].ticks, 6); /* of 12 ns */
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

static void set(struct fixture *f, uint64_t time, uint32_t parameter, uint64_t value)
{
    fm_builder_time(&f->builder, time);
    fm_builder_parameter(&f->builder, parameter, value);
}

static void test_values_of_parameters_end_with_their_region(void **state)
{
    struct fixture *f = *state;
    begin(f, 0);
    set(f, 5, LEVEL, 1); /* outside of all regions */
    enter(f, 10, MAIN);
    enter(f, 11, SOLVE);
    set(f, 13, LEVEL, 1);
    set(f, 16, SIZE, 7);
    set(f, 20, LEVEL, 2); /* ends both */
    leave(f, 25, SOLVE);
    leave(f, 31, MAIN);
    set(f, 32, FM_NONE, 1);
    end(f);
    assert_true(time_in(f, MAIN) == 7);
    assert_true(time_in(f, SOLVE) == 2);
    assert_true(time_in(f, LEVEL) == 3 + 5);
    assert_true(time_in(f, SIZE) == 4);
    const struct fm_visit_profile *visits = f->locations[0].profile.items;
    assert_int_equal(f->locations[0].profile.count, 5);
    assert_true(visits[2].region == LEVEL && visits[2].value == 1 && visits[2].parent == 1);
    assert_true(visits[3].region == SIZE && visits[3].value == 7 && visits[3].parent == 2);
    assert_true(visits[4].region == LEVEL && visits[4].value == 2 && visits[4].parent == 1);
    assert_int_equal(f->defects.open_calls, 0);
    assert_int_equal(f->defects.unmatched_leaves, 0);
    assert_int_equal(f->defects.unusable_records, 1);
}

static void test_values_in_calls_and_of_open_regions(void **state)
{
    struct fixture *f = *state;
    begin(f, 0);
    enter(f, 10, MAIN);
    enter(f, 12, WAIT);
    set(f, 13, LEVEL, 1); /* in a communication call: ignored */
    leave(f, 15, WAIT);
    set(f, 16, LEVEL, 3);
    fm_builder_time(&f->builder, 18);
    fm_builder_leave(&f->builder, FM_NONE); /* leaves the innermost region: main */
    enter(f, 20, SOLVE);
    set(f, 21, LEVEL, 3);
    end(f);
    assert_true(time_in(f, WAIT) == 3);
    assert_true(time_in(f, LEVEL) == 2);
    assert_true(time_in(f, SOLVE) == 1);
    assert_int_equal(f->defects.open_calls, 1); /* solve; its value is none */
}

static void test_values_beyond_the_limit_share_a_node(void **state)
{
    struct fixture *f = *state;
    begin(f, 0);
    enter(f, 0, MAIN);
    for (uint64_t value = 0; value < 3 * FM_PARAMETER_LIMIT; ++value)
        set(f, value, LEVEL, value);
    set(f, 3 * FM_PARAMETER_LIMIT, LEVEL, 5); /* a value that it has */
    leave(f, 4 * FM_PARAMETER_LIMIT, MAIN);
    end(f);
    const struct fm_visit_profile *visits = f->locations[0].profile.items;
    assert_int_equal(f->locations[0].profile.count, 1 + FM_PARAMETER_LIMIT + 1);
    assert_int_equal(visits[FM_PARAMETER_LIMIT + 1].kind, FM_CALLPATH_OTHERS);
    assert_int_equal(visits[FM_PARAMETER_LIMIT + 1].time, 2 * FM_PARAMETER_LIMIT);
    assert_int_equal(visits[6].value, 5);
    assert_int_equal(visits[6].time, 1 + FM_PARAMETER_LIMIT);
    /* The next location has values of its own. */
    begin(f, 1);
    enter(f, 0, MAIN);
    set(f, 1, LEVEL, 1000000);
    leave(f, 2, MAIN);
    end(f);
    assert_int_equal(f->locations[1].profile.items[1].kind, FM_CALLPATH_VALUE);
}

/* Parts of a forest, merged in their order, keep the same values as one forest. */
static void test_merged_forests_keep_the_same_values(void **state)
{
    (void)state;
    enum { PARTS = 3, NODES = 400 };
    struct fm_callpaths whole = {0}, merged = {0};
    uint64_t seed = 7;
    for (unsigned p = 0; p < PARTS; ++p) {
        struct fm_callpaths part = {0};
        for (unsigned i = 0; i < NODES; ++i) {
            const struct fm_callpath node = {.value = next_random(&seed) % 900,
                                             .parent = FM_NONE,
                                             .region = i % 2 == 0 ? LEVEL : SIZE,
                                             .line = FM_NONE,
                                             .kind = FM_CALLPATH_VALUE};
            fm_callpaths_add(&whole, &node);
            fm_callpaths_add(&part, &node);
        }
        fm_callpaths_add_forest(&merged, part.nodes.items, part.nodes.count, NULL);
        fm_callpaths_free(&part);
    }
    assert_int_equal(merged.nodes.count, whole.nodes.count);
    assert_memory_equal(merged.nodes.items, whole.nodes.items,
                        whole.nodes.count * sizeof *whole.nodes.items);
    fm_callpaths_free(&whole);
    fm_callpaths_free(&merged);
}

#define test(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(times_of_nested_calls),
        test(leave_without_enter),
        test(leave_of_an_outer_call_closes_the_inner_ones),
        test(calls_that_never_return),
        test(times_that_run_backwards),
        test(regions_that_are_not_defined),
        test(records_outside_of_calls),
        test(phases_hold_their_computation),
        test(traffic_is_counted_by_process),
        test(request_ids_are_used_again),
        test(sends_match_without_their_completion),
        test(completion_on_another_thread),
        test(receive_without_request_record),
        test(cancelled_requests),
        test(recorder_work_is_overhead),
        test(pauses),
        test(pauses_of_other_recorders),
        test(sends_that_are_completed_in_a_pause),
        test(operations_that_begin_in_a_pause),
        test(processor_times_are_spread_over_the_stretch),
        test(growth_belongs_to_the_call_path_of_its_value),
        test(values_of_parameters_end_with_their_region),
        test(values_in_calls_and_of_open_regions),
        test(values_beyond_the_limit_share_a_node),
        test(merged_forests_keep_the_same_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
