/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages in pieces, at the limit of a piece's size. */
#include "record/paradigm/exchange/message_pieces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 1 << 30 };

/* Asserts the sizes of all pieces; they follow one another. */
static void check(size_t size, size_t most, const size_t *sizes, size_t count)
{
    struct fm_message_pieces pieces = {.size = size, .most = most};
    size_t found = 0, at = 0;
    for (; fm_message_pieces_next(&pieces); found++) {
        assert_true(found < count);
        assert_int_equal(pieces.at, at);
        assert_int_equal(pieces.bytes, sizes[found]);
        at += sizes[found];
    }
    assert_int_equal(found, count);
    assert_int_equal(at, size);
}

#define CHECK(size, most, ...)                                                                     \
    check(size, most, (const size_t[]){__VA_ARGS__},                                               \
          sizeof(const size_t[]){__VA_ARGS__} / sizeof(size_t))

static void an_empty_message_is_one_piece(void **state)
{
    (void)state;
    CHECK(0, MOST, 0);
    CHECK(0, 1, 0);
}

static void small_messages_are_one_piece(void **state)
{
    (void)state;
    CHECK(1, MOST, 1);
    CHECK(1, 1, 1);
    CHECK(MOST - 1, MOST, MOST - 1);
    CHECK(MOST, MOST, MOST);
}

static void larger_messages_are_several_pieces(void **state)
{
    (void)state;
    CHECK((size_t)MOST + 1, MOST, MOST, 1);
    CHECK((size_t)2 * MOST - 1, MOST, MOST, MOST - 1);
    CHECK((size_t)2 * MOST, MOST, MOST, MOST);
    CHECK(3, 1, 1, 1, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_message_is_one_piece),
        cmocka_unit_test(small_messages_are_one_piece),
        cmocka_unit_test(larger_messages_are_several_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
