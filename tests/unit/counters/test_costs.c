/* SPDX-License-Identifier: BSD-3-Clause */
/* The model of what counters cost: its formulas, and that measuring ends with possible numbers. */
#include "check.h"
#include "counters/costs/counter_costs.h"

#include <math.h>
#include <string.h>

static void predicts_by_the_formulas(void **state)
{
    (void)state;
    struct fm_counter_costs costs = {0};
    for (int i = 0; i < FM_COSTS; i++) {
        costs.costs[i] = 1 << i; /* if 1, func 2, bitmap 4, comp 8, assign 16, atomic 32, sub 64,
                                    cyc 128 */
    }
    const double expected[FM_UPDATES] = {[FM_UPDATE_OFF] = 5,
                                         [FM_UPDATE_ON] = 5 + 2 + 32,
                                         [FM_UPDATE_WATERMARK_MISS] = 39 + 32 + 5 + 1 + 8,
                                         [FM_UPDATE_WATERMARK_HIT] = 39 + 32 + 5 + 1 + 8 + 16,
                                         [FM_UPDATE_TIMER] = 39 + 5 + 2 * 128 + 64,
                                         [FM_UPDATE_BIN] = 39 + 3 * (1 + 8)};
    for (int i = 0; i < FM_UPDATES; i++) {
        assert_true(fm_update_predicted(&costs, (enum fm_update)i) == expected[i]);
    }
}

static void measures(void **state)
{
    (void)state;
    struct fm_counter_costs costs = fm_counter_costs_measure(2, 10000);
    for (int i = 0; i < FM_COSTS; i++) {
        assert_true(costs.costs[i] >= 0 && isfinite(costs.costs[i]));
        assert_true(strncmp(fm_cost_name((enum fm_cost)i), "T_", 2) == 0);
        assert_true(fm_cost_meaning((enum fm_cost)i)[0] != '\0');
    }
    for (int i = 0; i < FM_UPDATES; i++) {
        assert_true(costs.measured[i] >= 0 && isfinite(costs.measured[i]));
        assert_true(fm_update_name((enum fm_update)i)[0] != '\0');
        assert_true(fm_update_formula((enum fm_update)i)[0] == 'O');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predicts_by_the_formulas),
        cmocka_unit_test(measures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
