/* SPDX-License-Identifier: BSD-3-Clause */
/* Checksums of the journal's blocks. */
#include "record/journal/journal_sum.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { BYTES = 203 }; /* whole turns of the lanes, words behind them, and a part of a word */

static uint64_t sum_in_parts(const unsigned char *data, size_t bytes, size_t part)
{
    struct fm_journal_sum sum = {0};
    while (bytes > part) {
        fm_journal_sum_add(&sum, data, part);
        data += part;
        bytes -= part;
    }
    fm_journal_sum_add(&sum, data, bytes);
    return fm_journal_sum_end(&sum);
}

static void fill(unsigned char data[BYTES])
{
    for (int i = 0; i < BYTES; i++) {
        data[i] = (unsigned char)(i * i + 1);
    }
}

static void parts_make_no_difference(void **state)
{
    unsigned char data[BYTES];
    (void)state;
    fill(data);
    for (size_t bytes = 0; bytes <= BYTES; bytes++) {
        for (size_t part = 8; part < BYTES; part += 8) {
            assert_int_equal(sum_in_parts(data, bytes, part), sum_in_parts(data, bytes, BYTES));
        }
    }
}

static void each_bit_makes_a_difference(void **state)
{
    unsigned char data[BYTES];
    (void)state;
    fill(data);
    uint64_t whole = sum_in_parts(data, BYTES, BYTES);
    for (int i = 0; i < BYTES; i++) {
        for (int bit = 0; bit < 8; bit++) {
            data[i] ^= (unsigned char)(1 << bit);
            assert_int_not_equal(sum_in_parts(data, BYTES, BYTES), whole);
            data[i] ^= (unsigned char)(1 << bit);
        }
    }
}

static void so_does_the_order_of_words_and_their_number(void **state)
{
    const uint64_t zeros[9] = {0};
    uint64_t words[9];
    (void)state;
    for (int i = 0; i < 9; i++) {
        words[i] = (uint64_t)i + 1;
    }
    uint64_t whole = sum_in_parts((unsigned char *)words, sizeof words, sizeof words);
    for (int i = 0; i < 9; i++) {
        for (int k = 0; k < i; k++) {
            uint64_t word = words[i];
            words[i] = words[k];
            words[k] = word;
            assert_int_not_equal(sum_in_parts((unsigned char *)words, sizeof words, sizeof words),
                                 whole);
            words[k] = words[i];
            words[i] = word;
        }
        assert_int_not_equal(
            sum_in_parts((const unsigned char *)zeros, 8 * (size_t)i, sizeof zeros),
            sum_in_parts((const unsigned char *)zeros, sizeof zeros, sizeof zeros));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_make_no_difference),
        cmocka_unit_test(each_bit_makes_a_difference),
        cmocka_unit_test(so_does_the_order_of_words_and_their_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
