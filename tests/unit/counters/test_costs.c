/* The model of what counters cost: its formulas, and that measuring ends with possible numbers. */
#include "check.h"
#include "counters/costs/call_costs.h"
#include "counters/costs/self_messages.h"

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

static void adds_up_the_updates_of_calls(void **state)
{
    (void)state;
    const struct fm_counter_costs costs = {.costs = {[FM_COST_IF] = 1,
                                                     [FM_COST_FUNC] = 2,
                                                     [FM_COST_BITMAP] = 4,
                                                     [FM_COST_COMP] = 8,
                                                     [FM_COST_ATOMIC] = 32,
                                                     [FM_COST_SUB] = 64,
                                                     [FM_COST_CYC] = 128}};
    const bool all[FM_CALL_UPDATES] = {true, true, true, true, true, true, true};
    const bool none[FM_CALL_UPDATES] = {false};
    char text[FM_CALL_FORMULA];
    struct fm_call_cost send = fm_call_cost(FM_MESSAGE_SEND, all);
    assert_string_equal(fm_call_cost_formula(&send, text), "4 O_On + O_Bin");
    assert_true(fm_call_cost_predicted(&costs, &send) == 4 * 39 + 1 + 8);
    struct fm_call_cost receive = fm_call_cost(FM_MESSAGE_RECEIVE, all);
    assert_true(fm_call_cost_predicted(&costs, &receive) == 2 * 39 + 39 + 5 + 2 * 128 + 64);
    send = fm_call_cost(FM_MESSAGE_SEND, none);
    assert_string_equal(fm_call_cost_formula(&send, text), "4 O_Off");
    assert_true(fm_call_cost_predicted(&costs, &send) == 4 * 5);
}

static void messages_to_itself_arrive(void **state)
{
    (void)state;
    const bool all[FM_CALL_UPDATES] = {true, true, true, true, true, true, true};
    const struct fm_call_cost calls[] = {fm_call_cost(FM_MESSAGE_SEND, all),
                                         fm_call_cost(FM_MESSAGE_RECEIVE, all)};
    struct fm_self_messages times = fm_self_messages_measure(calls, 2, 1000);
    assert_true(times.with > 0 && times.without > 0);
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
        cmocka_unit_test(adds_up_the_updates_of_calls),
        cmocka_unit_test(messages_to_itself_arrive),
        cmocka_unit_test(measures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
