/* SPDX-License-Identifier: BSD-3-Clause */
/* What chosen counters cost a call by the model: the formulas, and which call updates which
 * counter. */
#include "check.h"
#include "counters/costs/call_updates.h"

#include <string.h>

/* Each cost is a digit of its own. */
static const struct fm_counter_costs costs = {.costs = {[FM_COST_IF] = 1,
                                                        [FM_COST_FUNC] = 10,
                                                        [FM_COST_BITMAP] = 100,
                                                        [FM_COST_COMP] = 1e3,
                                                        [FM_COST_ASSIGN] = 1e4,
                                                        [FM_COST_ATOMIC] = 1e5,
                                                        [FM_COST_SUB] = 1e6,
                                                        [FM_COST_CYC] = 1e7}};

enum { OFF = 101, ON = 100111, COMPARISON = 1001, TIMER = 21000101, WATERMARK = 111102 };

static struct fm_call_updates find(char *list)
{
    char *const patterns[] = {list, NULL};
    return fm_call_updates_find(patterns);
}

static void check_call(const struct fm_call_updates *found, size_t i, const char *function,
                       const char *formula, double ns)
{
    char text[FM_UPDATES_FORMULA];
    assert_true(i < found->calls.count);
    const struct fm_call_cost *call = &found->calls.items[i];
    assert_string_equal(call->function, function);
    assert_string_equal(fm_updates_formula(text, call->updates), formula);
    assert_true(fm_updates_predicted(&costs, call->updates) == ns);
}

/* Eberius 2020, section 3.9: MPI_Send with four counters. */
static void predicts_the_example_of_the_thesis(void **state)
{
    (void)state;
    struct fm_call_updates found = find("SEND,BYTES_SENT_USER,P2P_MESSAGE_SIZE,EAGER_MESSAGES");
    assert_int_equal(found.calls.count, 2);
    check_call(&found, 0, "MPI_Send", "4*O_On + O_Bin", 4 * ON + COMPARISON);
    check_call(&found, 1, "MPI_Recv", "3*O_Off", 3 * OFF);
    fm_call_updates_free(&found);
}

static void what_is_not_chosen_is_off(void **state)
{
    (void)state;
    struct fm_call_updates found = find("OMPI_SPC_RECV time:MPI_Recv,MATCH_TIME");
    check_call(&found, 0, "MPI_Send", "4*O_Off", 4 * OFF);
    check_call(&found, 1, "MPI_Recv", "3*O_On + 2*O_Timer + O_Off", 3 * ON + 2 * TIMER + OFF);
    fm_call_updates_free(&found);
    char *const none[] = {NULL};
    found = fm_call_updates_find(none);
    assert_int_equal(found.counters.count, 0);
    check_call(&found, 0, "MPI_Send", "4*O_Off", 4 * OFF);
    check_call(&found, 1, "MPI_Recv", "3*O_Off", 3 * OFF);
    fm_call_updates_free(&found);
}

/* The recorder's names for the same, and names twice. */
static void the_same_counts_once(void **state)
{
    (void)state;
    struct fm_call_updates found =
        find("SEND,calls:MPI_Send,OMPI_SPC_SEND,mpi.bytes_sent,BYTES_SENT_USER");
    assert_int_equal(found.counters.count, 2);
    check_call(&found, 0, "MPI_Send", "2*O_On + 2*O_Off", 2 * ON + 2 * OFF);
    fm_call_updates_free(&found);
}

static void some_are_not_updated_by_each_call(void **state)
{
    (void)state;
    struct fm_call_updates found = find("MAX_UNEXPECTED_IN_QUEUE,NOT_EAGER_MESSAGES,BARRIER");
    assert_int_equal(found.counters.count, 3);
    for (size_t i = 0; i < found.counters.count; i++) {
        const struct fm_counter_update *counter = &found.counters.items[i];
        bool is_barrier = strcmp(counter->name, "BARRIER") == 0;
        assert_string_equal(counter->function, is_barrier ? "MPI_Barrier" : "");
        assert_true(strncmp(counter->when, is_barrier ? "each" : "only", 4) == 0);
        if (strncmp(counter->name, "MAX", 3) == 0) {
            assert_true(fm_updates_predicted(&costs, counter->updates) == WATERMARK);
        }
    }
    check_call(&found, 0, "MPI_Send", "4*O_Off", 4 * OFF);
    check_call(&found, 2, "MPI_Barrier", "O_On", ON);
    fm_call_updates_free(&found);
}

static void patterns_choose(void **state)
{
    (void)state;
    struct fm_call_updates found = find("all");
    assert_int_equal(found.counters.count, 161);
    check_call(&found, 0, "MPI_Send", "4*O_On + O_Bin", 4 * ON + COMPARISON);
    check_call(&found, 1, "MPI_Recv", "3*O_On + O_Timer", 3 * ON + TIMER);
    fm_call_updates_free(&found);
    found = find("BYTES_*_USER,calls:MPI_*send");
    check_call(&found, 0, "MPI_Send", "O_On + 3*O_Off", ON + 3 * OFF);
    check_call(&found, 1, "MPI_Recv", "O_On + 2*O_Off", ON + 2 * OFF);
    assert_int_equal(found.counters.count, 2 + 7);
    fm_call_updates_free(&found);
    found = find("time:MPI_*");
    assert_int_equal(found.counters.count, 0);
    fm_call_updates_free(&found);
}

/* Of each counter whose values another one has, that one knows when it is updated. */
static void moments_stand_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < fm_counter_count(); i++) {
        const struct fm_counter_entry *entry = fm_counter_at(i);
        assert_true((unsigned)entry->moment < FM_MOMENTS);
        if (entry->is_spc && entry->source != NULL) {
            assert_int_equal(entry->moment, FM_AT_OTHER);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predicts_the_example_of_the_thesis),
        cmocka_unit_test(what_is_not_chosen_is_off),
        cmocka_unit_test(the_same_counts_once),
        cmocka_unit_test(some_are_not_updated_by_each_call),
        cmocka_unit_test(patterns_choose),
        cmocka_unit_test(moments_stand_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
