/* SPDX-License-Identifier: BSD-3-Clause */
/* The spread of waiting against sorting. */
#include "check.h"
#include "view/timeline/waiting_spread.h"

#include <stdlib.h>

#define BINS 37U
#define MOST 300U

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void test_one_and_many(void **state)
{
    static const uint32_t counts[] = {1, 2, 3, 4, 17, 64, MOST};
    static uint16_t shares[MOST * BINS];
    (void)state;
    srand(1);
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        uint64_t least[BINS], middle[BINS], most[BINS];
        const struct fm_waiting_spread spread = {least, middle, most};
        uint32_t members = counts[k];
        for (size_t i = 0; i < (size_t)members * BINS; i++)
            shares[i] = (uint16_t)((unsigned)rand() % (FM_SHARE_ONE + 1));
        fm_waiting_spread_find(shares, members, BINS, &spread);
        for (uint32_t bin = 0; bin < BINS; bin++) {
            int sorted[MOST];
            for (uint32_t i = 0; i < members; i++)
                sorted[i] =
                    (shares[i * BINS + bin] * 100 + (int)FM_SHARE_ONE / 2) / (int)FM_SHARE_ONE;
            qsort(sorted, members, sizeof sorted[0], ascending);
            assert_int_equal(least[bin], sorted[0]);
            assert_int_equal(middle[bin], sorted[members / 2]);
            assert_int_equal(most[bin], sorted[members - 1]);
        }
    }
}

static void test_one_of_many_does_not_wait(void **state)
{
    uint16_t shares[256];
    uint64_t least, middle, most;
    const struct fm_waiting_spread spread = {&least, &middle, &most};
    (void)state;
    for (unsigned i = 0; i < 256; i++)
        shares[i] = i == 77 ? 0 : FM_SHARE_ONE;
    fm_waiting_spread_find(shares, 256, 1, &spread);
    assert_int_equal(least, 0);
    assert_int_equal(middle, 100);
    assert_int_equal(most, 100);
}

static void test_shares(void **state)
{
    (void)state;
    assert_int_equal(fm_share_of(0, 0), 0);
    assert_int_equal(fm_share_of(0, 7), 0);
    assert_int_equal(fm_share_of(7, 7), FM_SHARE_ONE);
    assert_int_equal(fm_share_of(9, 7), FM_SHARE_ONE);
    assert_int_equal(fm_share_of(UINT64_MAX / 2, UINT64_MAX - 1), FM_SHARE_ONE / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_and_many),
        cmocka_unit_test(test_one_of_many_does_not_wait),
        cmocka_unit_test(test_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
