/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages and operations as the builder finds them in events: requests, partners, traffic. */
#include "builder_fixture.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        builder_test(traffic_is_counted_by_process),
        builder_test(request_ids_are_used_again),
        builder_test(sends_match_without_their_completion),
        builder_test(completion_on_another_thread),
        builder_test(receive_without_request_record),
        builder_test(cancelled_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
