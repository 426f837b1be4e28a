/* SPDX-License-Identifier: BSD-3-Clause */
/* What the scenario language means. */
#include "scenario/scenario.h"

#include <otf2/OTF2_Events.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct fm_scenario *parse(const char *text)
{
    struct fm_scenario *scenario = NULL;
    struct fm_error error;
    if (fm_scenario_parse("test.scn", text, strlen(text), &scenario, &error) != FM_OK) {
        fail_msg("%s", error.message);
    }
    return scenario;
}

static const struct fm_scenario_event *event_of(const struct fm_scenario *scenario,
                                                uint32_t location, size_t index)
{
    assert_true(index < scenario->locations[location].count);
    return &scenario->locations[location].events[index];
}

static void units_become_ticks(void **state)
{
    (void)state;
    static const struct {
        const char *unit;
        uint64_t ticks_per_second;
    } units[] = {
        {"unit 1\n", 1000},  {"unit 1e-3\n", 1000000}, {"unit 0.001\n", 1000000},
        {"unit 2.5\n", 400}, {"unit 1000\n", 1},       {"unit 1e-9\n", 1000000000000},
        {"", 1000},          {"unit 8\n", 125},
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        char text[64];
        strcpy(text, units[i].unit);
        strcat(text, "ranks 1\n");
        struct fm_scenario *scenario = parse(text);
        assert_int_equal(scenario->ticks_per_second, units[i].ticks_per_second);
        fm_scenario_free(scenario);
    }
}

static void times_are_exact_and_locations_found(void **state)
{
    (void)state;
    struct fm_scenario *scenario = parse("ranks 2 threads 3\n"
                                         "0.001 1.2 enter a\n"
                                         "999999999999999.999 1.2 leave a\n"
                                         "0.1 0 enter b\n"
                                         "7.25 0.0 leave b\n");
    assert_int_equal(scenario->rank_count, 2);
    assert_int_equal(scenario->thread_count, 3);
    assert_int_equal(event_of(scenario, 5, 0)->time, 1);
    assert_int_equal(event_of(scenario, 5, 1)->time, 999999999999999999);
    assert_int_equal(event_of(scenario, 0, 0)->time, 100);
    assert_int_equal(event_of(scenario, 0, 1)->time, 7250);
    assert_int_equal(scenario->locations[1].count, 0);
    fm_scenario_free(scenario);
}

static void phases_and_options(void **state)
{
    (void)state;
    struct fm_scenario *scenario = parse("ranks 1\n"
                                         "phase time step # with a blank\n"
                                         "analyze --critical-path=init-finalize --partition=a:0\n"
                                         "analyze --progress=async\n"
                                         "0 0 enter time step\n");
    assert_int_equal(scenario->phases.count, 1);
    assert_string_equal(scenario->phases.keys[0].bytes, "time step");
    assert_int_equal(scenario->options.count, 3);
    assert_string_equal(scenario->options.keys[1].bytes, "--partition=a:0");
    fm_scenario_free(scenario);
}

static void comments_blanks_and_names(void **state)
{
    (void)state;
    struct fm_scenario *scenario = parse("# first\r\n"
                                         "\tranks 1 # one\r\n"
                                         "\n"
                                         "0 0 enter !$omp parallel @a.c:5 # two\n"
                                         "0 0 enter a#b  \n"
                                         "  # three\n"
                                         "1\t0\tleave   a#b\n"
                                         "1 0 leave !$omp parallel @a.c:5");
    assert_int_equal(scenario->regions.count, 2);
    assert_string_equal(scenario->regions.keys[0].bytes, "!$omp parallel @a.c:5");
    assert_string_equal(scenario->regions.keys[1].bytes, "a#b");
    assert_int_equal(scenario->locations[0].count, 4);
    fm_scenario_free(scenario);
}

static void fields_are_where_they_belong(void **state)
{
    (void)state;
    struct fm_scenario *scenario = parse("ranks 4\ncomm c 3 1\nwindow w c\nwindow v world\n"
                                         "0 1 send 0 7 100 c\n"
                                         "0 1 irecv 3 8 200 99\n"
                                         "0 1 coll_end reduce c 1 10 20\n"
                                         "0 1 coll_end barrier self - 0 0\n"
                                         "0 1 rma_coll_end barrier w\n"
                                         "0 1 rma_coll_end bcast v 2 5 6\n"
                                         "0 1 group_sync w 1 0\n"
                                         "0 1 lock_request v all 4 s\n"
                                         "0 1 lock_acquire w 1 4\n"
                                         "0 1 nb_coll_complete allreduce world - 1 2 3\n"
                                         "0 1 acquire_lock 12 34\n");
    const struct fm_scenario_event *send = event_of(scenario, 1, 0);
    assert_int_equal(send->object, 2);
    assert_int_equal(send->peer, 0);
    assert_int_equal(send->tag, 7);
    assert_int_equal(send->bytes, 100);
    const struct fm_scenario_event *receive = event_of(scenario, 1, 1);
    assert_int_equal(receive->object, 0);
    assert_int_equal(receive->peer, 3);
    assert_int_equal(receive->id, 99);
    const struct fm_scenario_event *reduce = event_of(scenario, 1, 2);
    assert_int_equal(reduce->detail, OTF2_COLLECTIVE_OP_REDUCE);
    assert_int_equal(reduce->peer, 1);
    assert_int_equal(reduce->bytes, 10);
    assert_int_equal(reduce->received, 20);
    assert_int_equal(event_of(scenario, 1, 3)->peer, FM_SCENARIO_NONE);
    assert_int_equal(event_of(scenario, 1, 3)->object, 1);
    assert_int_equal(event_of(scenario, 1, 4)->peer, FM_SCENARIO_NONE);
    assert_int_equal(event_of(scenario, 1, 5)->peer, 2);
    assert_int_equal(event_of(scenario, 1, 5)->object, 1);
    assert_int_equal(event_of(scenario, 1, 5)->received, 6);
    const struct fm_key *group = &scenario->groups.keys[event_of(scenario, 1, 6)->peer];
    const uint32_t world_ranks[] = {1, 3}; /* ranks 1 and 0 of c */
    assert_int_equal(group->length, sizeof world_ranks);
    assert_memory_equal(group->bytes, world_ranks, sizeof world_ranks);
    assert_int_equal(event_of(scenario, 1, 7)->peer, FM_SCENARIO_NONE);
    assert_int_equal(event_of(scenario, 1, 7)->detail, 1);
    assert_int_equal(event_of(scenario, 1, 8)->peer, 1);
    assert_int_equal(event_of(scenario, 1, 8)->detail, 0);
    assert_int_equal(event_of(scenario, 1, 9)->id, 3);
    assert_int_equal(event_of(scenario, 1, 10)->id, 12);
    assert_int_equal(event_of(scenario, 1, 10)->peer, 34);
    fm_scenario_free(scenario);
}

static void expectations(void **state)
{
    (void)state;
    struct fm_scenario *scenario = parse("ranks 8 threads 2\n"
                                         "expect time main/foo 3.1 1.5\n"
                                         "expect time * * 2 0.25\n"
                                         "expect omp_time main/!$omp barrier 0 1e-3 1e-9\n"
                                         "expect omp_time main/phase two * 3 # comment\n"
                                         "expect visits 5 0 1\n");
    const struct fm_scenario_expectation *first = scenario->expectations;
    assert_int_equal(scenario->expectation_count, 5);
    assert_string_equal(first->metric, "time");
    assert_string_equal(first->callpath, "main/foo");
    assert_false(first->all_locations);
    assert_int_equal(first->rank, 3);
    assert_int_equal(first->thread, 1);
    assert_true(first->value == fm_decimal_from_ticks(1500));
    assert_true(first->tolerance == 0);
    assert_int_equal(first->line, 2);
    assert_null(first[1].callpath);
    assert_true(first[1].all_locations);
    assert_true(first[1].tolerance == fm_decimal_from_ticks(250));
    assert_string_equal(first[2].callpath, "main/!$omp barrier");
    assert_true(first[2].value == fm_decimal_from_ticks(1));
    assert_true(first[2].tolerance > 0);
    assert_string_equal(first[3].callpath, "main/phase two");
    assert_true(first[3].all_locations);
    assert_string_equal(first[4].callpath, "5");
    assert_int_equal(first[4].rank, 0);
    assert_true(first[4].tolerance == 0);
    fm_scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_become_ticks),
        cmocka_unit_test(times_are_exact_and_locations_found),
        cmocka_unit_test(comments_blanks_and_names),
        cmocka_unit_test(phases_and_options),
        cmocka_unit_test(fields_are_where_they_belong),
        cmocka_unit_test(expectations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
