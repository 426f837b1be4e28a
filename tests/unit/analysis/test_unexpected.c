/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds of unexpected messages: by hand, and random ones against a reference by definition. */
#include "analysis/p2p/unexpected.h"
#include "check.h"

#include <stdlib.h>

#define NEVER UINT64_MAX

static struct fm_taken_message message(uint64_t earliest, uint64_t delivered, uint64_t posted)
{
    return (struct fm_taken_message){.earliest = earliest,
                                     .delivered = delivered,
                                     .known = NEVER,
                                     .progressed = posted,
                                     .posted = posted,
                                     .received = posted + 5,
                                     .bytes = 10};
}

/* Two messages come while the process waits until 100 in a call that ends at 110. */
static void waiting_takes_messages_in(void **state)
{
    struct fm_taken_message messages[] = {message(10, 20, 120), message(30, 99, 130),
                                          message(90, 100, 140), message(95, NEVER, 150)};
    struct fm_taking_call calls[] = {{100, 110}};
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        messages[i].channel = i;
    }
    struct fm_cube_unexpected bounds = fm_unexpected_bounds(messages, 4, calls, 1);
    assert_int_equal(bounds.messages, 4);
    assert_int_equal(bounds.least, 2);
    assert_int_equal(bounds.most, 4);
    assert_int_equal(bounds.queue_least, 2);
    assert_int_equal(bounds.queue_most, 4);
    assert_int_equal(bounds.bytes_least, 20);
    assert_int_equal(bounds.bytes_most, 40);
}

/* The second message of a channel is received before the first one's receive is posted. */
static void later_messages_show_earlier_ones(void **state)
{
    struct fm_taken_message messages[] = {message(10, NEVER, 100), message(20, NEVER, 50)};
    (void)state;
    messages[1].row = 1;
    struct fm_cube_unexpected bounds = fm_unexpected_bounds(messages, 2, NULL, 0);
    assert_int_equal(bounds.least, 1);
    assert_int_equal(bounds.most, 2);
    assert_int_equal(bounds.queue_least, 1);
    assert_int_equal(bounds.bytes_least, 0); /* its data may come later */
}

/* No call of the process can take messages in behind 40. */
static void messages_during_computation_are_expected(void **state)
{
    struct fm_taken_message messages[] = {message(39, NEVER, 100), message(40, NEVER, 100)};
    (void)state;
    messages[0].progressed = messages[1].progressed = 40;
    messages[1].row = 1;
    struct fm_cube_unexpected bounds = fm_unexpected_bounds(messages, 2, NULL, 0);
    assert_int_equal(bounds.least, 0);
    assert_int_equal(bounds.most, 1);
}

static void data_behind_the_receive_is_not_in_the_queue(void **state)
{
    struct fm_taken_message late = message(10, NEVER, 100);
    (void)state;
    late.data_came_late = true;
    struct fm_cube_unexpected bounds = fm_unexpected_bounds(&late, 1, NULL, 0);
    assert_int_equal(bounds.queue_most, 1);
    assert_int_equal(bounds.bytes_most, 0);
}

/* ---- the reference ---- */

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* When a message was certainly taken in, by looking at all others. */
static uint64_t taken(const struct fm_taken_message *messages, size_t count,
                      const struct fm_taking_call *calls, size_t call_count, size_t number)
{
    const struct fm_taken_message *own = &messages[number];
    uint64_t first = own->known;
    for (size_t i = 0; i < call_count; i++) {
        if (calls[i].until > own->delivered && calls[i].leave < first) {
            first = calls[i].leave;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (messages[i].channel == own->channel && messages[i].row > own->row &&
            messages[i].received < first) {
            first = messages[i].received;
        }
    }
    return first;
}

static struct fm_cube_unexpected reference(const struct fm_taken_message *messages, size_t count,
                                           const struct fm_taking_call *calls, size_t call_count)
{
    struct fm_cube_unexpected bounds = {.messages = count};
    for (size_t at = 0; at < count; at++) { /* queues are longest when a message comes */
        const uint64_t known = taken(messages, count, calls, call_count, at);
        const bool is_certain = known <= messages[at].posted;
        const bool is_possible = is_certain || messages[at].earliest < messages[at].progressed;
        const uint64_t came = lesser(messages[at].earliest, known);
        uint64_t least = 0, most = 0, bytes_least = 0, bytes_most = 0;
        bounds.least += is_certain;
        bounds.most += is_possible;
        for (size_t i = 0; i < count; i++) {
            const struct fm_taken_message *other = &messages[i];
            const uint64_t others = taken(messages, count, calls, call_count, i);
            const bool certain = others <= other->posted;
            if (certain && is_certain && others <= known && known <= other->posted) {
                least++;
                bytes_least +=
                    !other->data_came_late && other->delivered <= other->posted ? other->bytes : 0;
            }
            if ((certain || other->earliest < other->progressed) && is_possible &&
                lesser(other->earliest, others) <= came && came <= other->posted) {
                most++;
                bytes_most += other->data_came_late ? 0 : other->bytes;
            }
        }
        bounds.queue_least = least > bounds.queue_least ? least : bounds.queue_least;
        bounds.queue_most = most > bounds.queue_most ? most : bounds.queue_most;
        bounds.bytes_least = bytes_least > bounds.bytes_least ? bytes_least : bounds.bytes_least;
        bounds.bytes_most = bytes_most > bounds.bytes_most ? bytes_most : bounds.bytes_most;
    }
    return bounds;
}

static unsigned below(unsigned limit)
{
    return (unsigned)rand() % limit;
}

static void random_ones_are_those_of_the_reference(void **state)
{
    enum { MESSAGES = 24, CALLS = 6 };
    (void)state;
    srand(1);
    for (int round = 0; round < 3000; round++) {
        struct fm_taken_message messages[MESSAGES];
        struct fm_taking_call calls[CALLS];
        const size_t count = below(MESSAGES + 1), call_count = below(CALLS + 1);
        for (size_t i = 0; i < count; i++) {
            const uint64_t earliest = below(60), posted = earliest + below(40);
            messages[i] = message(earliest, below(4) == 0 ? NEVER : earliest + below(20), posted);
            messages[i].received = posted + below(30);
            messages[i].progressed = posted - below((unsigned)posted + 1) / 2;
            messages[i].channel = below(4);
            messages[i].row = (uint32_t)i;
            messages[i].bytes = below(100);
            messages[i].data_came_late = below(5) == 0;
            messages[i].known = below(8) == 0 ? earliest + below(30) : NEVER;
        }
        for (size_t i = 0; i < call_count; i++) {
            const uint64_t enter = below(100);
            calls[i] = (struct fm_taking_call){enter + below(10), enter + 10 + below(10)};
        }
        const struct fm_cube_unexpected expected = reference(messages, count, calls, call_count);
        const struct fm_cube_unexpected found =
            fm_unexpected_bounds(messages, count, calls, call_count);
        assert_memory_equal(&found, &expected, sizeof found);
        assert_true(found.queue_least <= found.queue_most && found.least <= found.most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_takes_messages_in),
        cmocka_unit_test(later_messages_show_earlier_ones),
        cmocka_unit_test(messages_during_computation_are_expected),
        cmocka_unit_test(data_behind_the_receive_is_not_in_the_queue),
        cmocka_unit_test(random_ones_are_those_of_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
