/* SPDX-License-Identifier: BSD-3-Clause */
/* Traffic by communicator and peer: numbers by hand, and what happens when the table is full. */
#include "check.h"
#include "record/capture/record.h"
#include "record/counting/traffic/peer_traffic.h"

#include <stdlib.h>
#include <string.h>

static int setup(void **state)
{
    struct fm_peer_traffic *traffic = aligned_alloc(64, (sizeof *traffic + 63) / 64 * 64);
    assert_non_null(traffic);
    memset(traffic, 0, sizeof *traffic);
    fm_peer_traffic_begin(traffic);
    *state = traffic;
    return 0;
}

static int teardown(void **state)
{
    free(*state);
    return 0;
}

static void transfer(struct fm_peer_traffic *traffic, enum fm_record_kind kind, uint32_t object,
                     uint32_t peer, uint64_t bytes)
{
    const uint64_t tag = UINT64_C(77) << 32;
    const uint64_t record[] = {fm_record_sized(kind, bytes, object), peer | tag, 0};
    if (kind == FM_RECORD_SEND) {
        fm_peer_traffic_count(traffic, FM_PEER_MESSAGES, FM_PEER_FOR_SENDS, FM_PEER_SENT, record,
                              bytes);
    } else if (kind == FM_RECORD_RECV) {
        fm_peer_traffic_count(traffic, FM_PEER_MESSAGES, FM_PEER_FOR_RECEIPTS, FM_PEER_RECEIVED,
                              record, bytes);
    } else {
        fm_peer_traffic_count(traffic, FM_PEER_ONE_SIDED, FM_PEER_FOR_ONE_SIDED,
                              kind == FM_RECORD_PUT ? FM_PEER_PUTS : FM_PEER_GETS, record, bytes);
    }
}

static void check(struct fm_peer_traffic *traffic, enum fm_peer_traffic_kind kind, uint32_t object,
                  uint32_t peer, const uint64_t numbers[FM_PEER_NUMBERS])
{
    uint32_t count = traffic->count;
    const struct fm_peer_traffic_entry *entry =
        fm_peer_traffic_find(traffic, fm_peer_traffic_key(kind, object, peer));
    assert_int_equal(traffic->count, count); /* it was there */
    assert_int_equal(fm_peer_traffic_kind_of(entry->key), kind);
    assert_int_equal(fm_peer_traffic_object_of(entry->key), object);
    assert_int_equal(fm_peer_traffic_peer_of(entry->key), peer);
    assert_memory_equal(entry->numbers, numbers, sizeof entry->numbers);
}

/* Communicators and windows of the same number, messages both ways, collectives. */
static void keys_are_apart(void **state)
{
    struct fm_peer_traffic *traffic = *state;
    for (int i = 0; i < 3; i++) {
        transfer(traffic, FM_RECORD_SEND, 0, 0, 10);
        transfer(traffic, FM_RECORD_RECV, 0, 0, 100);
        transfer(traffic, FM_RECORD_SEND, 0, 1, 1);
        transfer(traffic, FM_RECORD_SEND, 1, 0, 2);
        transfer(traffic, FM_RECORD_PUT, 0, 0, 5);
        transfer(traffic, FM_RECORD_GET, 0, 0, 6);
    }
    const uint64_t collective[] = {fm_record_header(FM_RECORD_COLLECTIVE_END, 0, 0), 0, 8, 16};
    fm_peer_traffic_collective(traffic, FM_PEER_COLLECTIVES, collective);
    fm_peer_traffic_collective(traffic, FM_PEER_WINDOW_COLLECTIVES, collective);
    fm_peer_traffic_collective(traffic, FM_PEER_COLLECTIVES, collective);
    check(traffic, FM_PEER_MESSAGES, 0, 0, (const uint64_t[FM_PEER_NUMBERS]){3, 30, 3, 300});
    check(traffic, FM_PEER_MESSAGES, 0, 1, (const uint64_t[FM_PEER_NUMBERS]){3, 3});
    check(traffic, FM_PEER_MESSAGES, 1, 0, (const uint64_t[FM_PEER_NUMBERS]){3, 6});
    check(traffic, FM_PEER_ONE_SIDED, 0, 0, (const uint64_t[FM_PEER_NUMBERS]){3, 15, 3, 18});
    check(traffic, FM_PEER_COLLECTIVES, 0, 0, (const uint64_t[FM_PEER_NUMBERS]){2, 16, 32});
    check(traffic, FM_PEER_WINDOW_COLLECTIVES, 0, 0, (const uint64_t[FM_PEER_NUMBERS]){1, 8, 16});
}

/* What does not fit is counted as lost, by kind; what is in the table is still counted there. */
static void a_full_table_loses_no_sums(void **state)
{
    enum { PEERS = FM_PEER_ENTRIES + 1000 };
    struct fm_peer_traffic *traffic = *state;
    uint64_t sent = 0, bytes = 0;
    for (int round = 0; round < 2; round++) {
        for (uint32_t peer = 0; peer < PEERS; peer++) {
            transfer(traffic, FM_RECORD_SEND, 3, peer, peer);
        }
    }
    transfer(traffic, FM_RECORD_PUT, 3, 1, 9);
    const uint64_t collective[] = {fm_record_header(FM_RECORD_COLLECTIVE_END, 0, 3), 0, 8, 16};
    fm_peer_traffic_collective(traffic, FM_PEER_COLLECTIVES, collective);
    assert_int_equal(traffic->count, FM_PEER_ENTRIES);
    const uint32_t room = FM_PEER_ENTRIES - FM_PEER_KINDS;
    check(traffic, FM_PEER_MESSAGES, 3, room - 1,
          (const uint64_t[FM_PEER_NUMBERS]){2, 2 * (uint64_t)(room - 1)});
    assert_int_equal(traffic->entries[FM_PEER_MESSAGES].numbers[FM_PEER_SENT],
                     2 * (uint64_t)(PEERS - room));
    assert_int_equal(traffic->entries[FM_PEER_ONE_SIDED].numbers[FM_PEER_BYTES_PUT], 9);
    assert_int_equal(traffic->entries[FM_PEER_COLLECTIVES].numbers[FM_PEER_CALLS], 1);
    for (uint32_t i = 0; i < traffic->count; i++) {
        if (i == FM_PEER_MESSAGES || i >= FM_PEER_KINDS) {
            sent += traffic->entries[i].numbers[FM_PEER_SENT];
            bytes += traffic->entries[i].numbers[FM_PEER_BYTES_SENT];
        }
    }
    assert_int_equal(sent, 2 * (uint64_t)PEERS);
    assert_int_equal(bytes, (uint64_t)PEERS * (PEERS - 1));
}

static void makers_of_the_first_communicators_are_known(void **state)
{
    struct fm_peer_traffic *traffic = *state;
    fm_peer_traffic_made(traffic, 5, 0);
    fm_peer_traffic_made(traffic, FM_PEER_MAKERS, 1);
    fm_peer_traffic_made(traffic, 6, UINT16_MAX);
    assert_int_equal(traffic->makers[5], 1);
    assert_int_equal(traffic->makers[6], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(keys_are_apart, setup, teardown),
        cmocka_unit_test_setup_teardown(a_full_table_loses_no_sums, setup, teardown),
        cmocka_unit_test_setup_teardown(makers_of_the_first_communicators_are_known, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
